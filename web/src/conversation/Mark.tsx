import { useQuery } from '@tanstack/react-query'
import { receipt } from '../api/core.js'
import { isVague, markLabel } from '../model/outcome.js'
import { Icon, type IconName } from '../ui/icons.js'

/** Drawn, because not every machine has a font with the emoji. */
const ICONS: Readonly<Record<string, IconName>> = {
  '👀': 'eye',
  '✅': 'check',
  '❌': 'close',
  '⏹️': 'stop',
  '⏹': 'stop',
}

interface Props {
  emoji: string
  /** The message it is on. */
  reference: string
  onOpen: () => void
}

/** The bot's mark on a message, which leads to its receipt and is called what the receipt calls it. */
export function Mark({ emoji, reference, onOpen }: Props) {
  const asked = useQuery({
    queryKey: ['receipt', reference],
    queryFn: ({ signal }) => receipt(reference, signal),
    enabled: isVague(emoji),
  })
  const label = markLabel(emoji, asked.data?.outcome ?? null)
  const icon = ICONS[emoji]
  if (label === undefined || icon === undefined) return null
  // No word for a moment, rather than one that is taken back.
  const text = asked.isLoading ? '' : label.text
  return (
    <button
      type="button"
      className={`mark tone-${label.tone}`}
      onClick={onOpen}
      aria-label={`${`Golem: ${emoji} ${text}`.trim()}. Open the receipt`}
      title={`${emoji} by Golem. Open the receipt`}
    >
      <Icon name={icon} size={13} />
      {text}
    </button>
  )
}
