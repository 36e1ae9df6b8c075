/**
 * A memory file as text: found, read and changed by line. Nothing is ever re-rendered, so everything a person wrote -
 * unknown sections, comments, blank lines, line ends - survives byte for byte.
 */
import { sameness } from './line.js'
import { bare, lineEnd, splitLines } from './merge.js'

/** The sections Golem knows; a file may hold any others beside them. */
export type SectionName = 'members' | 'context' | 'decisions'

export const SECTION_NAMES: readonly SectionName[] = ['members', 'context', 'decisions']
export const TITLES = {
  en: { members: 'Members', context: 'Project context', decisions: 'Decisions' },
  zh: { members: '成员', context: '项目上下文', decisions: '决策记录' },
} as const

const KNOWN: ReadonlyMap<string, SectionName> = new Map([
  ...['members', 'member', 'people', '成员', '成員', '群成员'].map((title) => [title, 'members'] as const),
  ...['project context', 'context', 'project', '项目上下文', '項目上下文', '上下文', '项目背景'].map(
    (title) => [title, 'context'] as const,
  ),
  ...['decisions', 'decision', 'decision log', '决策记录', '決策記錄', '决策', '决定'].map(
    (title) => [title, 'decisions'] as const,
  ),
])

/** The section a title or a tool's argument means, in either language. */
export function sectionOf(title: string): SectionName | null {
  return (
    KNOWN.get(
      title
        .normalize('NFKC')
        .replace(/[*_:\s]+$|^[*_\s]+/g, '')
        .replace(/\s+/g, ' ')
        .toLowerCase(),
    ) ?? null
  )
}

/** One bullet. Its lines are `from` (inclusive) to `to` (exclusive). */
export interface Entry {
  text: string
  from: number
  to: number
}

export interface Section {
  /** Null for a section Golem does not know. */
  name: SectionName | null
  title: string
  /** Line of the heading; the section ends before `to`. */
  from: number
  to: number
  entries: Entry[]
}

export interface MemoryDocument {
  /** With their line ends. */
  lines: string[]
  /** The key that the heading names, if there is a heading. */
  key: string | null
  /** Its line, or -1. */
  keyLine: number
  sections: Section[]
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const BULLET = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Reads a memory file. Never throws: what it does not know it leaves alone. */
export function parseDocument(text: string): MemoryDocument {
  const lines = splitLines(text)
  const sections: Section[] = []
  let key: string | null = null
  let keyLine = -1
  let fence = ''
  let comment = false
  let open: { entry: Entry; indent: number }[] = []

  const close = (line: number, indent: number): void => {
    for (const item of open) if (item.indent >= indent) item.entry.to = line
    open = open.filter((item) => item.indent < indent)
  }

  lines.forEach((raw, index) => {
    const line = bare(index === 0 ? raw.replace(/^\ufeff/, '') : raw)
    if (fence !== '') {
      if (line.trim().startsWith(fence) && /^[`~\s]+$/.test(line)) fence = ''
      return
    }
    const commented = comment
    comment = stillCommented(line, comment)
    if (commented) return
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined) {
      fence = mark
      close(index, 0)
      return
    }
    const heading = HEADING.exec(line)
    if (heading) {
      close(index, 0)
      const last = sections.at(-1)
      if (last) last.to = index
      const title = (heading[2] ?? '').trim()
      const group = /^group\s*[:：]\s*(.+)$/i.exec(title.normalize('NFC'))
      if (heading[1] === '#' && key === null && group?.[1] !== undefined) {
        key = group[1].trim()
        keyLine = index
      }
      sections.push({
        name: heading[1] === '#' ? null : sectionOf(title),
        title,
        from: index,
        to: lines.length,
        entries: [],
      })
      return
    }
    const bullet = BULLET.exec(line)
    if (bullet) {
      const indent = (bullet[1] ?? '').length
      close(index, indent)
      const entry: Entry = { text: (bullet[2] ?? '').trim(), from: index, to: index + 1 }
      open.push({ entry, indent })
      sections.at(-1)?.entries.push(entry)
      return
    }
    // An indented line goes on with the bullet above; a blank or plain one ends it.
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0
    close(index, line.trim() === '' ? 0 : indent)
  })
  close(lines.length, 0)
  for (const section of sections) for (const entry of section.entries) entry.to = trimEnd(lines, entry)
  return { lines, key, keyLine, sections }
}

function stillCommented(line: string, inside: boolean): boolean {
  const opened = line.lastIndexOf('<!--')
  const closed = line.lastIndexOf('-->')
  if (opened < 0 && closed < 0) return inside
  return opened > closed
}

/** An entry never owns the blank lines after it. */
function trimEnd(lines: readonly string[], entry: Entry): number {
  let to = entry.to
  while (to > entry.from + 1 && bare(lines[to - 1] ?? '').trim() === '') to--
  return to
}

/** What an agent and a receipt want to know of the file: its lines by section. */
export function entriesOf(text: string): Record<SectionName, string[]> {
  const out: Record<SectionName, string[]> = { members: [], context: [], decisions: [] }
  for (const section of parseDocument(text).sections) {
    if (section.name) out[section.name].push(...section.entries.map((entry) => entry.text))
  }
  return out
}

/** The first text of a chat's file. */
export function emptyDocument(form: string, language: 'en' | 'zh'): string {
  const titles = TITLES[language]
  return `# Group: ${form}\n${SECTION_NAMES.map((name) => `\n## ${titles[name]}\n`).join('')}`
}

function insertLine(lines: string[], at: number, line: string): void {
  const end = lineEnd(lines)
  const before = lines[at - 1]
  if (before !== undefined && !before.endsWith('\n')) lines[at - 1] = before + end
  lines.splice(at, 0, line + end)
}

/** `text` with a heading that names its chat: put in front where there is none, corrected where it names another. */
export function withHeading(
  text: string,
  form: string,
  isOwn = (key: string): boolean => key === form,
): string {
  const { lines, key, keyLine } = parseDocument(text)
  if (key !== null && isOwn(key)) return text
  if (key !== null) {
    lines[keyLine] = `# Group: ${form}${lineEnd(lines.slice(keyLine))}`
    return lines.join('')
  }
  const end = lineEnd(lines)
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  return `${mark}# Group: ${form}${end}${text.trim() === '' ? '' : end}${text.slice(mark.length)}`
}

/** `text` with one more bullet at the end of a section, which is made where it is missing. */
export function addEntry(text: string, name: SectionName, line: string, language: 'en' | 'zh'): string {
  const { lines, sections } = parseDocument(text)
  const section = sections.find((item) => item.name === name)
  if (!section) {
    const chinese = sections.some((item) => item.name && /\p{Script=Han}/u.test(item.title))
    const english = sections.some((item) => item.name && !/\p{Script=Han}/u.test(item.title))
    const title = TITLES[chinese ? 'zh' : english ? 'en' : language][name]
    if (bare(lines.at(-1) ?? '').trim() !== '') insertLine(lines, lines.length, '')
    insertLine(lines, lines.length, `## ${title}`)
    insertLine(lines, lines.length, `- ${line}`)
    return lines.join('')
  }
  let at = Math.max(section.from + 1, ...section.entries.map((entry) => entry.to))
  if (section.entries.length === 0) {
    for (let index = section.from + 1; index < section.to; index++) {
      if (bare(lines[index] ?? '').trim() !== '') at = index + 1
    }
  }
  insertLine(lines, at, `- ${line}`)
  return lines.join('')
}

/** `text` without some entries, and with a line of its own in the place of the first where `instead` is given. */
export function removeEntries(text: string, entries: readonly Entry[], instead?: string): string {
  const { lines } = parseDocument(text)
  const gone = new Set(
    entries.flatMap((entry) => Array.from({ length: entry.to - entry.from }, (_, n) => entry.from + n)),
  )
  const first = Math.min(...gone)
  const end = lineEnd(lines)
  return lines
    .flatMap((line, index) => {
      if (!gone.has(index)) return [line]
      return index === first && instead !== undefined ? [`- ${instead}${end}`] : []
    })
    .join('')
}

/** `text` with one entry's first line said anew; its bullet, indentation and line end stay. */
export function replaceEntry(text: string, entry: Entry, line: string): string {
  const { lines } = parseDocument(text)
  const old = lines[entry.from] ?? ''
  const at = old.lastIndexOf(entry.text)
  lines[entry.from] = old.slice(0, at) + line + old.slice(at + entry.text.length)
  return lines.join('')
}

/** The bullets that say `line`: those with the same words, else those that hold it. */
export function findEntries(text: string, line: string): Entry[] {
  const wanted = sameness(line)
  if (wanted === '') return []
  const all = parseDocument(text).sections.flatMap((section) => section.entries)
  const same = all.filter((entry) => sameness(entry.text) === wanted)
  // A letter or two would be found in almost any line.
  if (same.length > 0 || [...wanted].length < (/\p{Script=Han}/u.test(wanted) ? 2 : 3)) return same
  return all.filter((entry) => sameness(entry.text).includes(wanted))
}
