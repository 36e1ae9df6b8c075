/** What stands within a line of a document, as runs. */
import type { PhrasingContent } from 'mdast'
import { type Mention, plainText } from '../../src/messaging/contract.js'
import { snowflake } from './shape.js'
import { clean } from './write-escape.js'
import { canBeLabel } from './write-label.js'
import { type CodeRun, type Line, plain, type Run, type Style, shownRun, type TextRun } from './write-run.js'

const MOST_URL = 1_000
const MOST_DEPTH = 100

/** The lines of phrasing content. Text may still hold line breaks. */
export function linesOf(nodes: readonly PhrasingContent[], style: Style = {}): Line[] {
  const runs: Run[] = []
  for (const node of nodes) addRuns(node, style, runs, 0)
  return [runs]
}

function addRuns(node: PhrasingContent, style: Style, runs: Run[], depth: number): void {
  if (depth > MOST_DEPTH) {
    runs.push(plain(plainText(node), style))
    return
  }
  const inside = (children: readonly PhrasingContent[], styled: Style): void => {
    for (const child of children) addRuns(child, styled, runs, depth + 1)
  }
  switch (node.type) {
    case 'text':
    case 'html':
      runs.push(plain(node.value, style))
      return
    case 'inlineCode':
      runs.push(code(node.value))
      return
    case 'break':
      runs.push(plain('\n'))
      return
    case 'strong':
      inside(node.children, { ...style, bold: true })
      return
    case 'emphasis':
      inside(node.children, { ...style, italic: true })
      return
    case 'delete':
      inside(node.children, { ...style, strike: true })
      return
    case 'mention':
      runs.push(mentionRun(node, style))
      return
    case 'link':
      runs.push(...linkRuns(node.url, labelOf(node.children, style, depth), style))
      return
    case 'image':
      runs.push(...linkRuns(node.url, node.alt ? [plain(oneLine(node.alt), style)] : [], style))
      return
    case 'imageReference':
      runs.push(plain(node.alt ?? '', style))
      return
    case 'footnoteReference':
      runs.push(plain(`[${node.identifier}]`, style))
      return
    case 'linkReference':
      inside(node.children, style)
  }
}

const oneLine = (text: string): string => (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, ' ') : text)

function code(value: string): Run {
  const text = oneLine(clean(value))
  return text.trim() === '' ? plain(text) : { kind: 'code', text }
}

/** Only a person whose id is known is paged; roles and "everyone" never are, whatever the text says. */
function mentionRun({ target, id, name }: Mention, style: Style): Run {
  const text = `@${oneLine(clean(name)).trim()}`
  return target === 'user' && snowflake(id) !== undefined && id !== undefined
    ? { kind: 'mention', id, text, style }
    : plain(text, style)
}

/** A label holds text and code; whoever is named in it is named, not paged. */
function labelOf(children: readonly PhrasingContent[], style: Style, depth: number): (TextRun | CodeRun)[] {
  const runs: Run[] = []
  for (const child of children) addRuns(child, style, runs, depth + 1)
  return runs.map((run): TextRun | CodeRun =>
    run.kind === 'code'
      ? run
      : { kind: 'text', text: oneLine(shownRun(run)), style: 'style' in run ? run.style : {} },
  )
}

/** What Discord makes a link of. What is none (`./notes.md`) stays text with its address behind it. */
function isAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(url) && url.length <= MOST_URL && URL.canParse(url)
}

function linkRuns(address: string, label: (TextRun | CodeRun)[], style: Style): Run[] {
  const url = clean(address)
  const shown = label.map(({ text }) => text).join('')
  if (!isAddress(url)) {
    const isBare = shown === url || `mailto:${shown}` === url || url === ''
    return isBare ? label : [...label, plain(shown === '' ? url : ` (${url})`, style)]
  }
  if (shown.trim() === '' || shown === url) return [bare(url)]
  if (canBeLabel(label)) return [{ kind: 'link', url: encoded(url), label }]
  return [...label, plain(' (', style), bare(url), plain(')', style)]
}

/** The address itself, as a link. */
const bare = (url: string): Run => ({ kind: 'link', url: url.replace(/[\s<>]/g, percent), label: [] })

const percent = (mark: string): string => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`

/** What would end the address early, in the form every server takes for the same. */
function encoded(url: string): string {
  if (!/[\s<>\\*~|`()]/.test(url)) return url
  const escaped = url.replace(/[\s<>\\*~|`]/g, percent)
  const open = escaped.replace(/\([^\s()]*\)/g, '')
  return /[()]/.test(open) ? escaped.replace(/\(/g, '%28').replace(/\)/g, '%29') : escaped
}

const styleKey = ({ bold, italic, strike }: Style): string =>
  `${bold ? 'b' : ''}${italic ? 'i' : ''}${strike ? 's' : ''}`

export const sameStyle = (a: Style, b: Style): boolean => a === b || styleKey(a) === styleKey(b)

/** Joins neighbours of one style, drops empty ones. */
export function joinRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at] as Run
    if (run.kind !== 'text') {
      joined.push(run)
      continue
    }
    let { text } = run
    for (let next = runs[at + 1]; next?.kind === 'text'; next = runs[at + 1]) {
      if (next.text !== '' && !sameStyle(next.style, run.style)) break
      text += next.text
      at++
    }
    if (text !== '') joined.push(text === run.text ? run : { ...run, text })
  }
  return joined
}
