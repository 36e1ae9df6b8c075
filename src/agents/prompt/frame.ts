/**
 * The frame of a prompt: every line that somebody else wrote begins with {@link DATA}, and no line of Golem's own does.
 * So no text from outside can look like a line of Golem's, or like another person's.
 */

/** In front of what people, bots, files and memory say. */
export const DATA = '> '
/** In front of what the people who run Golem have set: instructions, descriptions, names of teammates. */
export const SET = '| '
/** The second and further lines of one message. */
const FURTHER = '  '

/** Everything that any reader may take for the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
/** Controls that show nothing but may move a cursor or end a text; tabs stay. */
const CONTROLS = /[^\P{Cc}\t]/gu

export function linesOf(text: string): string[] {
  return text.split(LINE_END).map((line) => line.replace(CONTROLS, ''))
}

/** A block of data. */
export function data(text: string): string[] {
  return linesOf(text).map((line) => `${DATA}${line}`)
}

/** A block that golem.yaml or a person with the right has set. */
export function set(text: string): string[] {
  return linesOf(text).map((line) => `${SET}${line}`)
}

/** One message: `> [Ann] first line`, then `>   further lines`. @param speaker holds no bracket and no line end */
export function said(speaker: string, text: string): string[] {
  return linesOf(text).map((line, index) => `${DATA}${index === 0 ? `[${speaker}] ` : FURTHER}${line}`)
}
