import type { AskedQuestion, Turn } from '../api/wire.js'
import { turnLabel } from '../model/outcome.js'
import { clockExact, count } from '../model/time.js'
import { type Phase, shownLine } from '../model/timeline.js'
import { Icon } from '../ui/icons.js'
import { Gates } from './Gates.js'
import { OperationRow } from './OperationRow.js'
import { PhaseBar } from './PhaseBar.js'
import { Step } from './Step.js'

const KINDS: Readonly<Record<Turn['kind'], string>> = {
  message: 'answers',
  'follow-up': 'follows up on what it asked',
  ask: 'works on what it was asked',
  wake: 'was named by another agent',
  schedule: 'does what was scheduled',
}

const TOKENS = (usage: NonNullable<Turn['usage']>) =>
  `${usage.model === undefined ? '' : `${usage.model}: `}${usage.inputTokens.toLocaleString('en')} tokens in, ${usage.outputTokens.toLocaleString('en')} out${
    usage.costUsd === undefined ? '' : `, ${usage.costUsd.toFixed(4)} USD`
  }`

function becameOf({ state, choice, by, settledAt, code }: AskedQuestion): string {
  const when = settledAt === null ? '' : `, ${clockExact(settledAt)}`
  switch (state) {
    case 'open':
      return `waits for a decision (${code})`
    case 'chosen':
      return `${choice ?? ''}, decided by ${by?.name ?? 'somebody'}${when}`
    case 'expired':
      return `nobody decided in time${when}: refused`
    case 'withdrawn':
      return `withdrawn${when}`
  }
}

/** One agent's turn: where its time went, what it was shown, what it did, what was posted. */
export function TurnCard({ turn, phases }: { turn: Turn; phases: readonly Phase[] }) {
  const label = turnLabel(turn.state)
  const steps: readonly (readonly [string, number | null])[] = [
    ['Queued', turn.createdAt],
    ['Started', turn.startedAt],
    ['First words', turn.firstEventAt],
    ['Ended', turn.settledAt],
  ]
  return (
    <Step
      icon={turn.state === 'queued' ? 'wait' : turn.state === 'running' ? 'bolt' : 'thread'}
      tone={label.tone}
      title={`${turn.agent} ${KINDS[turn.kind]}`}
      aside={<span className="pill">{label.text}</span>}
    >
      <PhaseBar phases={phases} />
      {turn.reason !== null && <p className="turn-reason">{turn.reason}</p>}
      {turn.attempts > 1 && <p className="dim">{count(turn.attempts, 'attempt')}</p>}
      {turn.shown && (
        <p className="fact">
          <Icon name="eye" size={15} />
          <span>
            Was shown {shownLine(turn.shown)}
            <span className="dim"> · engine {turn.shown.engine}</span>
          </span>
        </p>
      )}
      {turn.tools.map((tool) => (
        <p key={`${tool.at} ${tool.name}`} className="fact">
          <Icon name="tool" size={15} />
          <span>
            <code>{tool.name}</code> {tool.ok ? '' : 'was refused '}
            <span className="dim">{tool.note}</span>
          </span>
        </p>
      ))}
      {turn.questions?.map((question) => (
        <p key={question.id} className="fact">
          <Icon name="thread" size={15} />
          <span>
            Asked: {question.text} <span className="dim">{becameOf(question)}</span>
          </span>
        </p>
      ))}
      {turn.usage && (
        <p className="fact">
          <Icon name="bolt" size={15} />
          <span>
            {TOKENS(turn.usage)}
            {turn.usage.note !== undefined && <span className="dim"> · before: {turn.usage.note}</span>}
          </span>
        </p>
      )}
      {turn.previews !== undefined && (
        <p className="fact">
          <Icon name="eye" size={15} />
          <span>
            The text so far was shown while it worked{' '}
            <span className="dim">{count(turn.previews.edits + turn.previews.drafts, 'time')}</span>
          </span>
        </p>
      )}
      {turn.files.map((file) => (
        <p key={file.name} className="fact">
          <Icon name="file" size={15} />
          <span>
            {file.name}
            {file.refused !== undefined && <span className="dim"> was not sent: {file.refused}</span>}
          </span>
        </p>
      ))}
      {turn.operations.length > 0 && (
        <ul className="operations">
          {turn.operations.map((operation) => (
            <OperationRow key={operation.id} operation={operation} />
          ))}
        </ul>
      )}
      <details className="more">
        <summary>Every step</summary>
        <dl className="saw">
          {steps.map(
            ([name, at]) =>
              at !== null && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{clockExact(at)}</dd>
                </div>
              ),
          )}
          {turn.shown && (
            <>
              <div>
                <dt>Template</dt>
                <dd>{turn.shown.template}</dd>
              </div>
              <div>
                <dt>Memory</dt>
                <dd>{turn.shown.memoryHash?.slice(0, 12) ?? 'none'}</dd>
              </div>
            </>
          )}
          <div>
            <dt>Turn</dt>
            <dd>{turn.id}</dd>
          </div>
        </dl>
        {turn.gates.length > 0 && <Gates gates={turn.gates} />}
      </details>
    </Step>
  )
}
