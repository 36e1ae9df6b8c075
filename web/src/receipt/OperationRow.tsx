import type { Operation } from '../api/wire.js'
import { operationLabel, operationTitle } from '../model/outcome.js'
import { clockExact, count, duration } from '../model/time.js'
import { Icon, type IconName } from '../ui/icons.js'

const ICONS: Readonly<Record<string, IconName>> = {
  post: 'send',
  note: 'note',
  react: 'smile',
  edit: 'edit',
  delete: 'trash',
  upload: 'file',
}

/** One thing done on the platform: its state, its attempts, and what happened to it. `step`: a stop of the story. */
export function OperationRow({ operation, step }: { operation: Operation; step?: boolean }) {
  const label = operationLabel(operation.state)
  const took = operation.settledAt === null ? null : operation.settledAt - operation.createdAt
  return (
    <li className={`operation tone-${label.tone}`} data-step={step || undefined}>
      <details>
        <summary>
          <span className="operation-icon">
            <Icon name={ICONS[operation.kind.split(' ')[0] ?? ''] ?? 'bolt'} size={14} />
          </span>
          <span className="operation-title grow">{operationTitle(operation)}</span>
          {operation.attempts > 1 && <span className="dim">{count(operation.attempts, 'attempt')}</span>}
          {took !== null && operation.state === 'sent' && <span className="dim">{duration(took)}</span>}
          <span className="pill">{label.text}</span>
        </summary>
        {operation.text !== null && <p className="operation-text">{operation.text}</p>}
        {operation.failure !== null && <p className="operation-failure">{operation.failure}</p>}
        <dl className="saw">
          {operation.log.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the log only grows at its end
            <div key={at}>
              <dt>{clockExact(line.at)}</dt>
              <dd>{line.what}</dd>
            </div>
          ))}
          {operation.log.length === 0 && (
            <div>
              <dt>{clockExact(operation.createdAt)}</dt>
              <dd>made</dd>
            </div>
          )}
          {operation.native !== null && (
            <div>
              <dt>id there</dt>
              <dd>{operation.native}</dd>
            </div>
          )}
        </dl>
      </details>
    </li>
  )
}
