/**
 * Markdown to a tree. CommonMark and GFM, with what chats do differently: raw HTML and platform markup is text, a quote
 * is only the lines that carry its mark, indentation alone makes no code, `5*6` is a product, and Chinese text after an
 * address is no part of it.
 */
import { createRequire } from 'node:module'
import type {
  Definition,
  Emphasis,
  Link,
  Nodes,
  PhrasingContent,
  Root,
  RootContent,
  Strong,
  Text,
} from 'mdast'
import { maskedRanges } from '../text/mask.js'
import { urlEnd } from '../text/urls.js'
import { markedDoc, paragraphsOf } from './marked.js'
import type { Doc } from './types.js'

/** Longer texts, and texts made to be slow, are read by a scanner that knows code, quotes and links only. */
const PARSER_UNITS = 100_000
/** The parser's time grows with the square of these marks in one paragraph. */
const PARSER_MARKS = 1_200
const PARSER_LINES = 10_000
const PARSER_DEPTH = 40

/** Characters that may mean something in Markdown wherever they stand. */
const SIGNIFICANT = /[\\`*_~[\]<>&|#\t\r\0\ufeff]|:\/\/|www\.|[a-z\d._+-]@/i
/** Lines that mean something by how they begin or end. */
const SIGNIFICANT_LINE = /^(?:[-+=:]|\d{1,9}[.)])|^\s|\s$/mu

type Branch = Extract<Nodes, { children: unknown[] }>

let parser: ((text: string) => Root) | undefined

/** Loads the parser ahead of need (some 60 ms and 12 MB, which a start does not pay). */
export function warmParser(): void {
  parser ??= load()
}

function load(): (text: string) => Root {
  const require = createRequire(import.meta.url)
  const { fromMarkdown } = require('mdast-util-from-markdown') as typeof import('mdast-util-from-markdown')
  const { gfm } = require('micromark-extension-gfm') as typeof import('micromark-extension-gfm')
  const { gfmFromMarkdown } = require('mdast-util-gfm') as typeof import('mdast-util-gfm')
  // One tilde is a range or a home folder: GFM strikes with two.
  const extensions = [
    gfm({ singleTilde: false }),
    { disable: { null: ['htmlFlow', 'htmlText', 'codeIndented'] } },
  ]
  // The transforms look for addresses a second time, by pattern, and leave nodes without positions.
  const mdastExtensions = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }))
  return (text) => fromMarkdown(text, { extensions, mdastExtensions })
}

/** Reads Markdown. Never throws; every node carries its position in `source`. */
export function parseDoc(text: string): Doc {
  const plain = plainDoc(text)
  if (plain !== undefined) return plain
  if (isHeavy(text)) return markedDoc(text, maskedRanges(text))
  return parseMarkdown(text)
}

/** The tree of a text in which nothing is Markdown, or undefined when something may be. */
export function plainDoc(text: string): Doc | undefined {
  if (SIGNIFICANT.test(text) || SIGNIFICANT_LINE.test(text.replace(/\n{2,}/g, '\n'))) return undefined
  if (text.startsWith('\n') || text.endsWith('\n')) return undefined
  const children = paragraphsOf(text)
  const end = children.at(-1)?.position?.end ?? { line: 1, column: 1, offset: 0 }
  return {
    type: 'root',
    children,
    position: { start: { line: 1, column: 1, offset: 0 }, end: { ...end } },
    source: text,
  }
}

/** Always the parser; `parseDoc` without its short cuts. */
export function parseMarkdown(text: string): Doc {
  parser ??= load()
  const children: RootContent[] = []
  let position: Root['position']
  let line = 0
  let from = 0
  for (const to of [...quoteEnds(text), text.length]) {
    const part = parser(text.slice(from, to))
    if (from > 0) shift(part, from, line)
    children.push(...part.children)
    if (position === undefined) position = part.position
    else if (part.position !== undefined) position = { start: position.start, end: part.position.end }
    for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) line++
    from = to
  }
  const root: Doc = { type: 'root', children, source: text }
  if (position !== undefined) root.position = position
  tidy(root, definitionsOf(root), text)
  return root
}

/** Offsets where a quote ends although the next line would go on with it lazily. */
function quoteEnds(text: string): number[] {
  if (!/^>/m.test(text)) return []
  const ends: number[] = []
  for (const range of maskedRanges(text)) {
    if (range.kind !== 'quote' || text[range.start] !== '>') continue
    const next = range.end + 1
    const newline = text.indexOf('\n', next)
    const line = text.slice(next, newline < 0 ? text.length : newline)
    if (line.trim() !== '' && !/^ {0,3}>/.test(line)) ends.push(next)
  }
  return ends
}

function isHeavy(text: string): boolean {
  if (text.length > PARSER_UNITS) return true
  if (text.length < PARSER_MARKS) return depthOf(text) > PARSER_DEPTH
  let marks = 0
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10) {
      lines++
      if (text.charCodeAt(at + 1) === 10) marks = 0
    } else if (code === 42 || code === 95 || code === 126 || code === 91) marks++
    if (marks > PARSER_MARKS || lines > PARSER_LINES) return true
  }
  return depthOf(text) > PARSER_DEPTH
}

/** The most container marks (`>`, bullets) that one line begins with. */
function depthOf(text: string): number {
  let deepest = 0
  for (const [prefix] of text.matchAll(/^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)+/gm)) {
    const marks = prefix.match(/>|[-*+]|\d+/g)?.length ?? 0
    deepest = Math.max(deepest, marks, prefix.length > 400 ? PARSER_DEPTH + 1 : 0)
  }
  return deepest
}

function shift(node: Nodes, offset: number, lines: number): void {
  if (node.position !== undefined && node.type !== 'mention') {
    const { start, end } = node.position as NonNullable<Root['position']>
    for (const point of [start, end]) {
      point.line += lines
      point.offset = (point.offset ?? 0) + offset
    }
  }
  if ('children' in node) for (const child of node.children) shift(child, offset, lines)
}

function definitionsOf(root: Branch, found = new Map<string, Definition>()): Map<string, Definition> {
  for (const child of root.children) {
    if (child.type === 'definition') {
      if (!found.has(child.identifier)) found.set(child.identifier, child)
    } else if ('children' in child) definitionsOf(child, found)
  }
  return found
}

/** References become the links they stand for, and addresses lose the Chinese text that follows them. */
function tidy(parent: Branch, definitions: ReadonlyMap<string, Definition>, source: string): void {
  const children: Nodes[] = []
  for (const child of parent.children as Nodes[]) {
    if ('children' in child) tidy(child, definitions, source)
    if (child.type === 'definition') continue
    children.push(...tidied(child, definitions, source))
  }
  for (let at = children.length - 1; at > 0; at--) {
    const [before, after] = [children[at - 1], children[at]]
    if (
      before?.type === 'text' &&
      after?.type === 'text' &&
      [before, after].every((n) => isVerbatim(n, source))
    ) {
      joinText(before, after)
      children.splice(at, 1)
    }
  }
  parent.children = children as never
}

/** Only such texts are joined: what follows an address is not decoded, what follows that may be. */
function isVerbatim(node: Text, source: string): boolean {
  return source.slice(node.position?.start.offset, node.position?.end.offset) === node.value
}

function joinText(before: Text, after: Text): void {
  before.value += after.value
  if (before.position !== undefined && after.position !== undefined) before.position.end = after.position.end
}

function tidied(node: Nodes, definitions: ReadonlyMap<string, Definition>, source: string): Nodes[] {
  if (node.type === 'linkReference' || node.type === 'imageReference') {
    const definition = definitions.get(node.identifier)
    if (definition === undefined) return [node]
    const common = { url: definition.url, title: definition.title ?? null, position: node.position }
    const made =
      node.type === 'linkReference'
        ? { type: 'link' as const, children: node.children, ...common }
        : { type: 'image' as const, alt: node.alt ?? null, ...common }
    return [made as Nodes]
  }
  if (node.type === 'emphasis' || node.type === 'strong')
    return isProduct(node, source) ? unmarked(node) : [node]
  return node.type === 'link' ? splitAddress(node, source) : [node]
}

/** `5*6 = 30 and 7*8`, `y*z + a*b`: stars between figures or names, and not around one part of a word. */
function isProduct({ position }: Emphasis | Strong, source: string): boolean {
  const start = position?.start.offset ?? 0
  const end = position?.end.offset ?? 0
  const before = source[start - 1] ?? ''
  if (source[start] !== '*') return false
  if (/[0-9]/.test(before)) return true
  const isBetween = /[A-Za-z]/.test(before) && /[A-Za-z0-9]/.test(source[end] ?? '')
  return isBetween && /\s/.test(source.slice(start, end))
}

/** The marks as they were written, around what they stood around. */
function unmarked({ type, position, children }: Emphasis | Strong): PhrasingContent[] {
  const value = type === 'strong' ? '**' : '*'
  if (position === undefined) return children
  const { start, end } = position
  const moved = (point: typeof start, by: number) => ({
    line: point.line,
    column: point.column + by,
    offset: (point.offset ?? 0) + by,
  })
  const size = value.length
  return [
    { type: 'text', value, position: { start, end: moved(start, size) } },
    ...children,
    { type: 'text', value, position: { start: moved(end, -size), end } },
  ]
}

/** `https://x.example/a这里` is an address and a word. */
function splitAddress(link: Link, source: string): PhrasingContent[] {
  const [label] = link.children
  const { start, end } = link.position ?? {}
  if (label?.type !== 'text' || link.children.length !== 1 || start?.offset === undefined) return [link]
  const written = source.slice(start.offset, end?.offset)
  if (written !== label.value || !/[^\0-\x7f]/.test(written)) return [link]
  const scheme = written.indexOf('://')
  const from = scheme < 0 ? 0 : scheme + 3
  const cut = urlEnd(written, from)
  const rest = written.slice(cut)
  if (cut <= from || !/^[.,:;!?'"*_~]*[^\0-\x7f]/.test(rest)) return [link]
  const at = (from: number, to: number) => ({
    start: { line: start.line, column: start.column + from, offset: (start.offset ?? 0) + from },
    end: { line: start.line, column: start.column + to, offset: (start.offset ?? 0) + to },
  })
  const nodes: PhrasingContent[] = []
  const text = (from: number, to: number): Text => ({
    type: 'text',
    value: written.slice(from, to),
    position: at(from, to),
  })
  const address = (from: number, to: number, url: string): void => {
    nodes.push({ type: 'link', title: null, url, children: [text(from, to)], position: at(from, to) })
  }
  const head = written.slice(0, cut)
  address(0, cut, /^www\./i.test(head) ? `http://${head}` : head)
  let done = cut
  // More addresses may be hidden in what the parser took for one.
  for (const range of maskedRanges(rest)) {
    if (range.kind !== 'url' && range.kind !== 'email') continue
    const value = rest.slice(range.start, range.end)
    if (range.start > done - cut) nodes.push(text(done, cut + range.start))
    const scheme = range.kind === 'email' ? 'mailto:' : /^www\./i.test(value) ? 'http://' : ''
    address(cut + range.start, cut + range.end, scheme + value)
    done = cut + range.end
  }
  if (done < written.length) nodes.push(text(done, written.length))
  return nodes
}
