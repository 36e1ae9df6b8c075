/**
 * The shapes of Slack's rich text, as clients write it and as Slack keeps everything that was written otherwise.
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */

/** Any JSON object of the wire. */
export type Fields = Record<string, unknown>
/** A Block Kit block: the type rules what else is there. */
export type Block = Fields & { type: string }

export interface Style {
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
}

export type Inline =
  | { type: 'text'; text: string; style?: Style }
  | { type: 'link'; url: string; text?: string; style?: Style }
  | { type: 'user'; user_id: string; style?: Style }
  | { type: 'usergroup'; usergroup_id: string }
  | { type: 'channel'; channel_id: string }
  | { type: 'broadcast'; range: 'here' | 'channel' | 'everyone' }
  | { type: 'emoji'; name: string; unicode?: string }
  | { type: 'date'; timestamp: number; format: string; fallback?: string }

export interface Section {
  type: 'rich_text_section'
  elements: Inline[]
}
export interface RichList {
  type: 'rich_text_list'
  style: 'bullet' | 'ordered'
  indent: number
  border: number
  /** A numbered list that begins with another number than 1: so many before it. */
  offset?: number
  elements: Section[]
}
export type RichElement =
  | Section
  | RichList
  | { type: 'rich_text_quote'; elements: Inline[] }
  | { type: 'rich_text_preformatted'; elements: Inline[]; border: number }

export interface RichText extends Block {
  type: 'rich_text'
  block_id: string
  elements: RichElement[]
}

/** In `text` three characters are always escaped. https://docs.slack.dev/messaging/formatting-message-text#escaping */
export const escapeText = (text: string): string =>
  text.replace(/[&<>]/g, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : '&gt;'))

/** Undoes {@link escapeText}, once. Slack decodes these three and no other entity. */
export const unescapeText = (text: string): string =>
  text.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))

export const hasStyle = (style: Style): boolean => Object.keys(style).length > 0

/** A text element; without a style where there is none, as Slack writes it. */
export const textElement = (text: string, style: Style = {}): Inline =>
  hasStyle(style) ? { type: 'text', text, style: { ...style } } : { type: 'text', text }

/** Joins neighbours of one style, drops empty ones. */
export function joined(elements: readonly Inline[]): Inline[] {
  const out: Inline[] = []
  for (const element of elements) {
    const last = out.at(-1)
    if (element.type === 'text') {
      if (element.text === '') continue
      if (last?.type === 'text' && JSON.stringify(last.style) === JSON.stringify(element.style)) {
        out[out.length - 1] = { ...last, text: last.text + element.text }
        continue
      }
    }
    out.push(element)
  }
  return out
}

/** The token that stands between `<` and `>` in a text: a mention, a channel, a command, a link. Null: it is none. */
export function token(content: string, style: Style = {}): Inline | null {
  const bar = content.indexOf('|')
  const target = bar < 0 ? content : content.slice(0, bar)
  const label = bar < 0 ? undefined : content.slice(bar + 1)
  const styled = hasStyle(style) ? { style: { ...style } } : {}
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { type: 'user', user_id: target.slice(1), ...styled }
  if (/^#C[A-Z0-9]+$/.test(target)) return { type: 'channel', channel_id: target.slice(1) }
  if (target.startsWith('!')) return command(target.slice(1), label)
  if (!/^(?:https?:\/\/|mailto:|tel:|slack:\/\/)\S+$/i.test(target)) return null
  const url = unescapeText(target)
  return label === undefined || label === ''
    ? { type: 'link', url, ...styled }
    : { type: 'link', url, text: unescapeText(label), ...styled }
}

/** https://docs.slack.dev/messaging/formatting-message-text#special-mentions and `#date-formatting`. */
function command(name: string, label: string | undefined): Inline | null {
  if (name === 'here' || name === 'channel' || name === 'everyone') return { type: 'broadcast', range: name }
  const [kind, first, second] = name.split('^')
  if (kind === 'subteam' && first !== undefined) return { type: 'usergroup', usergroup_id: first }
  if (kind === 'date' && first !== undefined) {
    const fallback = label === undefined ? {} : { fallback: unescapeText(label) }
    return { type: 'date', timestamp: Number(first), format: second ?? '{date}', ...fallback }
  }
  return null
}
