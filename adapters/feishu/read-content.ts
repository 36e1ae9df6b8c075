/**
 * What a message holds, by its type.
 * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
 */
import type { RootContent } from 'mdast'
import type { FileRef } from '../../src/messaging/contract.js'
import { fileId, type MediaKind } from './file-id.js'
import { cardBlocks } from './read-card.js'
import { type Content, mergedBlocks } from './read-merged.js'
import type { People } from './read-people.js'
import { type Media, postBlocks } from './read-post.js'
import { inlineNodes, note, paragraphsOf, textBlocks, textNode } from './read-text.js'
import { type Fields, fields, list, millisOf, nativeId, number, parsed, text } from './shape.js'

/** @param message its id: files are asked for with it */
export function contentOf(message: string, type: string, written: unknown, people: People): Content {
  const files: FileRef[] = []
  const media: Media = (kind, key, name) => {
    const file = fileOf(message, kind, key, name)
    if (file !== undefined) files.push(file)
  }
  const value = parsed(written)
  const blocks = blocksOf(type, fields(value), written, people, media, files)
  return Array.isArray(blocks) ? { blocks, files } : { blocks: [], files, skip: blocks }
}

type Skip = NonNullable<Content['skip']>

function blocksOf(
  type: string,
  content: Fields,
  written: unknown,
  people: People,
  media: Media,
  files: FileRef[],
): RootContent[] | Skip {
  switch (type) {
    case 'text':
      return typeof content.text === 'string'
        ? textBlocks(content.text, people)
        : { reason: 'malformed', detail: 'a text without text' }
    case 'post':
      return postBlocks(content, people, media)
    case 'interactive':
      return cardBlocks(content, people, media)
    case 'image':
      media('image', content.image_key)
      break
    case 'file':
    case 'audio':
    case 'media':
      media(type, content.file_key, text(content.file_name))
      break
    case 'merge_forward':
      return mergedBlocks(people, contentOf)
    case 'system':
      return { reason: 'service-notice', detail: systemText(content) }
    default:
      return otherBlocks(type, content, written, people)
  }
  return files.length > 0 ? [] : { reason: 'malformed', detail: `${type} without a key` }
}

const EXTENSION: Readonly<Record<MediaKind, string>> = {
  image: 'image.png',
  file: 'file',
  audio: 'audio.opus',
  media: 'video.mp4',
}
const MIME: Readonly<Partial<Record<MediaKind, string>>> = { audio: 'audio/opus', media: 'video/mp4' }

function fileOf(message: string, kind: MediaKind, value: unknown, name?: string): FileRef | undefined {
  const key = nativeId(value)
  if (key === undefined) return undefined
  const mime = MIME[kind]
  return {
    id: fileId({ message, type: kind === 'image' ? 'image' : 'file', key }),
    name: name ?? EXTENSION[kind],
    ...(mime !== undefined && { mime }),
  }
}

/** What has no text of its own is named, so that an answer can speak of it. */
function otherBlocks(type: string, content: Fields, written: unknown, people: People): RootContent[] | Skip {
  switch (type) {
    case 'sticker':
      // Its bytes are given to nobody: https://open.feishu.cn/document/server-docs/im-v1/message/get-2
      return [note('[sticker]')]
    case 'share_chat': {
      const id = nativeId(content.chat_id)
      return [note(named('group card', (id && people.title(id)) ?? text(content.chat_name) ?? id))]
    }
    case 'share_user': {
      const id = nativeId(content.user_id)
      return [note(named('contact card', id && people.name(id)))]
    }
    case 'location':
      return [note(named('location', placeText(content)))]
    case 'folder':
      return [note(named('folder', text(content.file_name)))]
    case 'hongbao':
      return [note(named('red packet', text(content.text)))]
    case 'todo':
      return todoBlocks(content, people)
    case 'vote':
      return voteBlocks(content)
    case 'share_calendar_event':
    case 'calendar':
    case 'general_calendar':
      return [note(named('calendar event', joined(text(content.summary), span(content))))]
    case 'video_chat':
      return [note(named('video meeting', joined(text(content.topic), isoTime(content.start_time))))]
    default: {
      // A kind that came later: what can be read of it.
      const said = text(content.text) ?? text(content.title) ?? text(content.content)
      if (said !== undefined) return paragraphsOf(inlineNodes(said, people))
      const detail = `message type ${type.slice(0, 40)}${written === undefined ? ' without content' : ''}`
      return { reason: 'unsupported-kind', detail }
    }
  }
}

const named = (kind: string, name: string | undefined): string =>
  name === undefined || name === '' ? `[${kind}]` : `[${kind}: ${name}]`

const joined = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join(', ')

function placeText({ name, latitude, longitude }: Fields): string {
  const [north, east] = [text(latitude) ?? number(latitude), text(longitude) ?? number(longitude)]
  return joined(text(name), north === undefined || east === undefined ? undefined : `${north}, ${east}`)
}

/** Minutes of universal time; nothing where it is none. */
function isoTime(value: unknown): string | undefined {
  const at = millisOf(value)
  const date = new Date(at)
  if (at === 0 || Number.isNaN(date.getTime())) return undefined
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function span(content: Fields): string {
  const [from, to] = [isoTime(content.start_time), isoTime(content.end_time)]
  return [from, to].filter((time) => time !== undefined).join(' – ')
}

function todoBlocks(content: Fields, people: People): RootContent[] {
  const summary = fields(content.summary)
  const due = isoTime(content.due_time)
  const blocks = postBlocks({ ...summary, content: list(summary.content) }, people, () => {})
  return [note('[task]'), ...blocks, ...(due === undefined ? [] : [note(`due ${due}`)])]
}

function voteBlocks(content: Fields): RootContent[] {
  const options = list(content.options)
    .slice(0, 100)
    .map((option) => text(option) ?? text(fields(option).text) ?? '')
    .filter((option) => option !== '')
  const closed = number(content.status) !== undefined && number(content.status) !== 0
  const question = note(named(closed ? 'closed vote' : 'vote', text(content.topic)))
  if (options.length === 0) return [question]
  const items = options.map((option) => ({
    type: 'listItem' as const,
    spread: false,
    children: [{ type: 'paragraph' as const, children: [textNode(option)] }],
  }))
  return [question, { type: 'list', ordered: false, spread: false, children: items }]
}

/** What Feishu itself writes into a chat: a template and its values. */
function systemText(content: Fields): string {
  const template = text(content.template) ?? 'a system message'
  const filled = template.replace(/\{(\w+)\}/g, (written, key: string) => {
    const value = Object.hasOwn(content, key) ? content[key] : undefined
    const names = list(value).filter((name) => typeof name === 'string')
    return names.length > 0 ? names.join(', ') : (text(value) ?? text(fields(value).text) ?? written)
  })
  return filled.replace(/\s+/g, ' ').trim().slice(0, 200)
}
