import type { Gate } from '../api/wire.js'
import { gateTitle } from '../model/outcome.js'
import { sawValue } from '../model/timeline.js'
import { Icon } from '../ui/icons.js'

const VERDICTS = {
  pass: { icon: 'pass', tone: 'good', word: 'passed' },
  stop: { icon: 'block', tone: 'bad', word: 'stopped here' },
  note: { icon: 'note', tone: 'calm', word: 'noted' },
} as const

/** Each gate with its verdict and why; what it looked at opens below it. */
export function Gates({ gates }: { gates: readonly Gate[] }) {
  return (
    <ul className="gates">
      {gates.map((gate, at) => {
        const verdict = VERDICTS[gate.verdict]
        const saw = Object.entries(gate.saw)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a trace only grows at its end, and may ask a gate twice
          <li key={at} className={`gate tone-${verdict.tone}`}>
            <details>
              <summary>
                <span className="gate-icon">
                  <Icon name={verdict.icon} size={17} />
                  <span className="sr">{verdict.word}</span>
                </span>
                <span className="gate-text">
                  <span className="gate-title">{gateTitle(gate.gate)}</span>
                  <span className="gate-why">{gate.why}</span>
                </span>
                <span className="gate-more" aria-hidden="true">
                  <Icon name="down" size={14} />
                </span>
              </summary>
              <dl className="saw">
                <div>
                  <dt>gate</dt>
                  <dd>{`${gate.gate}: ${gate.verdict}`}</dd>
                </div>
                {saw.map(([key, value]) => (
                  <div key={key}>
                    <dt>{key}</dt>
                    <dd>{sawValue(value)}</dd>
                  </div>
                ))}
              </dl>
            </details>
          </li>
        )
      })}
    </ul>
  )
}
