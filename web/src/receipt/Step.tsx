import type { ReactNode } from 'react'
import { Icon, type IconName } from '../ui/icons.js'

interface StepProps {
  icon: IconName
  tone: string
  title: string
  aside?: ReactNode
  children?: ReactNode
}

/** One stop of the story. */
export function Step({ icon, tone, title, aside, children }: StepProps) {
  return (
    <li className={`step tone-${tone}`}>
      <span className="step-dot">
        <Icon name={icon} size={14} />
      </span>
      <div className="step-body">
        <div className="step-head">
          <h2 className="grow">{title}</h2>
          {aside}
        </div>
        {children}
      </div>
    </li>
  )
}
