/**
 * Files of a message. Their addresses are signed and expire after some hours
 * (https://docs.discord.com/developers/reference#signed-attachment-cdn-urls), so a file is named by the message it belongs
 * to: whoever wants it asks for the message again.
 */
import type { FileRef } from '../../src/messaging/contract.js'
import { snapshotsOf } from './read-doc.js'
import { type Fields, fields, list, number, snowflake, text } from './shape.js'

const MOST_FILES = 50

/** Where the bytes of a file are to be had. */
export type FileSource =
  | { kind: 'attachment'; channel: string; message: string; attachment: string }
  | { kind: 'sticker'; sticker: string; format: number }

/** https://docs.discord.com/developers/resources/sticker#sticker-object-sticker-format-types */
const STICKERS: Readonly<Record<number, { end: string; mime: string }>> = {
  1: { end: 'png', mime: 'image/png' },
  2: { end: 'png', mime: 'image/apng' },
  3: { end: 'json', mime: 'application/json' },
  4: { end: 'gif', mime: 'image/gif' },
}

/** Attachments, those of what it forwards among them, and stickers. */
export function filesOf(message: Fields): FileRef[] {
  const channel = snowflake(message.channel_id)
  const id = snowflake(message.id)
  if (channel === undefined || id === undefined) return []
  const attachments = [message, ...snapshotsOf(message)].flatMap((one) => list(one.attachments))
  const files = attachments.slice(0, MOST_FILES).flatMap((value): FileRef[] => {
    const attachment = fields(value)
    const own = snowflake(attachment.id)
    const mime = text(attachment.content_type)
    const bytes = number(attachment.size)
    if (own === undefined) return []
    return [
      {
        id: `${channel}-${id}-${own}`,
        name: text(attachment.filename) ?? own,
        ...(mime !== undefined && { mime }),
        ...(bytes !== undefined && bytes >= 0 && { bytes }),
      },
    ]
  })
  return [...files, ...stickersOf(message)]
}

function stickersOf(message: Fields): FileRef[] {
  return [message, ...snapshotsOf(message)]
    .flatMap((one) => list(one.sticker_items))
    .slice(0, 3)
    .flatMap((value): FileRef[] => {
      const sticker = fields(value)
      const id = snowflake(sticker.id)
      const format = number(sticker.format_type) ?? 1
      const kind = STICKERS[format]
      if (id === undefined || kind === undefined) return []
      return [
        { id: `sticker-${id}-${format}`, name: `${text(sticker.name) ?? id}.${kind.end}`, mime: kind.mime },
      ]
    })
}

/** What a {@link FileRef} of {@link filesOf} stands for; undefined where it is none of them. */
export function sourceOf(id: string): FileSource | undefined {
  const sticker = /^sticker-(\d{1,20})-([1-4])$/.exec(id)
  if (sticker !== null) return { kind: 'sticker', sticker: sticker[1] ?? '', format: Number(sticker[2]) }
  const [, channel, message, attachment] = /^(\d{1,20})-(\d{1,20})-(\d{1,20})$/.exec(id) ?? []
  if (channel === undefined || message === undefined || attachment === undefined) return undefined
  return { kind: 'attachment', channel, message, attachment }
}

/** Path of a sticker: https://docs.discord.com/developers/reference#image-formatting-cdn-endpoints */
export function stickerPath(sticker: string, format: number): string {
  return `/stickers/${sticker}.${STICKERS[format]?.end ?? 'png'}`
}
