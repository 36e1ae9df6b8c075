/** Units -> posts: as few as hold them, cut between units where that wastes little, else within one. */
import { MOST_BLOCK_UNITS, MOST_BLOCKS } from './limits.js'
import type { Leaf } from './rich.js'
import { cutAt } from './write-cut.js'
import { gap, shownUnit } from './write-shown.js'
import { drawTables, rowCost, tableLines } from './write-table.js'
import { joinRuns, type Run, type Unit } from './write-units.js'

/** A post is not left this empty (as a share) for the sake of a unit that could be cut. */
const FILL = 0.5
/** JSON around a unit that begins a new element, list or block; generous. */
const WRAPPING = 110

interface Post {
  units: Unit[]
  shown: number
  cost: number
  blocks: number
  tables: number
}

const emptyPost = (): Post => ({ units: [], shown: 0, cost: 60, blocks: 1, tables: 0 })

/** @param most visible characters (UTF-16 units) a post */
export function pack(units: readonly Unit[], most: number): Unit[][] {
  const posts: Unit[][] = []
  const waiting: Unit[] = drawTables(units).toReversed()
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
    const roomy = post.shown < most * FILL && post.cost < MOST_BLOCK_UNITS * FILL
    const cut = roomy && post.blocks < MOST_BLOCKS ? cutUnit(unit, roomFor(post, unit, most)) : undefined
    if (cut !== undefined && take(post, cut[0], most)) {
      waiting.push(cut[1])
      close()
    } else if (post.units.length > 0) {
      waiting.push(unit)
      close()
    } else if (unit.kind === 'table') {
      waiting.push(...tableLines(unit).toReversed())
    } else {
      // Not one character of it fits: it is the post, whatever Slack says to it.
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
  for (let unit = units[from - 1]; unit?.kind === 'para' && unit.heading; unit = units[from - 1]) from--
  return from === 0 ? [] : units.slice(from)
}

function take(post: Post, unit: Unit, most: number): boolean {
  const before = post.units.at(-1)
  const shown = post.shown + gap(before, unit).length + shownUnit(unit).length
  const cost = post.cost + costOf(unit, before)
  const standsAlone = unit.kind === 'rule' || unit.kind === 'table'
  const blocks = post.blocks + (standsAlone ? 2 : 0)
  const tables = post.tables + (unit.kind === 'table' ? 1 : 0)
  if (shown > most || cost > MOST_BLOCK_UNITS || blocks > MOST_BLOCKS || tables > 1) return false
  post.units.push(unit)
  Object.assign(post, { shown, cost, blocks, tables })
  return true
}

/** Characters of JSON that a unit adds to a post; never too few. */
function costOf(unit: Unit, before: Unit | undefined): number {
  switch (unit.kind) {
    case 'rule':
      return WRAPPING
    case 'code':
      return WRAPPING + json(unit.text)
    case 'table':
      return WRAPPING + unit.rows.reduce((sum, row) => sum + rowCost(row), 40 * unit.align.length)
    case 'para': {
      const first = unit.runs[0]?.leaf
      const last = before?.kind === 'para' ? before.runs.at(-1)?.leaf : undefined
      // Plain paragraphs become one text.
      const joined = first?.type === 'text' && last?.type === 'text' && !first.style && !last.style
      return leaves(unit.runs) + (joined ? 4 - 27 : before?.kind === 'para' ? 40 : WRAPPING)
    }
    default:
      return WRAPPING + leaves(unit.runs)
  }
}

/** Length of a text as JSON. */
const json = (text: string): number =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
  /["\\\x00-\x1f\ud800-\udfff]/.test(text) ? JSON.stringify(text).length : text.length + 2

/** Length of a leaf as JSON, with its comma; never too short. */
function leafCost({ type, style, ...leaf }: Leaf): number {
  const styled = style === undefined ? 0 : 12 + 14 * Object.keys(style).length
  if ('user_id' in leaf) return 28 + json(leaf.user_id) + styled
  const url = 'url' in leaf ? json(leaf.url) + 8 : 0
  return type.length + 22 + url + (leaf.text === undefined ? 0 : json(leaf.text)) + styled
}

const leaves = (runs: readonly Run[]): number => runs.reduce((sum, { leaf }) => sum + leafCost(leaf), 0)

interface Room {
  shown: number
  cost: number
}

function roomFor(post: Post, unit: Unit, most: number): Room {
  const before = post.units.at(-1)
  return {
    shown: most - post.shown - gap(before, unit).length,
    cost: MOST_BLOCK_UNITS - post.cost - WRAPPING,
  }
}

/** Two units that together show what one shows; undefined where nothing of it fits. */
function cutUnit(unit: Unit, room: Room): [Unit, Unit] | undefined {
  switch (unit.kind) {
    case 'rule':
    case 'table':
      return undefined
    case 'code': {
      // Quoted code has a mark on each line.
      const shown = unit.quoted ? Math.floor(room.shown / 3) : room.shown
      const at = cutAt(unit.text, Math.min(shown, fitting(unit.text, room.cost)), 'code')
      if (at <= 0 || at >= unit.text.length) return undefined
      const rest = unit.text.slice(at).replace(/^\n/, '')
      return rest === ''
        ? undefined
        : [
            { ...unit, text: unit.text.slice(0, at) },
            { ...unit, text: rest },
          ]
    }
    default: {
      const marks = unit.kind === 'para' ? 0 : unit.kind === 'item' ? 2 * unit.level + 16 : 2
      const lines = unit.kind === 'quote' || (unit.kind === 'item' && unit.quoted)
      const shown = lines ? Math.floor(room.shown / 3) : room.shown
      const cut = cutRuns(unit.runs, { shown: shown - marks, cost: room.cost })
      if (cut === undefined) return undefined
      const rest: Unit =
        unit.kind === 'quote' || (unit.kind === 'item' && unit.quoted)
          ? { kind: 'quote', runs: cut[1] }
          : { kind: 'para', runs: cut[1], heading: unit.kind === 'para' && unit.heading, line: false }
      return [{ ...unit, runs: cut[0], ...(unit.kind === 'para' && { heading: false }) }, rest]
    }
  }
}

/** Most characters of a text whose JSON is not longer than `cost`. */
function fitting(text: string, cost: number): number {
  if (json(text) <= cost) return text.length
  let low = 0
  let high = Math.min(text.length, cost)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (json(text.slice(0, middle)) <= cost) low = middle
    else high = middle - 1
  }
  return low
}

/** Cuts within text, or beside what must stay whole: a mention, a link, a code token. */
function cutRuns(runs: readonly Run[], room: Room): [Run[], Run[]] | undefined {
  let { shown, cost } = room
  let index = 0
  for (; index < runs.length; index++) {
    const run = runs[index] as Run
    const own = leafCost(run.leaf)
    if (run.shown.length > shown || own > cost) break
    shown -= run.shown.length
    cost -= own
  }
  const run = runs[index]
  if (run === undefined) return undefined
  const atomic = run.leaf.type !== 'text' || run.leaf.style?.code === true
  // A token goes whole into the next post, unless it is the first here: then no post holds it.
  if (!atomic || index === 0) {
    const cut = cutRun(run, shown, cost, index === 0)
    if (cut !== undefined) return tidy([...runs.slice(0, index), cut[0]], [cut[1], ...runs.slice(index + 1)])
  }
  return index === 0 ? undefined : tidy(runs.slice(0, index), runs.slice(index))
}

function cutRun(
  { leaf, shown: text }: Run,
  shown: number,
  cost: number,
  must: boolean,
): [Run, Run] | undefined {
  if (leaf.type === 'user') return undefined
  const around = leafCost({ ...leaf, text: '' })
  const most = Math.min(shown, fitting(text, cost - around))
  const at = cutAt(text, most, leaf.style?.code === true ? 'code' : 'text')
  // A few letters in front are not worth a cut through a word.
  if (at <= 0 || at >= text.length || (!must && at < 8 && !/\s/.test(text[at] ?? ''))) return undefined
  const part = (value: string): Run => ({ leaf: { ...leaf, text: value }, shown: value })
  return [part(text.slice(0, at)), part(text.slice(at))]
}

/** Blanks at a cut are dropped, but not those of code. */
function tidy(before: readonly Run[], after: readonly Run[]): [Run[], Run[]] | undefined {
  const head = joinRuns(trim(before, 'end'))
  const tail = joinRuns(trim(after, 'start'))
  return head.length === 0 || tail.length === 0 ? undefined : [head, tail]
}

function trim(runs: readonly Run[], side: 'start' | 'end'): Run[] {
  const kept = [...runs]
  for (;;) {
    const index = side === 'start' ? 0 : kept.length - 1
    const run = kept[index]
    if (run?.leaf.type !== 'text' || run.leaf.style?.code === true) return kept
    const shown = side === 'start' ? run.shown.trimStart() : run.shown.trimEnd()
    if (shown !== '') {
      kept[index] = { leaf: { ...run.leaf, text: shown }, shown }
      return kept
    }
    kept.splice(index, 1)
  }
}
