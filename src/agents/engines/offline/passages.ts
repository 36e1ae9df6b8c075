/** How well a passage answers a question, and the part of it worth quoting. Pure and deterministic. */
import { keywords, matches, tokens } from '../../../messaging/text/score.js'

/** Longest passage quoted whole. */
const PASSAGE_CHARACTERS = 900
/** Words of asking: they say that something is asked, not what about. */
const ASKING = new Set(
  keywords(
    'explain describe show find look search know knows mean means info information question answer give list detail about help need kind sort exactly mind work works working 解释 说明 介绍 告诉 知道 查找 搜索 查询 详细 具体 关于 问题 工作',
  ),
)
/** Whether a token only says that something is asked. */
export function isAsking(token: string): boolean {
  return ASKING.has(token)
}

/** Characters of Chinese asking and grammar that carry no subject. */
const GRAMMAR = new Set([
  ...'的了吗呢吧啊嘛是有在和与或我你他她它们这那个些么什怎哪谁请问一下会不能可以如何为都就还很也要想给把被让对从到用没得着过吧吗样里上中时候多少几',
])
const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** Words that stand everywhere, such as the bot's own name, say little. */
const COMMON_WEIGHT = 0.3
const TEXT_WEIGHT = 0.7

interface Unit {
  weight: number
  /** Tokens that meet this unit in full. */
  tokens: readonly string[]
  /** One character that meets it by half. */
  character: string | null
}

export interface Question {
  text: string
  units: readonly Unit[]
  tokens: ReadonlySet<string>
  /** Words that are no news in an answer: the question's own, and the names of the bot and its agents. */
  known: ReadonlySet<string>
  /** What to search the index for. Empty: there is nothing to search for. */
  query: string
}

/**
 * What a question is about.
 *
 * @param common words that weigh little: names of the bot and its agents
 */
export function questionOf(text: string, common: readonly string[]): Question {
  const weak = new Set(common.flatMap(tokens))
  const words = keywords(text).filter((word) => !HAN.test(word) && !ASKING.has(word))
  const units: Unit[] = words.map((word) => ({
    weight: weak.has(word) ? COMMON_WEIGHT : 1,
    tokens: [word],
    character: null,
  }))
  const seen = new Set<string>()
  const characters = [...text.normalize('NFKC').toLowerCase()]
  characters.forEach((character, index) => {
    if (!HAN.test(character) || GRAMMAR.has(character) || seen.has(character)) return
    seen.add(character)
    const around = [`${characters[index - 1]}${character}`, `${character}${characters[index + 1]}`, character]
    const pairs = around.filter((pair) => [...pair].every((one) => HAN.test(one)))
    if (pairs.some((pair) => ASKING.has(pair))) return
    // A Chinese word has about two characters.
    units.push({ weight: 0.5, tokens: pairs, character })
  })
  const query = units.length === 0 ? '' : keywords(text).join(' ').slice(0, 400)
  const own = tokens(text)
  return { text, units, tokens: new Set(own), known: new Set([...own, ...weak]), query }
}

interface Field {
  tokens: ReadonlySet<string>
  text: string
}

/** Fields that were made lately: the same few passages are looked at again and again. */
const fields = new Map<string, Field>()
const FIELDS = 256
const FIELD_CHARACTERS = 8_000

function fieldOf(text: string): Field {
  const known = fields.get(text)
  if (known) return known
  const field = { tokens: new Set(tokens(text)), text: text.normalize('NFKC').toLowerCase() }
  if (text.length <= FIELD_CHARACTERS) fields.set(text, field)
  const [oldest] = fields.keys()
  if (fields.size > FIELDS && oldest !== undefined) fields.delete(oldest)
  return field
}

function met(unit: Unit, field: Field): number {
  if (unit.character === null) return Math.max(0, ...matches(unit.tokens, field.tokens))
  if (unit.tokens.some((token) => token.length > 1 && field.tokens.has(token))) return 1
  return field.text.includes(unit.character) ? 0.5 : 0
}

export interface Passage {
  /** What is cited, without the dash. */
  source: string
  title: string
  text: string
}

export interface Scored<P> {
  passage: P
  /** The share of the question that the passage meets, rare words counting more; a little over 1 at most. */
  score: number
  /** The title or heading takes part in it. */
  titled: boolean
}

/** Passages with the share of the question they meet, best first. Words that many of them hold count less. */
export function rank<P extends Passage>(question: Question, passages: readonly P[]): Scored<P>[] {
  const looked = passages.map((passage) => {
    const [title, text] = [fieldOf(passage.title), fieldOf(passage.text)]
    return {
      passage,
      met: question.units.map((unit) => ({ title: met(unit, title), text: met(unit, text) })),
    }
  })
  const weights = question.units.map((unit, index) => {
    const count = looked.filter((item) => item.met[index]?.title === 1 || item.met[index]?.text === 1).length
    return unit.weight / Math.sqrt(Math.max(1, count))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const chinese = HAN.test(question.text)
  return looked
    .map(({ passage, met: found }) => {
      let [score, inTitle, some] = [0, 0, 0]
      found.forEach((unit, index) => {
        const best = Math.max(unit.title, unit.text * TEXT_WEIGHT)
        score += best * (weights[index] ?? 0)
        if (unit.title > 0.5) inTitle++
        if (best > 0) some++
      })
      const share = total === 0 ? 0 : score / total
      const own = HAN.test(passage.title + passage.text.slice(0, 40)) === chinese ? 0.05 : 0
      // Of two titles that hold the question's words, the one that asks nothing else is meant.
      const titleWords = keywords(passage.title)
      const asked = matches(titleWords, question.tokens).reduce((sum, weight) => sum + weight, 0)
      const close = titleWords.length === 0 ? 0 : (0.15 * asked) / titleWords.length
      const same = 0.05 * likeness(tokens(passage.title), question.tokens)
      // A single word in passing text is a coincidence more often than an answer.
      const titled = inTitle > 0
      const weak = !titled && (some < 2 || share < 0.6)
      return { passage, score: share === 0 ? 0 : weak ? share / 2 : share + own + close + same, titled }
    })
    .filter((scored) => scored.score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        compare(a.passage.source, b.passage.source) ||
        compare(a.passage.title, b.passage.title) ||
        compare(a.passage.text, b.passage.text),
    )
}

/** The share of all words, the small ones too, that two texts have in common. */
function likeness(words: readonly string[], others: ReadonlySet<string>): number {
  const own = new Set(words)
  const both = [...own].filter((word) => others.has(word)).length
  return both / Math.max(1, own.size + others.size - both)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The share of the question, 0..1, that a plain line meets. */
export function shareOf(question: Question, line: string): number {
  const field = fieldOf(line)
  const total = question.units.reduce((sum, unit) => sum + unit.weight, 0)
  const share = question.units.reduce((sum, unit) => sum + unit.weight * met(unit, field), 0)
  return total === 0 ? 0 : share / total
}

/** Like {@link shareOf}, but 0 for a line that says no more than the question does. */
export function coverLine(question: Question, line: string): number {
  return keywords(line).every((word) => question.known.has(word)) ? 0 : shareOf(question, line)
}

/** Paragraphs, with fenced code kept whole. */
function paragraphs(text: string): string[] {
  const out: string[] = []
  let fence = ''
  let current: string[] = []
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && mark !== '') fence = mark
    else if (fence !== '' && mark.startsWith(fence)) fence = ''
    if (fence === '' && line.trim() === '') {
      if (current.length > 0) out.push(current.join('\n'))
      current = []
    } else current.push(line)
  }
  if (current.length > 0) out.push(current.join('\n'))
  return out
}

/** The passage, or, where it is long, the paragraphs that meet the question best, in their order. */
export function excerpt(question: Question, text: string): { text: string; whole: boolean } {
  const trimmed = text.trim()
  if (trimmed.length <= PASSAGE_CHARACTERS) return { text: trimmed, whole: true }
  const parts = paragraphs(trimmed).map((part, index) => ({ part, index, score: shareOf(question, part) }))
  const picked: typeof parts = []
  let room = PASSAGE_CHARACTERS
  for (const item of [...parts].sort((a, b) => b.score - a.score || a.index - b.index)) {
    if (item.part.length > room) continue
    picked.push(item)
    room -= item.part.length
  }
  if (picked.length > 0) {
    const chosen = picked.sort((a, b) => a.index - b.index).map((item) => item.part)
    return { text: chosen.join('\n\n'), whole: picked.length === parts.length }
  }
  // One paragraph as long as all that: its first sentences, cut where one ends.
  const head = [...trimmed].slice(0, PASSAGE_CHARACTERS).join('')
  const end = Math.max(head.lastIndexOf('. '), head.lastIndexOf('。'), head.lastIndexOf('\n'))
  const cut = end > PASSAGE_CHARACTERS / 3 ? head.slice(0, end + 1) : `${head}…`
  const open = (cut.match(/^ {0,3}(`{3,}|~{3,})/gm) ?? []).length % 2 === 1
  return { text: open ? `${cut.trimEnd()}\n\`\`\`` : cut.trimEnd(), whole: false }
}
