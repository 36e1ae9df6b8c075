/**
 * Text as Discord shows it letter by letter. What its app reads as markup is described at
 * https://support.discord.com/hc/articles/210298617 and https://docs.discord.com/developers/reference#message-formatting;
 * a backslash in front of any mark takes its meaning away.
 */

/** Shows nothing and parts marks that would be read together. */
export const JOINER = '\u200b'

/**
 * Emphasis, code, spoilers, masked links, tokens (`<@1>`, `<t:0>`), addresses, names of emoji, and whom Discord would
 * highlight. A single `|` or `:` is left alone.
 */
const MARKS =
  /[\\*_~`[]|\|(?=\||$)|(?<=^|\|)\||<(?=\S|$)|:(?=\w+:)|@(?=everyone|here)|(?<=(?:https?|steam|discord):)\/(?=\/)/gi

/** What has a meaning only where a line begins: headings, small print, quotes, lists. */
const LINE = /^(\s*)(#{1,3}(?=\s|$)|-#(?=\s|$)|[-+](?=\s|$)|>|\d+(?=\.(?:\s|$)))/

/** @param begins it stands at the beginning of a line */
export function escapeText(text: string, begins = false): string {
  const escaped = QUIET.test(text) ? text : text.replace(MARKS, '\\$&')
  if (!begins) return escaped
  return escaped.replace(LINE, (_, blank: string, mark: string) =>
    /\d$/.test(mark) ? `${blank}${mark}\\` : `${blank}\\${mark}`,
  )
}

/** Without marks and pairs of units: most text. */
const QUIET = /^[^\\*_~`[|<:@/\ud800-\udbff]*$/

/** Size of a text once it is escaped, within a line. */
export const escapedSize = (text: string): number =>
  QUIET.test(text) ? text.length : sizeOf(escapeText(text))

/** Characters, as Discord counts them: code points. */
export function sizeOf(text: string): number {
  let pairs = 0
  if (/[\ud800-\udbff]/.test(text)) for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs++
  return text.length - pairs
}

/** Without what is no text: control characters, halves of characters. */
export function clean(text: string): string {
  return /^[\n\t\x20-\x7e\xa0-\ud7ff]*$/.test(text)
    ? text
    : text
        .replace(/\r\n?/g, '\n')
        .replace(/(?![\n\t])\p{Cc}/gu, '')
        .replace(/\p{Cs}/gu, '\ufffd')
}
