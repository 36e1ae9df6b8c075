import { ActionIcon, Alert, Button, CopyButton, Skeleton, Tooltip } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { sentence } from '../api/http.js'
import type { Receipt } from '../api/wire.js'
import { outcomeLabel } from '../model/outcome.js'
import { writeRoute } from '../model/route.js'
import { clock, duration, fullTime } from '../model/time.js'
import { answerTime, type Entry, timeline, whyCommand } from '../model/timeline.js'
import '../styles/receipt.css'
import '../styles/gates.css'
import { Icon } from '../ui/icons.js'
import { Gates } from './Gates.js'
import { OperationRow } from './OperationRow.js'
import { Step } from './Step.js'
import { TurnCard } from './TurnCard.js'
import { useReceipt } from './useReceipt.js'

interface Props {
  /** Key of the room. */
  room: string
  /** Native id of the message, or the core's own. */
  message: string
  close: () => void
}

/** What became of one message, and why: the right pane. */
export default function ReceiptPane({ room, message, close }: Props) {
  const reference = /^g\d+$/.test(message) ? message.slice(1) : `${room}:${message}`
  const { data, error, isPending, live, now, refetch } = useReceipt(reference)
  const heading = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another message is another reason to go to the heading
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [reference])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the pane from wherever the focus is in it
    <div
      className="receipt"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close()
      }}
    >
      <header className="head">
        <ActionIcon
          className="only-narrow"
          variant="subtle"
          color="gray"
          aria-label="Back to the conversation"
          onClick={close}
        >
          <Icon name="back" />
        </ActionIcon>
        <h1 className="grow" ref={heading} tabIndex={-1}>
          Receipt
        </h1>
        <CopyButton value={whyCommand(reference)}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? 'Copied' : `Copy: ${whyCommand(reference)}`} multiline maw={300}>
              <Button
                variant="default"
                size="compact-sm"
                leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
                onClick={copy}
                aria-label="Copy the golem why command"
              >
                golem why
              </Button>
            </Tooltip>
          )}
        </CopyButton>
        <ActionIcon
          className="only-wide"
          variant="subtle"
          color="gray"
          aria-label="Close the receipt"
          onClick={close}
        >
          <Icon name="close" />
        </ActionIcon>
      </header>
      <div className="receipt-body" aria-busy={isPending}>
        {data ? (
          <Story receipt={data} live={live} now={now} />
        ) : error ? (
          <Alert color="red" title="No receipt">
            <p>{sentence(error)}</p>
            <Button variant="default" size="xs" onClick={() => void refetch()}>
              Try again
            </Button>
          </Alert>
        ) : (
          <Waiting />
        )}
      </div>
    </div>
  )
}

function Story({ receipt, live, now }: { receipt: Receipt; live: boolean; now: number }) {
  const { message, outcome, summary, decision } = receipt
  const label = outcomeLabel(outcome)
  const took = answerTime(receipt)
  const entries = timeline(receipt, now)
  const [heard, ...rest] = entries.filter((entry) => entry.kind !== 'gate')
  return (
    <>
      <section className={`verdict tone-${label.tone}`} aria-live="polite">
        <div className="verdict-line">
          <span className="pill verdict-pill">
            {live && <span className="pulse" aria-hidden="true" />}
            {label.text}
          </span>
          {took !== null && (
            <span
              className="verdict-took"
              title="From the moment the message was durable to the post in the chat"
            >
              <Icon name="bolt" size={13} />
              {duration(took)}
            </span>
          )}
        </div>
        <p className="verdict-summary">{summary}</p>
      </section>
      <blockquote className="receipt-quote">
        <cite>
          {message.author.name} <span className="dim">{clock(message.at)}</span>
        </cite>
        <p>{message.text ?? 'This message was deleted, and its text with it.'}</p>
      </blockquote>
      <Answers receipt={receipt} />
      <ol className="story">
        {heard?.kind === 'heard' && <Heard entry={heard} receipt={receipt} />}
        {decision && (
          <Step
            icon="ear"
            tone={decision.verdict === 'refuse' ? 'bad' : decision.verdict === 'run' ? 'good' : 'calm'}
            title={DECIDED[decision.verdict]}
          >
            {decision.responders.length > 0 && (
              <p className="dim">
                {decision.responders.join(', ')} <span aria-hidden="true">·</span>{' '}
                {ROUTES[decision.route] ?? decision.route}
              </p>
            )}
            <Gates gates={decision.gates} />
          </Step>
        )}
        {rest.map((entry) =>
          entry.kind === 'turn' ? (
            <TurnCard key={entry.key} turn={entry.turn} phases={entry.phases} />
          ) : entry.kind === 'operation' ? (
            <OperationRow key={entry.key} operation={entry.operation} step />
          ) : null,
        )}
      </ol>
      <p className="receipt-foot dim mono">{message.reference}</p>
    </>
  )
}

const DECIDED = {
  run: 'An agent is asked',
  keep: 'Kept as context, nobody is asked',
  refuse: 'Not taken',
} as const

const ROUTES: Readonly<Record<string, string>> = {
  everyone: 'everyone was called',
  named: 'named in the message',
  reply: 'replied to',
  thread: 'owns the thread',
  default: "the room's default",
  auto: 'fits best by role and skills',
  orchestrator: 'the orchestrator',
  none: 'nobody',
}

function Heard({ entry, receipt }: { entry: Extract<Entry, { kind: 'heard' }>; receipt: Receipt }) {
  const own = receipt.decision === null
  return (
    <Step
      icon={own ? 'send' : 'check'}
      tone={own ? 'calm' : 'good'}
      title={own ? 'Said by Golem' : 'Heard and stored'}
    >
      <p className="dim" title={fullTime(entry.at)}>
        {clock(entry.at)}
        {!own && `, durable ${duration(entry.delay)} after it was said`}
      </p>
      {receipt.message.editedAt !== null && <p className="dim">Edited {clock(receipt.message.editedAt)}</p>}
      {receipt.message.deletedAt !== null && (
        <p className="dim">Deleted {clock(receipt.message.deletedAt)}</p>
      )}
    </Step>
  )
}

/** For a post of Golem: the messages that it answers. */
function Answers({ receipt }: { receipt: Receipt }) {
  if (receipt.answers.length === 0) return null
  const room = receipt.message.chatKey
  return (
    <p className="receipt-answers">
      <Icon name="reply" size={15} /> Answers{' '}
      {receipt.answers.map((reference, at) => {
        const id = reference.startsWith(`${room}:`) ? reference.slice(room.length + 1) : `g${reference}`
        return (
          <span key={reference}>
            {at > 0 && ', '}
            <a href={writeRoute({ room, thread: null, message: id })}>this message</a>
          </span>
        )
      })}
    </p>
  )
}

function Waiting() {
  return (
    <>
      <span className="sr">Loading the receipt</span>
      <Skeleton height={70} />
      <Skeleton height={54} mt="md" />
      <Skeleton height={180} mt="md" />
    </>
  )
}
