/**
 * The text rule for `@Name`: where a mention may start, where a name ends, and which name it is.
 *
 * Used by the server for roster names and outbound names, and by the console's page for its composer, so that both
 * agree; therefore it imports nothing outside this folder and nothing of Node. Names are data, never patterns.
 */
import { foldAt, foldName } from './fold.js'
import { codePointBefore, isCjk, isWordCharacter, scriptsOf } from './scripts.js'

/** Somebody who can be named. */
export interface Candidate {
  readonly name: string
  readonly aliases?: readonly string[]
}

/** `start` is the offset of the `@`, `end` the one after the name, both in UTF-16 units of the text as written. */
export interface FoundMention<C extends Candidate> {
  readonly candidate: C
  readonly start: number
  readonly end: number
}

/** What looks like a mention and is none. */
export interface NearMiss {
  /** The name it looks like. */
  readonly name: string
  readonly start: number
  readonly end: number
  /**
   * `cjk`: Chinese, Japanese or Korean text follows directly · `continues`: a longer name or word · `boundary`: what
   * stands before the `@` · `ambiguous`: two have this name · `masked`: inside code, a quote or a link.
   */
  readonly kind: 'cjk' | 'continues' | 'boundary' | 'ambiguous' | 'masked'
  /** One sentence: why it counts as none and how to write it. */
  readonly hint: string
}

export interface MentionOptions {
  /** CJK name directly followed by CJK text: `strict` (default) is no mention, `longest` takes the longest known name. */
  cjkNames?: 'strict' | 'longest'
  /** The text with code, quotes and links masked, of the same length; see `maskText`. */
  masked?: string
}

export interface Mentions<C extends Candidate> {
  mentions: FoundMention<C>[]
  nearMisses: NearMiss[]
}

/** Longer names are no names: nobody types them, and hostile member lists may hold them. */
const NAME_UNITS = 128

const OPENING = /^[\s*~<'"\p{Ps}\p{Pi}]$/u
const FORMAT = /^\p{Cf}$/u
const MARK = /^\p{M}$/u
const CJK_PUNCTUATION = /^[—…’”\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f\uff3b-\uff40\uff5b-\uff65]$/

/** Whether the `@` at `at` may start a mention, by what stands before it. */
export function isMentionBoundary(text: string, at: number): boolean {
  let start = at
  let before = codePointBefore(text, start)
  // Marks that show nothing (direction, joiners, zero-width blanks) are looked through.
  while (before !== undefined && before >= 0xad && FORMAT.test(String.fromCodePoint(before))) {
    start -= before > 0xffff ? 2 : 1
    before = codePointBefore(text, start)
  }
  // An underscore is emphasis when it opens a word and part of the word otherwise: `_@Otto_` and `snake_@Otto`.
  while (before === 0x5f) before = codePointBefore(text, --start)
  if (before === undefined) return true
  if (before === 0x40 || before === 0xff20) return false
  const character = String.fromCodePoint(before)
  if (OPENING.test(character) || CJK_PUNCTUATION.test(character)) return true
  return before >= 0x2e80 && isCjk(scriptsOf(before))
}

type Continuation = 'ends' | 'continues' | 'cjk'

/** Scripts of the last letter of a name: what decides whether the next letter goes on. */
function lastScripts(name: string): number {
  for (let at = name.length; at > 0; ) {
    const codePoint = codePointBefore(name, at) ?? 0
    at -= codePoint > 0xffff ? 2 : 1
    const scripts = scriptsOf(codePoint)
    if (scripts !== 0 && isWordCharacter(codePoint)) return scripts
  }
  return 0
}

/** Joins two halves of a name when a letter or digit follows: `mybot-dev`, `bob.smith`, `a_b`, `约翰·史密斯`. */
const JOINERS = new Set(['-', '.', '_', '\u00b7', '\u2010', '\u2011'])

function continuation(scripts: number, text: string, at: number): Continuation {
  let next = at
  while (text[next] === '\u200c' || text[next] === '\u200d') next++
  const codePoint = text.codePointAt(next)
  if (codePoint === undefined) return 'ends'
  const character = String.fromCodePoint(codePoint)
  if (codePoint >= 0x300 && MARK.test(character)) return 'continues'
  if (isWordCharacter(codePoint)) {
    const own = scriptsOf(codePoint)
    if (own === 0) return 'continues'
    if (scripts === 0) return isCjk(own) ? 'ends' : 'continues'
    if ((scripts & own) === 0) return 'ends'
    return isCjk(scripts) ? 'cjk' : 'continues'
  }
  if (!JOINERS.has(character)) return 'ends'
  let after = next + 1
  if (character === '_') while (text[after] === '_') after++
  const following = text.codePointAt(after)
  return following !== undefined && isWordCharacter(following) ? 'continues' : 'ends'
}

/** Whether `rest`, the text directly after `name`, makes it another, longer name. */
export function isNameContinuation(name: string, rest: string): boolean {
  return continuation(lastScripts(name), rest, 0) !== 'ends'
}

interface Entry<C extends Candidate> {
  key: string
  name: string
  scripts: number
  candidates: C[]
}

/**
 * Names prepared for look-up. Build it once for a roster or member list that is asked often; `findMentions` builds one
 * itself when it is handed plain candidates.
 */
export class NameIndex<C extends Candidate> {
  /** By folded name, sorted by it: the names that begin with what has been read so far are always neighbours. */
  readonly #entries: Entry<C>[]

  constructor(candidates: Iterable<C>) {
    const entries = new Map<string, Entry<C>>()
    for (const candidate of candidates) {
      for (const raw of [candidate.name, ...(candidate.aliases ?? [])]) {
        const name = raw
          .trim()
          .replace(/^[@＠]/, '')
          .trim()
        if (name === '' || name.length > NAME_UNITS) continue
        const key = foldName(name)
        const entry = entries.get(key)
        if (entry === undefined) {
          entries.set(key, { key, name, scripts: lastScripts(name), candidates: [candidate] })
        } else if (!entry.candidates.includes(candidate)) entry.candidates.push(candidate)
      }
    }
    this.#entries = [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** The names that stand at `from`, longest first, with the offset where each ends. */
  at(text: string, from: number): { entry: Entry<C>; end: number }[] {
    const found: { entry: Entry<C>; end: number }[] = []
    let low = 0
    let high = this.#entries.length
    let depth = 0
    for (let at = from; at < text.length && low < high; ) {
      const { folded, end, last } = foldAt(text, at)
      for (let unit = 0; unit < folded.length && low < high; unit++, depth++) {
        const wanted = folded.charCodeAt(unit)
        low = this.#firstFrom(low, high, depth, wanted)
        high = this.#firstFrom(low, high, depth, wanted + 1)
      }
      const entry = this.#entries[low]
      if (low < high && entry?.key.length === depth) found.push({ entry, end })
      if (last) break
      at = end
    }
    return found.reverse()
  }

  /** The first entry whose unit at `depth` is `wanted` or more; a shorter name comes before every unit. */
  #firstFrom(from: number, to: number, depth: number, wanted: number): number {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >> 1
      const unit = this.#entries[middle]?.key.charCodeAt(depth) ?? 0
      if (unit >= wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Offsets of `@` and `＠`, in order, in one pass over the text. */
function* ats(text: string): Generator<number, void, number | undefined> {
  let from = 0
  let ascii = text.indexOf('@')
  let wide = text.indexOf('＠')
  while (ascii >= 0 || wide >= 0) {
    const at = ascii < 0 || (wide >= 0 && wide < ascii) ? wide : ascii
    from = (yield at) ?? at + 1
    if (ascii >= 0 && ascii < from) ascii = text.indexOf('@', from)
    if (wide >= 0 && wide < from) wide = text.indexOf('＠', from)
  }
}

/** Characters before an `@` that make it surely no mention: nothing to report. */
function isSilentBefore(text: string, at: number): boolean {
  const before = codePointBefore(text, at)
  return (
    before === undefined || isWordCharacter(before) || '@＠/._-`\uFFFC'.includes(String.fromCodePoint(before))
  )
}

const HINTS: Record<NearMiss['kind'], (name: string) => string> = {
  cjk: (name) => `Text follows @${name} directly, so it may be a longer name; put a blank after @${name}.`,
  continues: (name) => `@${name} goes on as a longer name; put a blank after @${name} if it was meant.`,
  boundary: (name) => `A mention starts at the beginning or after a blank; put a blank before @${name}.`,
  ambiguous: (name) => `More than one has the name ${name}; use a name that only one of them has.`,
  masked: (name) =>
    `@${name} stands inside code, a quote or a link, which addresses nobody; write it outside.`,
}

function nearMiss(kind: NearMiss['kind'], name: string, start: number, end: number): NearMiss {
  return { name, start, end, kind, hint: HINTS[kind](name) }
}

/**
 * Who is named in a text: longest known name first, caseless, whatever form of Unicode it is written in. Each `@` gives
 * at most one mention or one near miss, in the order of the text. Linear in the text.
 */
export function findMentions<C extends Candidate>(
  text: string,
  candidates: readonly C[] | NameIndex<C>,
  options: MentionOptions = {},
): Mentions<C> {
  const found: Mentions<C> = { mentions: [], nearMisses: [] }
  if (!text.includes('@') && !text.includes('＠')) return found
  const masked = options.masked ?? text
  if (masked.length !== text.length) {
    throw new RangeError(`findMentions: the masked text has ${masked.length} units, the text ${text.length}`)
  }
  const index = candidates instanceof NameIndex ? candidates : new NameIndex(candidates)
  const places = ats(text)
  for (let place = places.next(); !place.done; ) {
    const at = place.value
    const outcome = read(text, masked, at, index, options.cjkNames ?? 'strict')
    if (outcome !== undefined && 'candidate' in outcome) found.mentions.push(outcome)
    else if (outcome !== undefined) found.nearMisses.push(outcome)
    place = places.next(outcome !== undefined && 'candidate' in outcome ? outcome.end : at + 1)
  }
  return found
}

function read<C extends Candidate>(
  text: string,
  masked: string,
  at: number,
  index: NameIndex<C>,
  cjkNames: 'strict' | 'longest',
): FoundMention<C> | NearMiss | undefined {
  const hidden = masked[at] !== text[at]
  const view = hidden ? text : masked
  const boundary = isMentionBoundary(view, at) || (hidden && view[at - 1] === '`')
  if (!boundary && (hidden || isSilentBefore(view, at))) return undefined
  let miss: NearMiss | undefined
  for (const { entry, end } of index.at(view, at + 1)) {
    const next = continuation(entry.scripts, view, end)
    if (next === 'continues' || (next === 'cjk' && cjkNames === 'strict')) {
      if (!hidden && boundary) miss ??= nearMiss(next, entry.name, at, end)
      continue
    }
    if (hidden) return nearMiss('masked', entry.name, at, end)
    if (!boundary) return nearMiss('boundary', entry.name, at, end)
    const [candidate, second] = entry.candidates
    if (candidate === undefined) continue
    if (second !== undefined) return nearMiss('ambiguous', entry.name, at, end)
    return { candidate, start: at, end }
  }
  return miss
}

/**
 * `@everyone` as a person types it to a room's agents. Hand it to {@link findMentions} beside the agents, so that an
 * agent named "All Stars" keeps its name.
 */
export const EVERYONE: Candidate = Object.freeze({
  name: 'everyone',
  aliases: Object.freeze(['all', '所有人', '全体成员', '全體成員']),
})

/** Whether the text calls all agents at once. The platform's own broadcast is no text and never comes here. */
export function isEveryone(text: string, masked?: string): boolean {
  return findMentions(text, [EVERYONE], masked === undefined ? {} : { masked }).mentions.length > 0
}
