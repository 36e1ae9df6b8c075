/**
 * Slack's rich text: the form that clients write messages in, and the form this adapter posts in.
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */

export interface Style {
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
}

/** What stands within a line. */
export type Leaf =
  | { type: 'text'; text: string; style?: Style }
  | { type: 'link'; url: string; text?: string; style?: Style }
  | { type: 'user'; user_id: string; style?: Style }

export interface RichSection {
  type: 'rich_text_section'
  elements: Leaf[]
}

export type RichElement =
  | RichSection
  | {
      type: 'rich_text_list'
      style: 'bullet' | 'ordered'
      indent: number
      offset?: number
      border?: 0 | 1
      elements: RichSection[]
    }
  | { type: 'rich_text_quote'; elements: Leaf[] }
  | { type: 'rich_text_preformatted'; elements: Leaf[]; border?: 0 | 1 }

export interface RichText {
  type: 'rich_text'
  elements: RichElement[]
}

export type TableCell = { type: 'raw_text'; text: string } | RichText

export type Block =
  | RichText
  | { type: 'divider' }
  | { type: 'table'; rows: TableCell[][]; column_settings?: { align?: 'left' | 'center' | 'right' }[] }

/** `Part.body` of this platform. */
export interface SlackBody {
  blocks: Block[]
  /** Shown in notifications and by clients that draw no blocks. Slack's three characters are escaped in it. */
  text: string
}

/** In `text` these three are marks of Slack's own. https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : '&gt;'))
}

/** Undoes {@link escapeText}, once: Slack decodes these three and no other reference. */
export function unescapeText(text: string): string {
  return text.includes('&')
    ? text.replace(/&(amp|lt|gt);/g, (_, name) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))
    : text
}
