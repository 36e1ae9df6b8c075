import { Button } from '@mantine/core'
import { memo, useState } from 'react'
import { fileUrl } from '../api/local.js'
import type { ThreadSummary } from '../model/log.js'
import type { Names } from '../model/mentions.js'
import { type ChatMessage, isGolem, type Quote, shownName } from '../model/message.js'
import { markLabel, outcomeLabel } from '../model/outcome.js'
import { ago, bytes, clock, clockShort, count, fullTime } from '../model/time.js'
import { Avatar } from '../ui/Avatar.js'
import { Icon } from '../ui/icons.js'
import { useActions } from './actions.js'
import { Mark } from './Mark.js'
import { MessageText } from './MessageText.js'
import { Toolbar } from './Toolbar.js'

interface Props {
  message: ChatMessage
  /** Address of its receipt. */
  href: string
  /** Stands under the name of the message before it. */
  joined: boolean
  selected: boolean
  /** The pointer or the focus is on it: its tools are shown. */
  active: boolean
  /** Tab stops here. */
  stop: boolean
  flash: boolean
  thread: ThreadSummary | undefined
  names: Names
  me: string
}

const BOT = '@golem'

/** One message with everything that belongs to it. */
export const Message = memo(function Message(props: Props) {
  const { message, joined, thread } = props
  const golem = isGolem(message)
  const name = shownName(message)
  return (
    <li
      className="message"
      id={`m-${message.id}`}
      data-id={message.id}
      data-joined={joined || undefined}
      data-selected={props.selected || undefined}
      data-silent={message.silent || undefined}
      data-golem={golem || undefined}
      data-flash={props.flash || undefined}
      tabIndex={props.stop ? 0 : -1}
      aria-label={`${name}, ${clock(message.at)}: ${message.deleted ? 'deleted' : message.text.slice(0, 200)}`}
    >
      <div className="message-side">
        {joined ? (
          <a className="message-time" href={props.href} title={fullTime(message.at)} tabIndex={-1}>
            {clockShort(message.at)}
          </a>
        ) : (
          <Avatar name={name} agent={golem} bot={golem && message.agent === null} />
        )}
      </div>
      <div className="message-body grow">
        {!joined && (
          <div className="message-head">
            <span className="message-name">{name}</span>
            {golem && <span className="badge">agent</span>}
            {message.author.kind === 'bot' && <span className="badge badge-bot">bot</span>}
            <a
              className="message-time"
              href={props.href}
              title={`${fullTime(message.at)}. Open the receipt`}
              tabIndex={-1}
            >
              {clock(message.at)}
            </a>
            {!message.deleted && <Edited at={message.editedAt} />}
          </div>
        )}
        {message.replyTo && <QuoteBlock quote={message.replyTo} />}
        {message.deleted ? (
          <p className="message-deleted">This message was deleted.</p>
        ) : (
          <>
            {message.text !== '' && <MessageText text={message.text} names={props.names} me={props.me} />}
            {joined && <Edited at={message.editedAt} />}
            <Files message={message} />
            <Buttons message={message} />
          </>
        )}
        <Foot message={message} me={props.me} />
        {thread && <ThreadChip root={message.id} summary={thread} />}
      </div>
      {/* Where nothing hovers, a touch of this shows the tools. */}
      <button type="button" className="message-more" aria-label="Tools of this message" tabIndex={-1}>
        <Icon name="more" size={16} />
      </button>
      {props.active && <Toolbar message={message} me={props.me} />}
    </li>
  )
})

function Edited({ at }: { at: number | null }) {
  if (at === null) return null
  return (
    <span className="message-edited" title={`Edited ${fullTime(at)}`}>
      (edited)
    </span>
  )
}

function QuoteBlock({ quote }: { quote: Quote }) {
  const { jump } = useActions()
  const said = quote.deleted ? 'deleted message' : quote.excerpt || 'a message'
  return (
    <button type="button" className="quote" onClick={() => jump(quote.id)} title="Go to this message">
      <span className="quote-line" aria-hidden="true" />
      {quote.author !== '' && <span className="quote-name">{quote.author}</span>}
      <span className="quote-text">{said}</span>
    </button>
  )
}

function Files({ message }: { message: ChatMessage }) {
  if (message.files.length === 0) return null
  return (
    <ul className="files" aria-label="Files">
      {message.files.map((file) => (
        <li key={file.id}>
          <a className="file" href={fileUrl(file.id)} download={file.name}>
            <Icon name="file" size={18} />
            <span className="file-name">{file.name}</span>
            <span className="dim">{bytes(file.bytes)}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const LOOKS = {
  default: { variant: 'default' },
  primary: { variant: 'filled' },
  danger: { variant: 'light', color: 'red' },
} as const

function Buttons({ message }: { message: ChatMessage }) {
  const { press } = useActions()
  const [busy, setBusy] = useState<string | null>(null)
  if (message.buttons.length === 0) return null
  return (
    <div className="buttons">
      {message.buttons.map((button) => (
        <Button
          key={button.value}
          size="compact-sm"
          {...LOOKS[button.style]}
          loading={busy === button.value}
          disabled={press === null || busy !== null}
          onClick={() => {
            if (press === null) return
            setBusy(button.value)
            void press(message, button.value).finally(() => setBusy(null))
          }}
        >
          {button.label}
        </Button>
      ))}
    </div>
  )
}

/** Reactions of people, and the bot's own mark, which leads to the receipt. */
function Foot({ message, me }: { message: ChatMessage; me: string }) {
  const { react, open } = useActions()
  const isMark = (emoji: string, people: readonly { id: string }[]) =>
    markLabel(emoji, null) !== undefined && people.some((person) => person.id === BOT)
  const marks = message.reactions.filter((one) => isMark(one.emoji, one.people))
  const others = message.reactions
    .map((one) =>
      isMark(one.emoji, one.people)
        ? { ...one, people: one.people.filter((person) => person.id !== BOT) }
        : one,
    )
    .filter((one) => one.people.length > 0)
  const outcome =
    message.outcome === null || message.outcome === 'said' ? null : outcomeLabel(message.outcome)
  if (marks.length === 0 && others.length === 0 && outcome === null) return null
  return (
    <div className="foot">
      {marks.map(({ emoji }) => (
        <Mark key={emoji} emoji={emoji} reference={message.reference} onOpen={() => open(message)} />
      ))}
      {outcome && (
        <button type="button" className={`pill tone-${outcome.tone}`} onClick={() => open(message)}>
          {outcome.text}
        </button>
      )}
      {others.map((one) => {
        const mine = one.people.some((person) => person.id === me)
        const who = one.people.map((person) => person.name).join(', ')
        return (
          <button
            key={one.emoji}
            type="button"
            className="reaction"
            aria-pressed={mine}
            disabled={react === null}
            title={who}
            aria-label={`${one.emoji} by ${who}`}
            onClick={() => react?.(message, one.emoji)}
          >
            {one.emoji} <span>{one.people.length}</span>
          </button>
        )
      })}
    </div>
  )
}

function ThreadChip({ root, summary }: { root: string; summary: ThreadSummary }) {
  const { thread } = useActions()
  return (
    <button type="button" className="thread-chip" onClick={() => thread?.(root)} disabled={thread === null}>
      <Icon name="thread" size={15} />
      <strong>{count(summary.replies, 'reply', 'replies')}</strong>
      <span className="dim">
        {summary.names.slice(0, 3).join(', ')} · {ago(summary.lastAt, Date.now())}
      </span>
    </button>
  )
}
