/**
 * What a Slack client makes of what a person types: `blocks` of rich text, and the `text` that goes with them.
 *
 * Typed marks are those of the message box: `*bold*` or `**bold**`, `_italic_`, `~strike~`, code, fences, `>` quotes,
 * `-` and `1.` lists with nesting, `[label](url)`. A mention is picked from a list, never typed: it is written here as
 * Slack's own token, `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`. Inside code nothing is picked, so tokens are text.
 */
import { EMOJI_CHARACTER, emojiName } from './emoji.js'
import { parseInline } from './mrkdwn.js'
import {
  escapeText,
  type Inline,
  joined,
  type RichElement,
  type RichText,
  type Section,
  textElement,
} from './rich.js'

export interface Composed {
  text: string
  blocks: RichText[]
}

const ITEM = /^([ \t]*)(?:([-*•])|(\d{1,9})[.)])[ \t]+(.*)$/

/** @param blockId a fresh one for each block */
export function compose(typed: string, blockId: () => string): Composed {
  const elements: RichElement[] = []
  let at = 0
  for (const fence of typed.matchAll(/```(?:[a-z]+\n)?([\s\S]*?)```/g)) {
    composeLines(elements, typed.slice(at, fence.index).replace(/\n$/, ''))
    const code = (fence[1] ?? '').replace(/^\n|\n$/g, '')
    elements.push({ type: 'rich_text_preformatted', border: 0, elements: [textElement(code)] })
    at = fence.index + fence[0].length
    if (typed[at] === '\n') at++
  }
  composeLines(elements, typed.slice(at))
  if (elements.length === 0) return { text: '', blocks: [] }
  return { text: wireText(elements), blocks: [{ type: 'rich_text', block_id: blockId(), elements }] }
}

function composeLines(out: RichElement[], typed: string): void {
  if (typed === '') return
  let plain: string[] = []
  const flush = (): void => {
    const elements = composeInline(plain.join('\n'))
    if (elements.length > 0) out.push({ type: 'rich_text_section', elements })
    plain = []
  }
  for (const line of typed.split('\n')) {
    const quote = /^> ?(.*)$/.exec(line)
    const item = ITEM.exec(line)
    if (quote === null && item === null) {
      plain.push(line)
      continue
    }
    flush()
    if (quote !== null) addQuote(out, quote[1] ?? '')
    else if (item !== null) addItem(out, item)
  }
  flush()
}

function addQuote(out: RichElement[], line: string): void {
  const last = out.at(-1)
  const elements = composeInline(line)
  if (last?.type === 'rich_text_quote')
    last.elements = joined([...last.elements, textElement('\n'), ...elements])
  else out.push({ type: 'rich_text_quote', elements })
}

function addItem(out: RichElement[], [, space = '', bullet, , content = '']: RegExpExecArray): void {
  const indent = Math.floor(space.replaceAll('\t', '  ').length / 2)
  const style = bullet === undefined ? 'ordered' : 'bullet'
  const section: Section = { type: 'rich_text_section', elements: composeInline(content) }
  const last = out.at(-1)
  if (last?.type === 'rich_text_list' && last.style === style && last.indent === indent)
    last.elements.push(section)
  else out.push({ type: 'rich_text_list', style, indent, border: 0, elements: [section] })
}

/** One run of typed text. Reuses the reader of mrkdwn: what a person typed is escaped first, what they picked is not. */
function composeInline(typed: string): Inline[] {
  let wire = ''
  let at = 0
  const picked =
    /`([^`\n]+)`|(<(?:@[UW][A-Z0-9]+|#C[A-Z0-9]+|!here|!channel|!everyone|!subteam\^S[A-Z0-9]+)(?:\|[^>\n]*)?>)|\[([^\]\n]+)\]\((https?:\/\/(?:[^\s()]|\([^\s()]*\))+)\)|\*\*(?=\S)([^\n]+?)\*\*/g
  for (const match of typed.matchAll(picked)) {
    const [whole, code, mention, label, url, bold] = match
    wire += emojiNames(escapeText(typed.slice(at, match.index)))
    if (code !== undefined) wire += `\`${escapeText(code)}\``
    else if (mention !== undefined) wire += mention
    else if (url !== undefined) wire += `<${escapeText(url)}|${escapeText(label ?? url)}>`
    else if (bold !== undefined) wire += `*${escapeText(bold)}*`
    at = match.index + whole.length
  }
  wire += emojiNames(escapeText(typed.slice(at)))
  return parseInline(wire)
}

const emojiNames = (text: string): string =>
  text.replace(EMOJI_CHARACTER, (character) => `:${emojiName(character)}:`)

/** The `text` that stands beside such blocks: marks around their words, bullets and numbers before items. */
export function wireText(elements: readonly RichElement[]): string {
  return elements.map(wireElement).join('\n')
}

function wireElement(element: RichElement): string {
  switch (element.type) {
    case 'rich_text_section':
      return wireInline(element.elements)
    case 'rich_text_quote':
      return wireInline(element.elements)
        .split('\n')
        .map((line) => `&gt; ${line}`)
        .join('\n')
    case 'rich_text_preformatted':
      return `\`\`\`${wireInline(element.elements)}\`\`\``
    case 'rich_text_list': {
      const pad = '    '.repeat(element.indent)
      const bullets = ['•', '◦', '▪︎']
      return element.elements
        .map((item, at) => {
          const mark = element.style === 'ordered' ? `${at + 1}.` : (bullets[element.indent % 3] ?? '•')
          return `${pad}${mark} ${wireInline(item.elements)}`
        })
        .join('\n')
    }
  }
}

function wireInline(elements: readonly Inline[]): string {
  return elements.map(wirePiece).join('')
}

function wirePiece(element: Inline): string {
  switch (element.type) {
    case 'text': {
      const { code, strike, italic, bold } = element.style ?? {}
      let text = escapeText(element.text)
      if (code === true) text = `\`${text}\``
      if (strike === true) text = `~${text}~`
      if (italic === true) text = `_${text}_`
      return bold === true ? `*${text}*` : text
    }
    case 'link':
      return element.text === undefined
        ? `<${escapeText(element.url)}>`
        : `<${escapeText(element.url)}|${escapeText(element.text)}>`
    case 'user':
      return `<@${element.user_id}>`
    case 'usergroup':
      return `<!subteam^${element.usergroup_id}>`
    case 'channel':
      return `<#${element.channel_id}>`
    case 'broadcast':
      return `<!${element.range}>`
    case 'emoji':
      return `:${element.name}:`
    case 'date':
      return `<!date^${element.timestamp}^${element.format}|${element.fallback ?? ''}>`
  }
}
