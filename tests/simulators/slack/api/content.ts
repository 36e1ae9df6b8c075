/** What a message may hold: text, blocks, metadata; and how Slack refuses what it may not. */
import { blockId, type Hub } from '../hub.js'
import { withIds } from '../posting.js'
import { wireText } from '../text/compose.js'
import { parseMarkdown } from '../text/markdown.js'
import { parseMrkdwn } from '../text/mrkdwn.js'
import type { Block, Fields, RichText } from '../text/rich.js'
import { ApiError, type Args } from './method.js'

/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating, and the error of the same page. */
export const TEXT_MAX = 40_000
/** https://docs.slack.dev/reference/block-kit/blocks */
const BLOCKS_MAX = 50
/** https://docs.slack.dev/reference/block-kit/blocks/markdown-block: of all such blocks of a message together. */
const MARKDOWN_MAX = 12_000
/** Not documented; measured in bolt-js#2509: some 13,200 characters over all blocks. */
const BLOCKS_TEXT_MAX = 13_200

/** Longest texts. https://docs.slack.dev/reference/block-kit/blocks/section-block, header-block, context-block */
const TEXT_LIMITS: Readonly<Record<string, number>> = { section: 3_000, header: 150, context: 3_000 }
const KNOWN = new Set([
  'section',
  'header',
  'divider',
  'context',
  'actions',
  'image',
  'input',
  'file',
  'rich_text',
  'video',
  'markdown',
  'table',
  'context_actions',
  'plan',
  'task_card',
  'card',
  'alert',
])

export interface Content {
  text: string
  blocks: Block[]
  /** As it was sent. */
  sent: Fields
}

/**
 * Reads `text`, `markdown_text`, `blocks`.
 *
 * @throws ApiError `no_text`, `msg_too_long`, `invalid_blocks`, `msg_blocks_too_long` …
 */
export function readContent(hub: Hub, args: Args, options: { hasFiles?: boolean } = {}): Content {
  const text = args.text('text') ?? ''
  const markdown = args.text('markdown_text') ?? ''
  const given = readBlocks(args.json('blocks', 'invalid_blocks_format'))
  const attachments = args.json('attachments', 'invalid_attachments')
  const hasAttachments = Array.isArray(attachments) && attachments.length > 0
  if (markdown !== '' && (text !== '' || given.length > 0)) throw new ApiError('markdown_text_conflict')
  if (text === '' && markdown === '' && given.length === 0 && !hasAttachments && options.hasFiles !== true)
    throw new ApiError('no_text')
  if (text.length > TEXT_MAX) throw new ApiError('msg_too_long')
  if (markdown.length > MARKDOWN_MAX) throw new ApiError('msg_too_long')
  const blocks = markdown === '' ? given : [{ type: 'markdown', text: markdown }]
  const kept = withIds(hub, blocks).flatMap((block) => translated(hub, block))
  const isPlain =
    args.text('mrkdwn') === 'false' || (args.text('parse') === 'none' && args.text('mrkdwn') === 'false')
  if (kept.length === 0 && text !== '' && !isPlain) kept.push(richText(hub, text))
  return {
    text: text === '' ? textOf(kept) : text,
    blocks: kept,
    sent: { text, blocks, ...(hasAttachments && { attachments }) },
  }
}

/** Slack keeps the text of an app as rich text (captured). */
function richText(hub: Hub, text: string): RichText {
  return { type: 'rich_text', block_id: blockId(hub), elements: parseMrkdwn(text) }
}

/** A `markdown` block becomes blocks of other kinds; its own id is not kept. */
function translated(hub: Hub, block: Block): Block[] {
  return block.type === 'markdown' ? parseMarkdown(String(block.text), () => blockId(hub)) : [block]
}

/** The text Slack makes up for blocks that come without one. */
const textOf = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => {
      if (block.type === 'rich_text') return wireText((block as RichText).elements)
      const { text } = (block.text ?? {}) as Fields
      return typeof text === 'string' ? text : ''
    })
    .filter((text) => text !== '')
    .join('\n')

function readBlocks(value: unknown): Block[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new ApiError('invalid_blocks_format')
  if (value.length > BLOCKS_MAX) invalid(`no more than ${BLOCKS_MAX} items allowed`, '/blocks')
  const blocks = value.map((block: unknown, at) => checked(block, `/blocks/${at}`))
  const markdown = blocks.filter(({ type }) => type === 'markdown').map(({ text }) => String(text).length)
  if (sum(markdown) > MARKDOWN_MAX) throw new ApiError('msg_blocks_too_long')
  if (sum(blocks.map(textLength)) > BLOCKS_TEXT_MAX) throw new ApiError('msg_blocks_too_long')
  if (blocks.filter(({ type }) => type === 'table').length > 1) throw new ApiError('only_one_table_allowed')
  return blocks
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Characters of all texts inside a block. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return sum(value.map(textLength))
  if (typeof value !== 'object' || value === null) return 0
  return sum(
    Object.entries(value).map(([name, inner]) =>
      name === 'text' && typeof inner === 'string' ? inner.length : textLength(inner),
    ),
  )
}

/** @throws ApiError `invalid_blocks`, with the place and the reason as Slack words them */
function invalid(what: string, pointer: string): never {
  throw new ApiError('invalid_blocks', {
    errors: [`${what} [json-pointer:${pointer}]`],
    response_metadata: { messages: [`[ERROR] ${what} [json-pointer:${pointer}]`] },
  })
}

function checked(value: unknown, at: string): Block {
  const block = (typeof value === 'object' && value !== null ? value : {}) as Fields
  const { type } = block
  if (typeof type !== 'string' || !KNOWN.has(type)) invalid(`unsupported type: ${String(type)}`, `${at}/type`)
  if (typeof block.block_id === 'string' && block.block_id.length > 255)
    invalid('must be less than 256 characters', `${at}/block_id`)
  if (type === 'markdown') {
    if (typeof block.text !== 'string' || block.text === '')
      invalid('must be more than 0 characters', `${at}/text`)
  } else if (type === 'section' || type === 'header') checkText(block, type, at)
  else if (type === 'context')
    list(block.elements).forEach((element, index) => {
      checkObject(element, 3_000, `${at}/elements/${index}`)
    })
  else if (type === 'actions') checkActions(block, at)
  return { ...block, type }
}

function checkText(block: Fields, type: 'section' | 'header', at: string): void {
  const fields = list(block.fields)
  if (block.text === undefined && fields.length === 0) invalid('missing required field: text', `${at}/text`)
  if (block.text !== undefined) checkObject(block.text, TEXT_LIMITS[type] ?? 3_000, `${at}/text`)
  fields.forEach((field, index) => {
    checkObject(field, 2_000, `${at}/fields/${index}`)
  })
}

function checkObject(value: unknown, most: number, at: string): void {
  const object = (typeof value === 'object' && value !== null ? value : {}) as Fields
  if (object.type === 'image') return
  if (object.type !== 'mrkdwn' && object.type !== 'plain_text') invalid('unsupported type', `${at}/type`)
  if (typeof object.text !== 'string' || object.text === '')
    invalid('must be more than 0 characters', `${at}/text`)
  if (String(object.text).length > most) invalid(`must be less than ${most + 1} characters`, `${at}/text`)
}

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element: label 75, value 2,000, `action_id` 255, unique. */
function checkActions(block: Fields, at: string): void {
  const elements = list(block.elements)
  if (elements.length === 0 || elements.length > 25)
    invalid('must have between 1 and 25 elements', `${at}/elements`)
  const seen = new Set<unknown>()
  elements.forEach((element, index) => {
    const { type, text, value, action_id: action } = element as Fields
    const place = `${at}/elements/${index}`
    if (type === 'button') checkObject(text, 75, `${place}/text`)
    if (typeof value === 'string' && value.length > 2_000)
      invalid('must be less than 2001 characters', `${place}/value`)
    if (action === undefined) return
    if (String(action).length > 255) invalid('must be less than 256 characters', `${place}/action_id`)
    if (seen.has(action)) invalid('`action_id` already exists', `${place}/action_id`)
    seen.add(action)
  })
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** https://docs.slack.dev/messaging/message-metadata @throws ApiError */
export function readMetadata(args: Args): Fields | undefined {
  const value = args.json('metadata', 'invalid_metadata_format')
  if (value === undefined) return undefined
  const { event_type: type, event_payload: payload } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Fields
  if (typeof type !== 'string' || type === '' || typeof payload !== 'object' || payload === null)
    throw new ApiError('invalid_metadata_format')
  if (JSON.stringify(payload).length > 16_384) throw new ApiError('metadata_too_large')
  return { event_type: type, event_payload: payload }
}
