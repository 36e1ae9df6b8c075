/**
 * How Slack reads `text` and `mrkdwn`: its own marks, tokens between `<` and `>`, three escaped characters.
 * https://docs.slack.dev/messaging/formatting-message-text
 *
 * Tokens are read everywhere, inside code too: what was not escaped can page. That is the cautious reading of a page
 * that says no more than "escape these three characters".
 */
import { emojiUnicode, isEmojiName } from './emoji.js'
import {
  type Inline,
  joined,
  type RichElement,
  type Style,
  textElement,
  token,
  unescapeText,
} from './rich.js'

/** Characters that may stand before an opening and behind a closing mark. */
const EDGE = /[\s.,:;!?'"()[\]{}\-/*_~<>|]/u
const MARKS: Readonly<Record<string, keyof Style>> = { '*': 'bold', _: 'italic', '~': 'strike' }

/** The rich text Slack makes of a message's `text`. */
export function parseMrkdwn(text: string): RichElement[] {
  const out: RichElement[] = []
  let at = 0
  for (const fence of text.matchAll(/```([\s\S]*?)```/g)) {
    pushLines(out, text.slice(at, fence.index).replace(/\n$/, ''))
    const code = (fence[1] ?? '').replace(/^\n|\n$/g, '')
    out.push({ type: 'rich_text_preformatted', border: 0, elements: inlineTokens(code, {}) })
    at = fence.index + fence[0].length
    if (text[at] === '\n') at++
  }
  pushLines(out, text.slice(at))
  return out
}

/** Lines: those that begin with `>` are a quote, the rest a section. */
function pushLines(out: RichElement[], text: string): void {
  if (text === '') return
  let quote: boolean | undefined
  let lines: string[] = []
  const flush = (): void => {
    if (quote === undefined) return
    const elements = parseInline(lines.join('\n'))
    if (quote) out.push({ type: 'rich_text_quote', elements })
    else if (elements.length > 0) out.push({ type: 'rich_text_section', elements })
    lines = []
  }
  for (const line of text.split('\n')) {
    const mark = /^(?:&gt;|>) ?/.exec(line)
    if (quote !== (mark !== null)) {
      flush()
      quote = mark !== null
    }
    lines.push(mark === null ? line : line.slice(mark[0].length))
  }
  flush()
}

/** One run of text with marks, tokens, emoji and addresses. */
export function parseInline(text: string, style: Style = {}): Inline[] {
  const out: Inline[] = []
  let plain = ''
  const flush = (): void => {
    out.push(...words(plain, style))
    plain = ''
  }
  for (let at = 0; at < text.length; ) {
    const found = markAt(text, at, style) ?? tokenAt(text, at, style)
    if (found === null) {
      plain += text[at]
      at++
      continue
    }
    flush()
    out.push(...found.elements)
    at = found.end
  }
  flush()
  return joined(out)
}

interface Found {
  elements: Inline[]
  end: number
}

function tokenAt(text: string, at: number, style: Style): Found | null {
  if (text[at] !== '<') return null
  const end = text.indexOf('>', at)
  if (end < 0) return null
  const element = token(text.slice(at + 1, end), style)
  return element === null ? null : { elements: [element], end: end + 1 }
}

function markAt(text: string, at: number, style: Style): Found | null {
  const mark = text[at] ?? ''
  const opens = at === 0 || EDGE.test(text[at - 1] ?? '')
  if (mark === '`') {
    const end = text.indexOf('`', at + 1)
    const code = text.slice(at + 1, end)
    if (end < 0 || code === '' || code.includes('\n')) return null
    return { elements: inlineTokens(code, { ...style, code: true }), end: end + 1 }
  }
  const name = MARKS[mark]
  if (name === undefined || style[name] === true || !opens || /\s/.test(text[at + 1] ?? ' ')) return null
  const end = closing(text, at, mark)
  if (end < 0) return null
  return { elements: parseInline(text.slice(at + 1, end), { ...style, [name]: true }), end: end + 1 }
}

/** The mark that closes the one at `from`: on the same line, behind a character, before an edge. */
function closing(text: string, from: number, mark: string): number {
  for (let at = from + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '`') {
      const end = text.indexOf('`', at + 1)
      if (end > 0) at = end
      continue
    }
    if (text[at] !== mark || at === from + 1 || /\s/.test(text[at - 1] ?? '')) continue
    if (at + 1 === text.length || EDGE.test(text[at + 1] ?? '')) return at
  }
  return -1
}

/** Text in which only tokens count: code. */
function inlineTokens(text: string, style: Style): Inline[] {
  const out: Inline[] = []
  let at = 0
  for (const match of text.matchAll(/<([^<>\n]+)>/g)) {
    const element = token(match[1] ?? '', style)
    if (element === null) continue
    out.push(textElement(unescapeText(text.slice(at, match.index)), style), element)
    at = match.index + match[0].length
  }
  out.push(textElement(unescapeText(text.slice(at)), style))
  return joined(out)
}

/** Bare addresses become links, `:names:` emoji. */
function words(text: string, style: Style): Inline[] {
  const out: Inline[] = []
  let at = 0
  for (const match of text.matchAll(/https?:\/\/[^\s<>|]+|:([a-z0-9_+'-]+):/g)) {
    const name = match[1]
    const whole = name === undefined ? address(match[0]) : match[0]
    if (name !== undefined && !isEmojiName(name)) continue
    out.push(textElement(unescapeText(text.slice(at, match.index)), style))
    if (name === undefined) {
      const styled = Object.keys(style).length > 0 ? { style: { ...style } } : {}
      out.push({ type: 'link', url: unescapeText(whole), ...styled })
    } else {
      const unicode = emojiUnicode(name)
      out.push(unicode === undefined ? { type: 'emoji', name } : { type: 'emoji', name, unicode })
    }
    at = match.index + whole.length
  }
  out.push(textElement(unescapeText(text.slice(at)), style))
  return joined(out)
}

/** A bare address ends before the punctuation of its sentence; a closing bracket belongs to it where it opened one. */
function address(text: string): string {
  let end = text.length
  for (; end > 0; end--) {
    const last = text[end - 1] ?? ''
    const head = text.slice(0, end)
    if (last === ')' && head.split('(').length >= head.split(')').length) break
    if (!/[.,:;!?'")\]}*_~]/.test(last)) break
  }
  return text.slice(0, end)
}
