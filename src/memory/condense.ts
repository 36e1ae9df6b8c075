/**
 * Keeps a memory file within its bound. Old lines of Project context and Decisions move to an archive file beside it,
 * in full; one line in their place says how many there were, what they were about, and where they are. Members, unknown
 * sections, prose and comments are never touched.
 */
import { keywords } from '../messaging/text/score.js'
import { type Entry, parseDocument, removeEntries, type SectionName, TITLES } from './document.js'
import { sameness } from './line.js'

/** Most characters Golem lets a memory file grow to by its own lines: what an agent can be shown whole. */
export const FILE_CHARACTERS = 16_000
/** What a summary step leaves, as a share of the bound, so that the next line does not need another step. */
const LEFT = 0.7
/** The newest lines of a section are never moved. */
const NEWEST = 5
const QUOTED = 3
const QUOTE_CHARACTERS = 90

export interface Condensed {
  text: string
  /** Lines that left the file, by section, oldest first, as they stood. */
  moved: { section: SectionName; lines: string[] }[]
}

/** The entry's first clause, with `…` where more follows in the archive. */
function opening(text: string): string {
  const characters = [...text]
  if (characters.length <= QUOTE_CHARACTERS) return text
  const cut = characters.slice(0, QUOTE_CHARACTERS).join('')
  const end = Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('，'), cut.lastIndexOf('。'))
  return `${cut.slice(0, end > QUOTE_CHARACTERS / 2 ? end : undefined).trimEnd()}…`
}

/** The entries that say most of what all of them say: an extract, in their own words and order. */
function central(entries: readonly Entry[]): Entry[] {
  const seen = new Map<string, number>()
  for (const entry of entries)
    for (const word of keywords(entry.text)) seen.set(word, (seen.get(word) ?? 0) + 1)
  const weigh = (entry: Entry): number => {
    const words = keywords(entry.text)
    return words.reduce((sum, word) => sum + (seen.get(word) ?? 0), 0) / Math.sqrt(words.length + 1)
  }
  return entries
    .map((entry) => ({ entry, weight: weigh(entry) }))
    .sort((a, b) => b.weight - a.weight || a.entry.from - b.entry.from)
    .slice(0, QUOTED)
    .map((item) => item.entry)
    .sort((a, b) => a.from - b.from)
}

function summaryLine(entries: readonly Entry[], title: string, archive: string): string {
  const quotes = central(entries).map((entry) => opening(entry.text))
  return /\p{Script=Han}/u.test(title)
    ? `（较早的 ${entries.length} 行的摘录，全文见 ${archive}）${quotes.join('；')}`
    : `(Extract of ${entries.length} older lines, in full in ${archive}) ${quotes.join('; ')}`
}

/**
 * `text` within `limit` characters, or null where what may be moved is not enough.
 *
 * @param archive name of the file that the moved lines go to, named in the text
 */
export function condense(text: string, archive: string, limit = FILE_CHARACTERS): Condensed | null {
  const moved: Condensed['moved'] = []
  let next = text
  // The section with most to move goes first; each is stepped through once.
  const order = (['context', 'decisions'] as const)
    .map((name) => ({ name, size: movable(text, name).reduce((sum, entry) => sum + entry.text.length, 0) }))
    .sort((a, b) => b.size - a.size)
  for (const { name } of order) {
    if (next.length <= limit * LEFT) break
    const candidates = movable(next, name)
    const gone: Entry[] = []
    const { lines, sections } = parseDocument(next)
    const title = sections.find((section) => section.name === name)?.title ?? TITLES.en[name]
    const own = (entry: Entry): string => lines.slice(entry.from, entry.to).join('')
    let size = next.length
    for (const entry of candidates) {
      if (size <= limit * LEFT - QUOTED * QUOTE_CHARACTERS) break
      gone.push(entry)
      size -= own(entry).length
    }
    const shorter = removeEntries(next, gone, summaryLine(gone, title, archive))
    if (gone.length < 2 || shorter.length >= next.length) continue
    moved.push({ section: name, lines: gone.map((entry) => own(entry).replace(/\r?\n$/, '')) })
    next = shorter
  }
  return next.length <= limit && moved.length > 0 ? { text: next, moved } : null
}

function movable(text: string, name: SectionName): Entry[] {
  const all = parseDocument(text).sections.filter((section) => section.name === name)
  // A nested bullet moves with the bullet that holds it.
  const tops = all
    .flatMap((section) => section.entries)
    .filter((entry, _, entries) => !entries.some((other) => other.from < entry.from && other.to > entry.from))
  return tops.slice(0, Math.max(0, tops.length - NEWEST))
}

/** The archive's text with more lines; those that it already ends with are not said again. */
export function archived(text: string, form: string, day: string, moved: Condensed['moved']): string {
  let next = text === '' ? `# Archive of ${form}\n` : text
  const known = new Set(text.split('\n').map(sameness))
  for (const { section, lines } of moved) {
    const fresh = lines.filter((line) => line.split('\n').some((part) => !known.has(sameness(part))))
    if (fresh.length > 0) next += `\n## ${TITLES.en[section]}, moved ${day}\n${fresh.join('\n')}\n`
  }
  return next
}
