import { Loader } from '@mantine/core'
import {
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { ThreadSummary } from '../model/log.js'
import type { Names } from '../model/mentions.js'
import { type ChatMessage, continues } from '../model/message.js'
import { count, dayTitle, sameDay } from '../model/time.js'
import { Icon } from '../ui/icons.js'
import { useActions } from './actions.js'
import { Message } from './Message.js'
import { useStick } from './useStick.js'

interface Props {
  messages: readonly ChatMessage[]
  threads: ReadonlyMap<string, ThreadSummary>
  /** Older ones can be asked for. */
  more: boolean
  readMore: () => Promise<void>
  /** Message whose receipt is open. */
  selected: string | null
  /** Message to show and light up for a moment. */
  focus: { id: string; at: number } | null
  hrefFor: (message: ChatMessage) => string
  names: Names
  me: string
  label: string
  /** What stands above the first message. */
  head?: ReactNode
  /** What stands below the last one: messages on their way. */
  tail?: ReactNode
  tailCount: number
  onNewestSeen: (at: number) => void
}

/** Clicks on these mean something of their own. */
const OWN_CLICK = 'a, button, input, textarea, .tools, .code-block, [role="dialog"]'

const WALK: ReadonlySet<string> = new Set(['ArrowUp', 'ArrowDown', 'Home', 'End'])

/** The conversation, with the end in sight while the reader is there. */
export function MessageList(props: Props) {
  const { messages, focus, onNewestSeen } = props
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLOListElement>(null)
  const actions = useActions()
  const [active, setActive] = useState<string | null>(null)
  const [reading, setReading] = useState(false)
  const stick = useStick(scroller, content, messages[0]?.id, messages.length + props.tailCount)
  const newest = messages.at(-1)?.at

  // Whoever says something wants to see it, and what comes of it.
  const going = useRef(props.tailCount)
  const { toEnd } = stick
  useLayoutEffect(() => {
    if (props.tailCount > going.current) toEnd()
    going.current = props.tailCount
  }, [props.tailCount, toEnd])

  useEffect(() => {
    const look = () => {
      if (stick.atEnd && newest !== undefined && document.visibilityState === 'visible') onNewestSeen(newest)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [stick.atEnd, newest, onNewestSeen])

  useEffect(() => {
    if (focus === null) return
    const row = content.current?.querySelector(`[data-id="${CSS.escape(focus.id)}"]`)
    row?.scrollIntoView({ block: 'center' })
  }, [focus])

  const readMore = async () => {
    if (reading || !props.more) return
    setReading(true)
    await props.readMore().finally(() => setReading(false))
  }

  const rowOf = (target: EventTarget): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>('.message') : null
  const idAt = (target: EventTarget) => rowOf(target)?.dataset.id ?? null
  const messageOf = (row: HTMLElement | null) => messages.find((one) => one.id === row?.dataset.id)

  const onClick = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('.message-more')) {
      setActive(idAt(event.target))
    }
    if (!(event.target instanceof Element) || event.target.closest(OWN_CLICK)) return
    // Marking words to copy them is not asking for the receipt.
    if (window.getSelection()?.isCollapsed === false) return
    const message = messageOf(rowOf(event.target))
    if (message) actions.open(message)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element) || event.target.closest('input, textarea, [role="dialog"]')) return
    const row = rowOf(event.target)
    const message = messageOf(row)
    if (row === null || message === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    const own = message.author.id === props.me
    // Letters and Enter are the row's own only; the arrows also lead away from what stands on it.
    const onRow = event.target === row
    if (WALK.has(key)) walk(row, key)
    else if (!onRow) return
    else if (key === 'Enter') actions.open(message)
    else if (key === 'r') actions.reply?.(message)
    else if (key === 't' && message.thread === null) actions.thread?.(message.id)
    else if (key === 'e' && own) actions.edit?.(message)
    else if (key === 'Delete' && own) actions.remove?.(message)
    else return
    event.preventDefault()
  }

  const walk = (from: HTMLElement, key: string) => {
    const rows = [...(content.current?.querySelectorAll<HTMLElement>('.message') ?? [])]
    const at = rows.indexOf(from)
    const to = key === 'Home' ? 0 : key === 'End' ? rows.length - 1 : key === 'ArrowUp' ? at - 1 : at + 1
    rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus()
  }

  // One stop for Tab in the whole list: the open message, else the last one. From there the arrows walk.
  const stop = messages.some((one) => one.id === active) ? active : (messages.at(-1)?.id ?? null)

  return (
    <div className="scroll-place">
      <div
        className="scroller"
        ref={scroller}
        onScroll={(event) => {
          if (event.currentTarget.scrollTop < 200) void readMore()
        }}
      >
        {props.head}
        {props.more && (
          <div className="older">
            <button type="button" className="link" onClick={() => void readMore()} disabled={reading}>
              {reading ? <Loader size={14} /> : 'Older messages'}
            </button>
          </div>
        )}
        {/* The rows are reached by Tab and the arrows; this element only listens for them. */}
        <ol
          className="messages"
          ref={content}
          aria-label={props.label}
          onClick={onClick}
          onKeyDown={onKeyDown}
          onPointerOver={(event) => {
            // A finger hovers over nothing: the tools would come up under it and take its tap.
            if (event.pointerType === 'mouse') setActive(idAt(event.target))
          }}
          onPointerLeave={(event) => {
            if (event.pointerType === 'mouse') setActive(null)
          }}
          onFocus={(event) => {
            if (event.target.matches(':focus-visible')) setActive(idAt(event.target))
          }}
        >
          {messages.map((message, at) => {
            const before = messages[at - 1]
            const newDay = before === undefined || !sameDay(before.at, message.at)
            return (
              <Fragment key={message.id}>
                {newDay && (
                  <li className="day" aria-hidden="true">
                    <span>{dayTitle(message.at, Date.now())}</span>
                  </li>
                )}
                <Message
                  message={message}
                  href={props.hrefFor(message)}
                  joined={!newDay && continues(before, message)}
                  selected={message.id === props.selected}
                  active={message.id === active}
                  stop={message.id === stop}
                  flash={focus?.id === message.id}
                  thread={props.threads.get(message.id)}
                  names={props.names}
                  me={props.me}
                />
              </Fragment>
            )
          })}
        </ol>
        {props.tail}
      </div>
      {!stick.atEnd && (
        <button
          type="button"
          className="to-end"
          data-fresh={stick.fresh > 0 || undefined}
          onClick={stick.toEnd}
        >
          <Icon name="arrowDown" size={15} />
          {stick.fresh > 0 ? count(stick.fresh, 'new message') : 'To the newest'}
        </button>
      )}
    </div>
  )
}
