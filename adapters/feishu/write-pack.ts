/** Units -> cards: as few as hold them, cut between units where that wastes little, else within one. */
import { CARD_BYTES, CARD_ELEMENTS, CARD_TABLES } from './limits.js'
import { standsAlone, unitMarkdown } from './write-card.js'
import { cutAt } from './write-cut.js'
import { escapeText } from './write-escape.js'
import { gap, shownUnit } from './write-shown.js'
import { type Run, rowRuns, trimmedRuns, type Unit } from './write-units.js'

/** A card is not left this empty (as a share) for the sake of a unit that could be cut. */
const FILL = 0.5
/** Bytes of an element without its content, and of a card without elements; generous. */
const ELEMENT = 110
const EMPTY = 300

interface Post {
  units: Unit[]
  shown: number
  bytes: number
  elements: number
  tables: number
}

const emptyPost = (): Post => ({ units: [], shown: 0, bytes: EMPTY, elements: 1, tables: 0 })
const bytes = (text: string): number => Buffer.byteLength(text)

/** Bytes of a text in the request that sends the card: JSON in JSON. */
export function requestBytes(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
  return /["\\\x00-\x1f\ud800-\udfff]/.test(text)
    ? bytes(JSON.stringify(JSON.stringify(text))) - 6
    : bytes(text)
}

/** @param most bytes of visible text a card */
export function pack(units: readonly Unit[], most: number): Unit[][] {
  const posts: Unit[][] = []
  const waiting = units.toReversed()
  let post = emptyPost()
  const close = (): void => {
    const orphan = trailingHeadings(post.units)
    const kept = post.units.slice(0, post.units.length - orphan.length)
    if (kept.length > 0 && orphan.length > 0) {
      waiting.push(...orphan.toReversed())
      posts.push(kept)
    } else if (post.units.length > 0) posts.push(post.units)
    post = emptyPost()
  }
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    if (take(post, unit, most)) continue
    const full = post.elements >= CARD_ELEMENTS || (unit.kind === 'table' && post.tables >= CARD_TABLES)
    const roomy = !full && post.shown < most * FILL && post.bytes < CARD_BYTES * FILL
    const cut = roomy ? cutUnit(unit, roomFor(post, unit, most)) : undefined
    if (cut !== undefined && take(post, cut[0], most)) {
      waiting.push(cut[1])
      close()
    } else if (post.units.length > 0) {
      waiting.push(unit)
      close()
    } else if (unit.kind === 'table') waiting.push(...tableLines(unit).toReversed())
    else {
      // Not one character of it fits: it is the card, whatever Feishu says to it.
      posts.push([unit])
      post = emptyPost()
    }
  }
  if (post.units.length > 0) posts.push(post.units)
  return posts
}

/** A heading belongs to what follows it. */
function trailingHeadings(units: readonly Unit[]): Unit[] {
  let from = units.length
  for (
    let unit = units[from - 1];
    unit?.kind === 'para' && unit.heading !== undefined;
    unit = units[from - 1]
  )
    from--
  return from === 0 ? [] : units.slice(from)
}

function take(post: Post, unit: Unit, most: number): boolean {
  const before = post.units.at(-1)
  const shown = post.shown + bytes(gap(before, unit)) + bytes(shownUnit(unit))
  const alone = standsAlone(unit)
  const elements = post.elements + (alone ? 2 : 0)
  const tables = post.tables + (unit.kind === 'table' ? 1 : 0)
  if (shown > most || elements > CARD_ELEMENTS || tables > CARD_TABLES) return false
  const total = post.bytes + costOf(unit) + (alone ? 2 * ELEMENT : 0)
  if (total > CARD_BYTES) return false
  post.units.push(unit)
  Object.assign(post, { shown, bytes: total, elements, tables })
  return true
}

/** Bytes that a unit adds to a card, with its gap and, in a list, its indentation. */
function costOf(unit: Unit): number {
  const indent = unit.kind === 'item' ? unit.level * 8 : 0
  return requestBytes(unitMarkdown(unit)) + 6 + indent
}

interface Room {
  shown: number
  bytes: number
}

function roomFor(post: Post, unit: Unit, most: number): Room {
  const before = post.units.at(-1)
  return {
    shown: most - post.shown - bytes(gap(before, unit)),
    bytes: CARD_BYTES - post.bytes - (standsAlone(unit) ? 2 * ELEMENT : 0) - ELEMENT,
  }
}

/** Two units that together show what one shows; undefined where nothing of it fits. */
function cutUnit(unit: Unit, room: Room): [Unit, Unit] | undefined {
  switch (unit.kind) {
    case 'rule':
      return undefined
    case 'table':
      return cutTable(unit, room)
    case 'code': {
      const at = cutAt(
        unit.text,
        fitting(unit.text, room, (text) => text),
        'code',
      )
      const rest = unit.text.slice(at).replace(/^\n/, '')
      if (at <= 0 || rest.trim() === '') return undefined
      const first = unit.text.slice(0, at)
      return first.trim() === ''
        ? undefined
        : [
            { ...unit, text: first },
            { ...unit, text: rest },
          ]
    }
    case 'quote': {
      // Each line has a mark: three bytes of a short line, at worst.
      const cut = cutRuns(unit.runs, { shown: Math.floor(room.shown / 3), bytes: Math.floor(room.bytes / 3) })
      return cut === undefined
        ? undefined
        : [
            { ...unit, runs: cut[0] },
            { ...unit, runs: cut[1] },
          ]
    }
    case 'item': {
      const marks = 2 * unit.level + 16
      const cut = cutRuns(unit.runs, { shown: room.shown - marks, bytes: room.bytes - 4 * marks })
      return cut === undefined
        ? undefined
        : [
            { ...unit, runs: cut[0] },
            { kind: 'para', runs: cut[1] },
          ]
    }
    case 'para': {
      const cut = cutRuns(unit.runs, room)
      if (cut === undefined) return undefined
      const { heading: _, line: __, ...rest } = unit
      return [
        { ...rest, runs: cut[0], ...(unit.line && { line: true }) },
        { ...rest, runs: cut[1] },
      ]
    }
  }
}

type Table = Extract<Unit, { kind: 'table' }>

/** Behind a row; the rest begins with the header again. */
function cutTable(unit: Table, room: Room): [Unit, Unit] | undefined {
  const [header] = unit.rows
  if (header === undefined) return undefined
  const fits = (count: number): boolean => {
    const part: Table = { ...unit, rows: unit.rows.slice(0, count) }
    return bytes(shownUnit(part)) <= room.shown && costOf(part) <= room.bytes
  }
  let low = 1
  let high = unit.rows.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  if (low < 2 || !fits(low)) return undefined
  return [
    { ...unit, rows: unit.rows.slice(0, low) },
    { ...unit, rows: [header, ...unit.rows.slice(low)] },
  ]
}

/** Rows as lines of text, for a table of which not even a row fits. */
function tableLines({ rows }: Table): Unit[] {
  return rows.flatMap((row, index): Unit[] => {
    const runs = rowRuns(row)
    if (runs.length === 0) return []
    return [index === 0 ? { kind: 'para', runs } : { kind: 'para', runs, line: true }]
  })
}

/** Most characters of a text that fit, seen and sent. */
function fitting(text: string, room: Room, written: (text: string) => string): number {
  const fits = (end: number): boolean => {
    const part = text.slice(0, end)
    return bytes(part) <= room.shown && requestBytes(written(part)) <= room.bytes
  }
  let low = 0
  let high = Math.max(0, Math.min(text.length, room.shown))
  if (fits(high)) return high
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Bytes of marks around text that is bold, italic and struck through, and of a link's brackets. */
const MARKS = 16

/** Cuts within text, or beside what must stay whole: a mention, a link, code. */
function cutRuns(runs: readonly Run[], room: Room): [Run[], Run[]] | undefined {
  let { shown, bytes: left } = room
  let index = 0
  for (; index < runs.length; index++) {
    const run = runs[index] as Run
    const own = requestBytes(unitMarkdown({ kind: 'para', runs: [run] })) + MARKS
    if (bytes(run.shown) > shown || own > left) break
    shown -= bytes(run.shown)
    left -= own
  }
  const run = runs[index]
  if (run === undefined) return undefined
  const first = runs.slice(0, index)
  const rest = runs.slice(index + 1)
  if (run.kind === 'text' || run.kind === 'code') {
    const room = { shown, bytes: left - MARKS }
    const most = fitting(run.shown, room, (text) => (run.kind === 'code' ? text : escapeText(text, true)))
    // A short token of code is not torn apart for the room that is left.
    const whole = run.kind === 'code' && bytes(run.shown) <= room.shown + 400 && index > 0
    const at = whole ? 0 : cutAt(run.shown, most)
    if (at > 0 && at < run.shown.length) {
      return sides(
        [...first, { ...run, shown: run.shown.slice(0, at) }],
        [{ ...run, shown: run.shown.slice(at) }, ...rest],
      )
    }
  }
  return sides(first, [run, ...rest])
}

/** Undefined where one side would show nothing. */
function sides(first: Run[], rest: Run[]): [Run[], Run[]] | undefined {
  const before = trimmedRuns(first, 'end')
  const after = trimmedRuns(rest, 'start')
  return before.length === 0 || after.length === 0 ? undefined : [before, after]
}
