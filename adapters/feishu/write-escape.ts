/**
 * Text that is shown as it is. A card's Markdown has no backslash for that but character references
 * (https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text, "escaping").
 * Beside Markdown's marks these are tags (`<at id=all>` pages everybody), emoji (`:OK:`) and formulas (`$`).
 */

const reference = (mark: string): string => `&#${mark.charCodeAt(0)};`

/** Marks wherever they stand. */
const MARKS = /[<>*~`[\]\\$|]/g
/** What would be read as a reference; one may begin where the text ends. */
const REFERENCES = /&(?=#?[A-Za-z0-9]+;|$)/g
const UNDERSCORES = /(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g
/** `!` in front of a link would make it an image. */
const IMAGE = /!$/
const EMOJI = /:(?=[A-Za-z0-9_]+:)/g
/** In an address that is found by its looks a reference stays as it is written: such an address must not be found. */
const ADDRESS = /((?:https?|ftp)(?=:\/\/)|www)([:.])(?=\S*&#\d+;)/gi
const LINE = /^([#+=-])|^(\d{1,9})([.)])/gm

/** One line without any of these; most text is that. */
const QUIET = /^[^\n<>*~`[\]\\$|&_!:\ud800-\udfff]*$/

/** @param lineStart the text begins a line */
export function escapeText(text: string, lineStart: boolean): string {
  if (QUIET.test(text)) return lineStart ? escapeStarts(text) : text
  let escaped = wellFormed(text)
    .replace(REFERENCES, reference)
    .replace(MARKS, reference)
    .replace(UNDERSCORES, reference)
    .replace(IMAGE, reference)
  if (escaped.includes(':')) escaped = escaped.replace(EMOJI, reference)
  if (escaped.includes('&#'))
    escaped = escaped.replace(ADDRESS, (_, front: string, mark: string) => front + reference(mark))
  if (!lineStart && !escaped.includes('\n')) return escaped
  const first = lineStart ? 0 : escaped.indexOf('\n')
  return escaped.slice(0, first) + escapeStarts(escaped.slice(first))
}

/** What has a meaning only where a line begins. Four blanks would make code of a line. */
function escapeStarts(lines: string): string {
  return lines
    .replace(/^[ \t]+/gm, '')
    .replace(LINE, (_, mark: string | undefined, digits: string, point: string) =>
      mark === undefined ? digits + reference(point) : reference(mark),
    )
}

/** Half a character is refused by whoever reads JSON strictly. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    : text
}

/** An address between the parentheses of a link. */
export function escapeAddress(url: string): string {
  return url
    .replace(/[\s<>()\\"]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/&(?=#?[A-Za-z0-9]+;)/g, reference('&'))
}

/** Code within a line. @param cell of a table, whose bars are marks even in code */
export function codeSpan(code: string, cell: boolean): string {
  const text = wellFormed(code).replace(/\s*\n\s*/g, ' ')
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = /^`|`$|^ .*[^ ].* $/.test(text) ? ' ' : ''
  const inner = cell ? text.replaceAll('|', '\\|') : text
  return fence + pad + inner + pad + fence
}

export function codeBlock(code: string, lang: string | null): string {
  const text = wellFormed(code)
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const named = lang !== null && /^[\w+#.-]{1,40}$/.test(lang) ? lang : ''
  return `${fence}${named}\n${text}\n${fence}`
}
