import { useEffect, useRef } from 'react'
import type { Nameable } from '../model/mentions.js'
import { Avatar } from '../ui/Avatar.js'
import { Icon } from '../ui/icons.js'

interface Props {
  id: string
  found: readonly Nameable[]
  at: number
  hover: (index: number) => void
  choose: (name: Nameable) => void
}

const KINDS = { agent: 'agent', person: 'person', everyone: 'all agents' } as const

/** Names that fit what was typed after the `@`. The focus stays in the compose box. */
export function CompletionList({ id, found, at, hover, choose }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div className="completion" role="listbox" id={id} aria-label="People and agents" ref={list}>
      {found.map((name, index) => (
        <div
          key={`${name.kind} ${name.id ?? name.name}`}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="completion-row"
          onMouseMove={() => hover(index)}
          // Before the click takes the focus away.
          onMouseDown={(event) => {
            event.preventDefault()
            choose(name)
          }}
        >
          {name.kind === 'everyone' ? (
            <Icon name="at" size={22} />
          ) : (
            <Avatar name={name.name} agent={name.kind === 'agent'} size={24} />
          )}
          <span className="grow completion-name">
            {name.name}
            {found.some((one) => one !== name && one.name === name.name) && name.id !== null && (
              <span className="dim"> ({name.id})</span>
            )}
          </span>
          <span className="dim">{KINDS[name.kind]}</span>
        </div>
      ))}
    </div>
  )
}
