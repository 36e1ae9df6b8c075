/** What a message holds beside its text: files, and things that are told in words. */
import type { FileRef } from '../../src/messaging/contract.js'
import { type Dict, dict, dicts, int, text } from './raw.js'

/** Files that come as one object, with what their name ends in when the sender gave none. */
const FILES: Readonly<Record<string, string>> = {
  animation: 'mp4',
  document: 'bin',
  audio: 'mp3',
  voice: 'ogg',
  video: 'mp4',
  video_note: 'mp4',
}

export function filesOf(message: Dict): FileRef[] {
  const number = int(message.message_id) ?? 0
  const photo = largest(dicts(message.photo))
  if (photo !== undefined) return fileOf(photo, `photo-${number}.jpg`, 'image/jpeg')
  // An animation comes a second time as a document.
  for (const [kind, ending] of Object.entries(FILES)) {
    const file = dict(message[kind])
    if (file !== undefined) return fileOf(file, `${kind.replace('_', '-')}-${number}.${ending}`)
  }
  return []
}

function largest(sizes: readonly Dict[]): Dict | undefined {
  const area = (size: Dict) => (int(size.width) ?? 0) * (int(size.height) ?? 0)
  return sizes.reduce<Dict | undefined>(
    (best, size) => (best && area(best) >= area(size) ? best : size),
    undefined,
  )
}

function fileOf(file: Dict, otherwise: string, type?: string): FileRef[] {
  const id = text(file.file_id)
  if (id === undefined) return []
  const mime = text(file.mime_type) ?? type
  const bytes = int(file.file_size)
  return [
    {
      id,
      name: text(file.file_name) ?? otherwise,
      ...(mime !== undefined && { mime }),
      ...(bytes !== undefined && bytes >= 0 && { bytes }),
    },
  ]
}

const clip = (value: unknown): string => (text(value) ?? '').replace(/\s+/g, ' ').trim().slice(0, 300)
const coordinate = (value: unknown): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toFixed(5) : '?'

function location(value: Dict): string {
  return `${coordinate(value.latitude)}, ${coordinate(value.longitude)}`
}

/** Kinds of content that have no file worth reading, each as one line that a person would say. */
const TOLD: Readonly<Record<string, (content: Dict) => string>> = {
  sticker: (sticker) => `Sticker ${clip(sticker.emoji)} ${clip(sticker.set_name)}`,
  venue: (venue) =>
    `Place: ${clip(venue.title)}, ${clip(venue.address)} (${location(dict(venue.location) ?? {})})`,
  location: (place) => `Location: ${location(place)}`,
  contact: ({ first_name, last_name, phone_number }) =>
    `Contact: ${[first_name, last_name, phone_number].map(clip).filter(Boolean).join(' ')}`,
  poll: (poll) =>
    `Poll: ${clip(poll.question)} Options: ${dicts(poll.options)
      .map((option) => clip(option.text))
      .join(' / ')}`,
  checklist: (list) =>
    `Checklist: ${clip(list.title)}: ${dicts(list.tasks)
      .map((task) => clip(task.text))
      .join(' / ')}`,
  dice: (dice) => `Dice ${clip(dice.emoji)}: ${int(dice.value) ?? '?'}`,
  game: (game) => `Game: ${clip(game.title)}`,
  invoice: (invoice) => `Invoice: ${clip(invoice.title)}`,
  story: () => 'A story',
  giveaway: () => 'A giveaway',
  giveaway_winners: () => 'Winners of a giveaway',
  paid_media: () => 'Media that must be paid for',
}

/** A line about what the message holds, or null when that is all in its text and files. */
export function toldOf(message: Dict): string | null {
  for (const [kind, tell] of Object.entries(TOLD)) {
    const content = dict(message[kind])
    if (content !== undefined) return `[${tell(content).replace(/\s+/g, ' ').trim()}]`
  }
  return null
}
