/** The text as it was written, with nothing changed but its mentions. */
import type { Nodes } from 'mdast'
import { plainText } from './plain.js'
import type { Doc, Mention } from './types.js'

/**
 * The verbatim source, each mention replaced by `mentionText`, or removed where that is null: one blank remains where a
 * removed mention stood between words, line breaks survive, and the result is trimmed.
 */
export function sourceText(doc: Doc, mentionText: (mention: Mention) => string | null): string {
  const { source } = doc
  if (source === undefined) return plainText(doc, { mentionText: (mention) => mentionText(mention) ?? '' })
  let text = ''
  let from = 0
  let removed = false
  const append = (part: string): void => {
    text = removed ? joined(text, part) : text + part
    removed = false
  }
  for (const { mention, start, end } of placed(doc)) {
    if (start < from) continue
    const shown = mentionText(mention)
    if (start > from || !removed) append(source.slice(from, start))
    if (shown === null) removed = true
    else append(shown)
    from = end
  }
  append(source.slice(from))
  return text.trim()
}

const WORD = /[\p{L}\p{N}]/u
const CLOSING = /^[,.;:!?)\]}，。；：！？、）】》」』”’]/

/** Two halves between which a mention was removed. */
function joined(before: string, after: string): string {
  const left = before.replace(/[ \t\u00a0\u3000]+$/, '')
  const right = after.replace(/^[ \t\u00a0\u3000]+/, '')
  const blanks = left.length < before.length || right.length < after.length
  if (left === '' || right === '' || left.endsWith('\n') || /^\r?\n/.test(right)) return left + right
  if (CLOSING.test(right)) return left + right
  const words = WORD.test(left.slice(-2)) && WORD.test(right.slice(0, 2))
  return blanks || words ? `${left} ${right}` : left + right
}

/**
 * The text as Markdown for a platform that reads Markdown: the source with its mentions in the platform's own form.
 * `escapeText` is given each run of plain text as it was written (never code, never an address) and makes harmless what the
 * platform would take for markup of its own, such as `<@1>` or `@everyone`. A tree without a source was never Markdown:
 * its text is written so that Markdown shows it as it is.
 */
export function toMarkdown(
  doc: Doc,
  mentionText: (mention: Mention) => string,
  escapeText: (text: string) => string = (text) => text,
): string {
  const { source } = doc
  if (source === undefined) return plainText(doc, { mentionText, text: (run) => literal(run, escapeText) })
  let text = ''
  let from = 0
  const walk = (node: Nodes): void => {
    if (node.type === 'text' || node.type === 'mention') {
      const start = node.position?.start.offset
      const end = node.position?.end.offset
      if (start === undefined || end === undefined || start < from) return
      text += source.slice(from, start)
      text += node.type === 'mention' ? mentionText(node) : escapeText(source.slice(start, end))
      from = end
    } else if ('children' in node && !isAddress(node, source)) for (const child of node.children) walk(child)
  }
  walk(doc)
  return text + source.slice(from)
}

/** Marks of Markdown, wherever they stand; and those that mean something at the front of a line. */
const MARKS = /([\\`*_~[\]<>|&#])/
const LINE_MARKS = /^([ \t]*)([-+=:]|\d{1,9}(?=[.)]))/gm

/** Text with every mark escaped: by the platform's own means where it has some, by a backslash otherwise. */
function literal(text: string, escapeText: (text: string) => string): string {
  const runs = text.split(MARKS).map((run, index) => {
    const escaped = escapeText(run)
    return index % 2 === 1 && escaped === run ? `\\${run}` : escaped
  })
  return runs
    .join('')
    .replace(LINE_MARKS, (_, indent: string, mark: string) =>
      /\d/.test(mark) ? `${indent}${mark}\\` : `${indent}\\${mark}`,
    )
}

function isAddress(node: Nodes, source: string): boolean {
  if (node.type !== 'link') return false
  const first = source[node.position?.start.offset ?? -1]
  return first !== '['
}

/** Mentions with a place in the source, in order, those in quotes as well. */
function placed(doc: Doc): { mention: Mention; start: number; end: number }[] {
  const found: { mention: Mention; start: number; end: number }[] = []
  const walk = (node: Nodes): void => {
    if (node.type === 'mention') {
      const start = node.position?.start.offset
      const end = node.position?.end.offset
      if (start !== undefined && end !== undefined) found.push({ mention: node, start, end })
    } else if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(doc)
  return found.sort((a, b) => a.start - b.start)
}
