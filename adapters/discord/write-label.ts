/**
 * What may stand in `[label](address)`. In a label Discord reads marks but no escapes, and it makes no link at all where
 * the label holds what could deceive: an address, a mention, an emoji (https://support.discord.com/hc/articles/210298617;
 * observed, not documented). Everything else is written as `label (address)`.
 */
import type { CodeRun, TextRun } from './write-run.js'

/** Marks that would be read in pairs, tokens, addresses, names of emoji. Whoever is called "everyone" is written apart. */
const READ =
  /\*.*\*|~~|\|\||`|_[^_]+_(?![A-Za-z0-9_])|__|<(?:[@#:/t]|a:|id:|[^: >]+:\/)|:\w+:|(?:https?|steam|discord):\/\/|discord\.gg\//i
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Regional_Indicator}/u
/** Brackets in a label come in pairs, one deep. */
const BALANCED = /^(?:\[[^[\]]*\]|[^[\]])*$/

export function canBeLabel(label: readonly (TextRun | CodeRun)[]): boolean {
  const whole = label.map(({ text }) => text).join('')
  if (!BALANCED.test(whole) || EMOJI.test(whole) || whole.includes('\\')) return false
  return label.every((run) => !READ.test(run.text) && (run.kind === 'text' || !isWide(run)))
}

/** It would page many. */
const isWide = ({ text }: TextRun | CodeRun): boolean => /@(?:everyone|here)/.test(text)

/** `@everyone` in a label would undo the link: a change of style in the middle of it does not show what it is made of. */
export function apart(label: readonly (TextRun | CodeRun)[]): readonly (TextRun | CodeRun)[] {
  if (!label.some(isWide)) return label
  return label.flatMap((run): (TextRun | CodeRun)[] => {
    if (!isWide(run) || run.kind === 'code') return [run]
    return run.text.split(/(?<=@)(everyone|here)/).map(
      (text, index): TextRun => ({
        kind: 'text',
        text,
        style: index % 2 === 1 ? { ...run.style, bold: run.style.bold !== true } : run.style,
      }),
    )
  })
}
