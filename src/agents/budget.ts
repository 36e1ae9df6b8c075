/**
 * A prompt made to fit a budget of tokens. Nobody here knows a model's own tokenizer: a token is taken for four characters
 * of most scripts, and for one of Chinese, Japanese and Korean.
 */
import type { ToolSpec, TurnInput } from '../messaging/engine.js'
import type { ContextLine } from '../messaging/store.js'

const DENSE =
  /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1f000}-\u{3ffff}]/gu
/** A line that is answered, and the memory, keep at least so many tokens. */
const LEAST = 100
const ROUNDS = 6

export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)
  if (dense === null) return Math.ceil(text.length / 4)
  const units = dense.reduce((sum, character) => sum + character.length, 0)
  return Math.ceil((text.length - units) / 4) + dense.length
}

/** What may become smaller. */
export interface Window {
  lines: readonly ContextLine[]
  cut: number
  /** Tokens that the memory may have in the prompt; null for all of it. */
  memory: number | null
}

export interface Fitted {
  input: TurnInput
  window: Window
  tokens: number
}

/**
 * Earlier lines are left out first, the oldest before the others; then the memory is shortened, then the lines that are
 * answered, the longest first.
 *
 * @param build the turn's input with such a window
 */
export function fitTo(budget: number | null, window: Window, build: (window: Window) => TurnInput): Fitted {
  let now = window
  let input = build(now)
  let tokens = tokensOf(input)
  for (let round = 0; budget !== null && tokens > budget && round < ROUNDS; round++) {
    const smaller = shrink(now, tokens - budget, input.memory?.text ?? '')
    if (smaller === null) break
    now = smaller
    input = build(now)
    tokens = tokensOf(input)
  }
  return { input, window: now, tokens }
}

function tokensOf(input: TurnInput): number {
  return input.tools.reduce((sum, tool) => sum + tokensOfTool(tool), estimateTokens(input.prompt))
}

/** Tools are the same in every turn. */
const counted = new WeakMap<ToolSpec, number>()

function tokensOfTool(tool: ToolSpec): number {
  const known = counted.get(tool)
  if (known !== undefined) return known
  const tokens = estimateTokens(JSON.stringify(tool))
  counted.set(tool, tokens)
  return tokens
}

function shrink(window: Window, excess: number, memory: string): Window | null {
  const oldest = window.lines.findIndex((line) => line.new)
  const earlier = oldest < 0 ? window.lines.length : oldest
  if (earlier > 0) {
    let gone = 0
    let count = 0
    while (count < earlier && gone < excess) gone += estimateTokens(window.lines[count++]?.text ?? '') + 4
    return { ...window, lines: window.lines.slice(count), cut: window.cut + count }
  }
  const held = Math.min(window.memory ?? Number.POSITIVE_INFINITY, estimateTokens(memory))
  if (held > LEAST) return { ...window, memory: Math.max(LEAST, held - excess - 20) }
  const longest = window.lines.reduce<number>(
    (best, line, index, all) => (line.text.length > (all[best]?.text.length ?? 0) ? index : best),
    0,
  )
  const line = window.lines[longest]
  const size = estimateTokens(line?.text ?? '')
  if (line === undefined || size <= LEAST) return null
  const text = cutTo(line.text, Math.max(LEAST, size - excess - 20))
  return {
    ...window,
    lines: window.lines.map((one, index) => (index === longest ? { ...line, text } : one)),
    cut: window.cut + 1,
  }
}

/** The beginning of a text, in about so many tokens, and a word on what is missing. */
export function cutTo(text: string, tokens: number): string {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (estimateTokens(text.slice(0, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  if (low === text.length) return text
  const kept = text.slice(0, low).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept}… [${text.length - kept.length} characters left out]`
}
