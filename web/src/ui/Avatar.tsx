import { Logo } from './icons.js'

/** A hue that belongs to a name: the same for everyone, on every page. */
export function hue(name: string): number {
  let hash = 0
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 3_600
  return hash % 360
}

/** One or two letters; a CJK name shows its last character, as people shorten such names. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean)
  const first = [...(words[0] ?? '?')]
  if (/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(words[0] ?? '')) {
    return first.at(-1) ?? '?'
  }
  const last = words.length > 1 ? [...(words.at(-1) ?? '')][0] : undefined
  return `${first[0] ?? '?'}${last ?? ''}`.toUpperCase()
}

/** People are round, agents are square: told apart before a word is read. */
export function Avatar({
  name,
  agent,
  bot,
  size = 34,
}: {
  name: string
  agent: boolean
  bot?: boolean
  size?: number
}) {
  if (bot) return <Logo size={size} />
  return (
    <span
      className={agent ? 'avatar avatar-agent' : 'avatar'}
      aria-hidden="true"
      style={{ '--hue': hue(name), '--size': `${size}px` } as React.CSSProperties}
    >
      {initials(name)}
    </span>
  )
}
