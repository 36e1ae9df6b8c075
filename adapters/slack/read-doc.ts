/** The text of a message: its blocks where it has any, else `text`; then what it forwards, then links to files elsewhere. */
import type { Doc } from '../../src/messaging/contract.js'
import { DocBuilder, type Piece } from './doc-builder.js'
import { inlinePieces, type MrkdwnBlock, mrkdwnBlocks, textObject } from './read-mrkdwn.js'
import type { People } from './read-people.js'
import type { Style } from './rich.js'
import { unescapeText } from './rich.js'
import { type Fields, fields, list, number, text } from './shape.js'

/** More than any message has; what stands behind it is not read. */
const MOST_ELEMENTS = 5_000

export function docOf(message: Fields, people: People, isBot: boolean): Doc {
  const builder = new DocBuilder()
  const written = addBlocks(builder, list(message.blocks), people)
  if (!written && typeof message.text === 'string') {
    addMrkdwn(builder, mrkdwnBlocks(message.text, people))
  }
  for (const attachment of list(message.attachments).slice(0, 20)) {
    const quoted = attachmentPieces(fields(attachment), people, isBot)
    if (quoted.length > 0) builder.quote(quoted)
  }
  for (const file of list(message.files).slice(0, 20)) {
    const link = externalFile(fields(file))
    if (link !== undefined) builder.section([link])
  }
  return builder.done()
}

/** Whether anything was there to read. */
function addBlocks(builder: DocBuilder, blocks: readonly unknown[], people: People): boolean {
  let any = false
  for (const value of blocks.slice(0, 100)) any = addBlock(builder, fields(value), people) || any
  return any
}

function addBlock(builder: DocBuilder, block: Fields, people: People): boolean {
  switch (block.type) {
    case 'rich_text':
      return addRich(builder, list(block.elements), people)
    case 'section': {
      const parts = [block.text, ...list(block.fields)].flatMap((part) => textObject(fields(part), people))
      return addMrkdwn(builder, parts)
    }
    case 'header': {
      const title = text(fields(block.text).text)
      if (title === undefined) return false
      builder.section([{ kind: 'text', text: unescapeText(title), style: { bold: true } }])
      return true
    }
    case 'context':
      return addMrkdwn(
        builder,
        list(block.elements).flatMap((part) => textObject(fields(part), people)),
      )
    case 'markdown':
      return typeof block.text === 'string' && addMrkdwn(builder, mrkdwnBlocks(block.text, people))
    case 'table':
      return addTable(builder, list(block.rows), people)
    case 'image': {
      const label = text(block.alt_text) ?? text(fields(block.title).text)
      const url = text(block.image_url)
      if (url !== undefined) builder.section([{ kind: 'link', url, ...(label !== undefined && { label }) }])
      else if (label !== undefined) builder.section([{ kind: 'text', text: label }])
      return url !== undefined || label !== undefined
    }
    default:
      return false
  }
}

function addMrkdwn(builder: DocBuilder, blocks: readonly MrkdwnBlock[]): boolean {
  for (const block of blocks) {
    if (block.kind === 'code') builder.code(block.text)
    else builder[block.kind](block.pieces)
  }
  return blocks.length > 0
}

function addRich(builder: DocBuilder, elements: readonly unknown[], people: People): boolean {
  let any = false
  for (const value of elements.slice(0, MOST_ELEMENTS)) {
    const element = fields(value)
    const inner = list(element.elements)
    if (inner.length === 0) continue
    switch (element.type) {
      case 'rich_text_section':
        builder.section(piecesOf(inner, people))
        break
      case 'rich_text_quote':
        builder.quote(piecesOf(inner, people))
        break
      case 'rich_text_preformatted':
        builder.code(plainOf(piecesOf(inner, people)), text(element.language) ?? null)
        break
      case 'rich_text_list':
        addList(builder, element, inner, people)
        break
      default:
        continue
    }
    any = true
  }
  return any
}

function addList(builder: DocBuilder, element: Fields, items: readonly unknown[], people: People): void {
  const depth = Math.min(Math.max(number(element.indent) ?? 0, 0), 8)
  const offset = Math.max(number(element.offset) ?? 0, 0)
  items.slice(0, MOST_ELEMENTS).forEach((item, index) => {
    const pieces = piecesOf(list(fields(item).elements), people)
    builder.item(pieces, depth, element.style === 'ordered' ? offset + index + 1 : null)
  })
}

function addTable(builder: DocBuilder, rows: readonly unknown[], people: People): boolean {
  for (const row of rows.slice(0, 200)) {
    const pieces: Piece[] = []
    list(row).forEach((cell, index) => {
      if (index > 0) pieces.push({ kind: 'text', text: ' | ' })
      pieces.push(...cellPieces(fields(cell), people))
    })
    builder.section(pieces)
  }
  return rows.length > 0
}

function cellPieces(cell: Fields, people: People): Piece[] {
  if (cell.type !== 'rich_text') {
    const value =
      typeof cell.text === 'string' ? cell.text : typeof cell.value === 'number' ? `${cell.value}` : ''
    return value === '' ? [] : [{ kind: 'text', text: value.replace(/\n+/g, ' ') }]
  }
  return list(cell.elements).flatMap((section) => piecesOf(list(fields(section).elements), people))
}

function piecesOf(elements: readonly unknown[], people: People): Piece[] {
  return elements.slice(0, MOST_ELEMENTS).flatMap((element) => pieceOf(fields(element), people) ?? [])
}

function pieceOf(element: Fields, people: People): Piece | undefined {
  const style = styleOf(element.style)
  const plain = (value: string): Piece =>
    style === undefined ? { kind: 'text', text: value } : { kind: 'text', text: value, style }
  const mention = (named: Extract<Piece, { kind: 'mention' }>['mention']): Piece =>
    // Shown as code, it names somebody without meaning them.
    style?.code === true ? plain(`@${named.name}`) : { kind: 'mention', mention: named }
  switch (element.type) {
    case 'text':
      return typeof element.text === 'string' && element.text !== '' ? plain(element.text) : undefined
    case 'link': {
      const url = text(element.url)
      const label = text(element.text)
      if (url === undefined) return label === undefined ? undefined : plain(label)
      if (style?.code === true) return plain(label ?? url)
      return label === undefined ? { kind: 'link', url } : { kind: 'link', url, label }
    }
    case 'user':
      return typeof element.user_id === 'string' ? mention(people.mention(element.user_id)) : undefined
    case 'usergroup':
      return typeof element.usergroup_id === 'string'
        ? mention(people.group(element.usergroup_id))
        : undefined
    case 'broadcast':
      return mention({ target: 'everyone', name: text(element.range) ?? 'channel' })
    case 'channel':
      return typeof element.channel_id === 'string' ? plain(people.channel(element.channel_id)) : undefined
    case 'emoji':
      return plain(emoji(element))
    case 'date':
      return plain(text(element.fallback) ?? isoDate(number(element.timestamp)))
    default:
      return typeof element.text === 'string' && element.text !== '' ? plain(element.text) : undefined
  }
}

function styleOf(value: unknown): Style | undefined {
  const { bold, italic, strike, code } = fields(value)
  const style: Style = {
    ...(bold === true && { bold }),
    ...(italic === true && { italic }),
    ...(strike === true && { strike }),
    ...(code === true && { code }),
  }
  return Object.keys(style).length === 0 ? undefined : style
}

/** `1f44d-1f3fd` is 👍🏽; a workspace's own emoji have a name only. */
function emoji(element: Fields): string {
  const points = text(element.unicode)?.split('-') ?? []
  if (points.length > 0 && points.every((point) => /^[0-9a-f]{2,6}$/i.test(point))) {
    const codes = points.map((point) => Number.parseInt(point, 16))
    if (codes.every((code) => code <= 0x10ffff)) return String.fromCodePoint(...codes)
  }
  return `:${text(element.name) ?? 'emoji'}:`
}

function isoDate(seconds: number | undefined): string {
  const at = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 16).replace('T', ' ')
}

function plainOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      piece.kind === 'text'
        ? piece.text
        : piece.kind === 'link'
          ? (piece.label ?? piece.url)
          : `@${piece.mention.name}`,
    )
    .join('')
}

/**
 * What a message shares of another one, and what an app says by attachments. A preview of a link says nothing that its
 * writer said.
 */
function attachmentPieces(attachment: Fields, people: People, isBot: boolean): Piece[] {
  const shared = attachment.is_share === true || attachment.is_msg_unfurl === true
  if (!shared && !isBot) return []
  const author = text(attachment.author_name) ?? text(attachment.author_subname)
  const body = [attachment.pretext, attachment.title, attachment.text]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join('\n')
  const inner = body || text(attachment.fallback) || ''
  if (inner === '') return []
  const pieces: Piece[] = author === undefined ? [] : [{ kind: 'text', text: `${author}: ` }]
  return [...pieces, ...inlinePieces(inner.slice(0, 8_000), people)]
}

/** A file that lies elsewhere (a document of Google, say) is a link, not bytes. */
function externalFile(file: Fields): Piece | undefined {
  if (file.mode !== 'external' && file.is_external !== true) return undefined
  const url = text(file.external_url) ?? text(file.url_private)
  const label = text(file.title) ?? text(file.name)
  return url === undefined ? undefined : { kind: 'link', url, ...(label !== undefined && { label }) }
}
