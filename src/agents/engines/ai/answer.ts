/** Which of the texts of a turn people get. */
import type { Language } from '../../../messaging/roster.js'

/** A text before a tool call that is no longer than this, and one paragraph, only says what comes next. */
const NARRATION = 300

/**
 * The answer of a turn in which the model spoke several times, with tool calls between: what it said last. A line such
 * as "Let me look that up" before a tool call is for those who watch and is not posted; a text of some length before a
 * tool call is part of the answer, because models save a note after they have said everything.
 *
 * @param texts one a reply of the model, in order
 */
export function answerOf(texts: readonly string[]): string {
  const said = texts.map((text) => text.trim()).filter((text) => text !== '')
  const last = said.at(-1) ?? ''
  const before = said.slice(0, -1).filter((text) => text.length > NARRATION || /\n\s*\n/.test(text))
  return [...before, last].join('\n\n')
}

const ENDINGS = {
  en: {
    cut: '_(The reply broke off here.)_',
    length: '_(The reply reached its length limit here.)_',
    steps: '_(The model wanted to go on, but had no step left in this turn.)_',
  },
  zh: {
    cut: '_（回复在此处中断。）_',
    length: '_（回复在此处达到长度上限。）_',
    steps: '_（模型还想继续，但本轮的步数已用完。）_',
  },
} as const

/** The line under an answer that is not whole. */
export function ending(why: keyof typeof ENDINGS.en, language: Language): string {
  return ENDINGS[language][why]
}
