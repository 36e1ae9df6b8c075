import { duration } from '../model/time.js'
import type { Phase } from '../model/timeline.js'

/** Where the time of a turn went, as one bar. Short phases keep a sliver, so that none disappears. */
export function PhaseBar({ phases }: { phases: readonly Phase[] }) {
  if (phases.length === 0) return null
  const total = phases.reduce((sum, phase) => sum + phase.ms, 0)
  return (
    <div className="phases">
      <div className="phase-bar" aria-hidden="true">
        {phases.map((phase) => (
          <span
            key={phase.name}
            data-phase={phase.name}
            data-open={phase.open || undefined}
            style={{ flexGrow: Math.max(phase.ms, total * 0.02, 1) }}
          />
        ))}
      </div>
      <ul className="phase-legend">
        {phases.map((phase) => (
          <li key={phase.name}>
            <span className="phase-dot" data-phase={phase.name} aria-hidden="true" />
            {phase.name} <strong>{duration(phase.ms)}</strong>
            {phase.open && '…'}
          </li>
        ))}
      </ul>
    </div>
  )
}
