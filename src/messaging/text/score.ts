/**
 * Words of a text, and how well a text fits a field described by words. Dependency-free and deterministic: the
 * full-text index, the local router and the smart gate all count the same words, so they can never disagree.
 *
 * Latin-like scripts give lower-cased, lightly stemmed words. Scripts that write no blanks (Han, kana, Hangul) give
 * overlapping pairs of characters: they need no dictionary and work for names and new terms alike.
 */

const CJK_CLASS = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}々〆ー]'
const CJK = new RegExp(CJK_CLASS, 'u')
const WORD_OR_CJK = new RegExp(`${CJK_CLASS}+|(?:(?!${CJK_CLASS})[\\p{L}\\p{N}\\p{M}])+`, 'gu')
/** Chinese particles that stand between words and belong to none worth finding. */
const PARTICLES = /[的吗嗎呢吧啊嘛呀]+/u

const STOP_WORDS = new Set(
  (
    'a about am an and any are as at be been but by can could did do does for from get give got had has have he her ' +
    'here hi him his how i if in into is it its just let like make may me mine more my no not of on one or our out ' +
    'please s she should so some someone tell than thank thanks that the their them then there these they this those to too ' +
    'up us use very want was we were what when where which who whom whose why will with would you your yours t re ll ve ' +
    'm d hello hey ok okay yes everyone anybody anyone somebody something anything ' +
    '什么 怎么 怎样 如何 为何 为什 么样 我们 你们 他们 她们 它们 大家 这个 那个 这些 那些 哪些 哪个 哪里 是否 可以 能否 能不 一下 请问 ' +
    '请帮 帮我 告诉 诉我 有没 没有 是不 不是 是什 是谁 有什 有哪 谁是 你好 您好 谢谢 一个 这样 那样 如果 因为 所以 但是 而且 ' +
    '是 有 在 和 与 或 我 你 他 她 它 谁 请 了 吗 呢 不 也 都 就 还 很'
  ).split(' '),
)

/** Suffixes that make a doer or a deed from the same root: `review` - `reviewer`, `deploy` - `deployment`. */
const KIN_SUFFIX = /^(?:e?r|or|ers?|ors?|ion|ation|ment|ist|ian|al|ly|e|y|able|ity)$/u

/**
 * A word's root by the plainest English rules; a word they do not fit stays as it is. Asked again until nothing
 * changes, so that the root of a root is itself: tokens may be searched for as they are.
 */
export function stem(word: string): string {
  const root = cutOnce(word)
  return root === word ? word : stem(root)
}

function cutOnce(word: string): string {
  if (word.length < 4 || /[^a-z]/u.test(word)) return word
  let root = word
  if (root.endsWith('ies') && root.length > 4) root = `${root.slice(0, -3)}y`
  else if (/(?:ss|x|z|ch|sh)es$/u.test(root)) root = root.slice(0, -2)
  else if (/[^suig]s$/u.test(root)) root = root.slice(0, -1)
  for (const suffix of ['ing', 'ed']) {
    const cut = root.slice(0, -suffix.length)
    if (!root.endsWith(suffix) || cut.length < 3 || !/[aeiouy]/u.test(cut) || /e$/u.test(cut)) continue
    root = /([bdgklmnprt])\1$/u.test(cut) ? cut.slice(0, -1) : cut
    break
  }
  // `use`, `using` and `used`, `cache` and `caching` meet in the form without the silent e.
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root
}

function pairs(run: string): string[] {
  const out: string[] = []
  for (const piece of run.split(PARTICLES)) {
    const characters = [...piece]
    if (characters.length === 1) out.push(piece)
    for (let index = 0; index + 1 < characters.length; index++) {
      out.push(`${characters[index]}${characters[index + 1]}`)
    }
  }
  return out
}

/**
 * The words of a text, in order, with repeats: lower-cased, stemmed, CJK as pairs of characters. Stop words stay, so
 * that an index made of these tokens holds everything; see {@link keywords} for what a question is about.
 */
export function tokens(text: string): string[] {
  const out: string[] = []
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(WORD_OR_CJK)) {
    if (CJK.test(run)) for (const pair of pairs(run)) out.push(pair)
    else out.push(stem(run))
  }
  return out
}

const STOP_TOKENS = new Set([...STOP_WORDS].flatMap((word) => [word, stem(word)]))

/** The words of a text that say what it is about: {@link tokens} without stop words and repeats, in order. */
export function keywords(text: string): string[] {
  return [...new Set(tokens(text))].filter((token) => !STOP_TOKENS.has(token))
}

/** How alike two tokens are: 1 the same, 0.8 of one root, 0 strangers. */
function kinship(a: string, b: string): number {
  if (a === b) return 1
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (short.length < 4 || CJK.test(short)) return 0
  if (long.startsWith(short)) return KIN_SUFFIX.test(long.slice(short.length)) ? 0.8 : 0
  let shared = 0
  while (shared < short.length && short[shared] === long[shared]) shared++
  // `librarian` and `library`, `summarise` and `summary`; `contract` and `control` stay strangers.
  return shared >= 6 && shared / long.length >= 0.6 ? 0.8 : 0
}

/** The weight, 0..1, with which each keyword is met by one of `field`'s tokens. */
export function matches(words: readonly string[], field: ReadonlySet<string>): number[] {
  return words.map((word) => {
    if (field.has(word)) return 1
    let best = 0
    for (const token of field) best = Math.max(best, kinship(word, token))
    return best
  })
}

/**
 * How well a text fits a field that is described by words or phrases (a role, skill names, descriptions): 0 when they
 * share nothing, towards 1 as more of the text's keywords are met. It grows with the number of words met and with the
 * share of the text they make up, so a long message with one chance hit stays low.
 */
export function fit(text: string, words: readonly string[]): number {
  const asked = keywords(text)
  const field = new Set(words.flatMap(keywords))
  if (asked.length === 0 || field.size === 0) return 0
  const met = matches(asked, field).reduce((sum, weight) => sum + weight, 0)
  // A run of CJK characters has a pair at every character, and a word at about every second one.
  const length = asked.reduce((sum, word) => sum + (CJK.test(word) ? 0.5 : 1), 0)
  return 0.5 * (met / (met + 1)) + 0.5 * Math.min(1, met / length)
}
