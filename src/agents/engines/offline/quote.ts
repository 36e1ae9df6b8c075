/** Other people's words as they may stand in an answer: they ping nobody, wake nobody and break no frame. */

const CODE = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/

/** `@` in front of a name, outside code and e-mail addresses, is dropped: a quoted mention is not a mention. */
export function quiet(text: string): string {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/(?<![A-Za-z0-9._%+-])[@＠](?=\S)/gu, '')))
    .join('')
}

/** One line of somebody's text, shortened with `…`. */
export function oneLine(text: string, characters = 240): string {
  const flat = [
    ...quiet(text)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  return flat.length <= characters
    ? flat.join('')
    : `${flat
        .slice(0, characters - 1)
        .join('')
        .trimEnd()}…`
}

/** A name for a list: one short line without the marks that structure one. */
export function shortName(name: string): string {
  return oneLine(name.replace(/[*_`[\]<>:：]+/g, ' '), 40)
}

/** `2026-03-01 10:22 UTC`; empty where the time is none. */
export function moment(at: unknown): string {
  const date = new Date(typeof at === 'number' || typeof at === 'string' ? at : Number.NaN)
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
