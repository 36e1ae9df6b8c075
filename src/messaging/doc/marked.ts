/** Trees without a Markdown parser: plain text, and plain text in which somebody already knows what is what. */
import type { Paragraph, PhrasingContent, RootContent } from 'mdast'
import type { Doc, Mention } from './types.js'

/** Who is meant by a mention; a {@link Mention} without its place. */
export type MentionTarget = Pick<Mention, 'target' | 'name'> & { id?: string }

/**
 * A marked stretch of text. `fence` and `quote` stand on lines of their own, the others within a line. Marks are in
 * order and do not overlap; what overlaps an earlier mark is left out.
 */
export type Mark = { start: number; end: number } & (
  | { kind: 'code' | 'fence' | 'quote' | 'url' | 'email' }
  | { kind: 'link'; url?: string }
  | { kind: 'mention'; mention: MentionTarget }
)

/** Positions in a text, line and column counted once from the front. */
function pointer(text: string) {
  let at = 0
  let line = 1
  let lineStart = 0
  return (offset: number) => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) {
      line++
      lineStart = next + 1
      at = next + 1
    }
    return { line, column: offset - lineStart + 1, offset }
  }
}

/** The paragraphs of a text in which nothing is Markdown: what stands between blank lines. */
export function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = []
  const point = pointer(text)
  for (let from = 0; from < text.length; ) {
    const gap = text.indexOf('\n\n', from)
    const to = gap < 0 ? text.length : gap
    const start = point(from)
    const end = point(to)
    paragraphs.push({
      type: 'paragraph',
      children: [
        { type: 'text', value: text.slice(from, to), position: { start: { ...start }, end: { ...end } } },
      ],
      position: { start, end },
    })
    from = to
    while (text[from] === '\n') from++
  }
  return paragraphs
}

/**
 * A tree of plain text: nothing in it is Markdown but what `marks` say. For platforms that deliver text and the places
 * of code, quotes, links and mentions in it.
 */
export function markedDoc(text: string, marks: readonly Mark[] = []): Doc {
  const children: RootContent[] = []
  const point = pointer(text)
  let inline: PhrasingContent[] = []
  const position = (start: number, end: number) => ({ start: point(start), end: point(end) })
  const endParagraph = (): void => {
    const first = inline[0]?.position?.start
    const last = inline.at(-1)?.position?.end
    if (first !== undefined && last !== undefined) {
      children.push({ type: 'paragraph', children: inline, position: { start: first, end: last } as never })
    }
    inline = []
  }
  const addText = (from: number, to: number): void => {
    let start = from
    let end = to
    if (inline.length === 0) while (start < end && /[\r\n]/.test(text[start] ?? '')) start++
    if (end === text.length) while (end > start && /[\r\n]/.test(text[end - 1] ?? '')) end--
    if (start < end)
      inline.push({ type: 'text', value: text.slice(start, end), position: position(start, end) })
  }
  let from = 0
  for (const mark of marks) {
    if (mark.start < from || mark.end <= mark.start || mark.end > text.length) continue
    const block = mark.kind === 'fence' || mark.kind === 'quote'
    let before = mark.start
    if (block) while (before > from && /[\r\n]/.test(text[before - 1] ?? '')) before--
    addText(from, before)
    const at = position(mark.start, mark.end)
    const value = text.slice(mark.start, mark.end)
    const inner = { type: 'text' as const, value, position: position(mark.start, mark.end) }
    if (mark.kind === 'fence') {
      endParagraph()
      children.push({ type: 'code', lang: null, meta: null, value: fenced(value), position: at })
    } else if (mark.kind === 'quote') {
      endParagraph()
      inner.value = value.replace(/^ {0,3}>[ \t]?/gm, '')
      children.push({
        type: 'blockquote',
        children: [{ type: 'paragraph', children: [inner], position: { ...at } }],
        position: at,
      })
    } else if (mark.kind === 'code') {
      inline.push({ type: 'inlineCode', value: value.replace(/^(`+)([\s\S]*?)\1$/, '$2'), position: at })
    } else if (mark.kind === 'mention') {
      inline.push({ type: 'mention', ...mark.mention, position: at })
    } else {
      const url =
        ('url' in mark ? mark.url : undefined) ?? (mark.kind === 'email' ? `mailto:${value}` : value)
      inline.push({ type: 'link', url, title: null, children: [inner], position: at })
    }
    from = mark.end
  }
  addText(from, text.length)
  endParagraph()
  return { type: 'root', children, position: position(0, text.length), source: text }
}

/** The content of a fence with its marks, or the text itself when it has none. */
function fenced(text: string): string {
  const match = /^[^\n`~]*(`{3,}|~{3,})[^\n]*\n([\s\S]*)$/.exec(text)
  if (match === null) return text
  return (match[2] ?? '').replace(/\n?[ \t]*(?:`{3,}|~{3,})[ \t]*$/, '')
}
