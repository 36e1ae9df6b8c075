/** Completing `@na` to a name: pure, so that every key can be tried without a page. */
import { foldName } from '../../../src/messaging/text/fold.js'
import { maskText } from '../../../src/messaging/text/mask.js'
import { isMentionBoundary } from '../../../src/messaging/text/mention.js'
import type { Nameable } from './mentions.js'

export interface Query {
  /** Offset of the `@`. */
  from: number
  /** What was typed after it. */
  text: string
}

/** No name is longer, so no `@` farther back can be meant. */
const REACH = 64
const MOST = 8

/** What is being completed at the caret, if anything: an `@` that may start a mention, on the caret's own line. */
export function queryAt(text: string, caret: number): Query | null {
  for (let at = caret - 1; at >= 0 && caret - at <= REACH; at--) {
    const char = text[at]
    if (char === '\n') return null
    if (char !== '@' && char !== '＠') continue
    if (!isMentionBoundary(text, at)) return null
    // What stands behind the caret is left out: half a line of code must not hide the mention before it.
    const typed = text.slice(0, caret)
    return maskText(typed)[at] === char ? { from: at, text: text.slice(at + 1, caret) } : null
  }
  return null
}

function rank(name: Nameable, folded: string): number | null {
  const own = foldName(name.name)
  if (own.startsWith(folded)) return 0
  if (name.aliases?.some((alias) => foldName(alias).startsWith(folded))) return 1
  // With a blank in it only a name that really goes on so is meant: `@Otto and then` completes nothing.
  if (folded.includes(' ')) return null
  if (own.split(/[\s._-]+/u).some((word) => word.startsWith(folded))) return 2
  return folded.length > 1 && own.includes(folded) ? 3 : null
}

/** Names that fit, best first; agents before people where they fit as well. */
export function suggest(query: Query, names: readonly Nameable[]): Nameable[] {
  const folded = foldName(query.text)
  return names
    .flatMap((name, order) => {
      const fit = rank(name, folded)
      return fit === null ? [] : [{ name, fit, order }]
    })
    .sort((a, b) => a.fit - b.fit || a.order - b.order)
    .slice(0, MOST)
    .map((one) => one.name)
}

/**
 * Puts the chosen name in, with a blank after it: without one, Chinese text that follows would make it a longer name.
 */
export function complete(
  text: string,
  caret: number,
  query: Query,
  name: string,
): { text: string; caret: number } {
  const rest = text.slice(caret)
  const before = `${text.slice(0, query.from)}@${name}`
  return /^\s/u.test(rest)
    ? { text: before + rest, caret: before.length + 1 }
    : { text: `${before} ${rest}`, caret: before.length + 1 }
}

export type KeyAction = 'next' | 'previous' | 'choose' | 'close' | 'send' | 'none'

interface Key {
  key: string
  shiftKey: boolean
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  /** True while an input method composes. */
  isComposing: boolean
  /** 229 while an input method takes the key, also on browsers that report the end of composing first. */
  keyCode: number
}

/** What a key means in the compose box. An input method's own Enter confirms its text: it neither picks nor sends. */
export function keyAction(key: Key, listOpen: boolean): KeyAction {
  if (key.isComposing || key.keyCode === 229) return 'none'
  if (listOpen && !key.ctrlKey && !key.metaKey && !key.altKey) {
    if (key.key === 'ArrowDown') return 'next'
    if (key.key === 'ArrowUp') return 'previous'
    if ((key.key === 'Enter' || key.key === 'Tab') && !key.shiftKey) return 'choose'
    if (key.key === 'Escape') return 'close'
  }
  if (key.key === 'Enter' && !key.shiftKey && !key.altKey) return 'send'
  return 'none'
}
