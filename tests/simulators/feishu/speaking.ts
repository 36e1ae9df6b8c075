/** What people say, and in what messages it arrives. */
import type { Said } from '../kit/stage.js'
import { imageMime, keep } from './api/files.js'
import type { Fields } from './fields.js'
import type { Hub } from './hub.js'
import { type Draft, post } from './posting.js'
import { compose, composePost, type Typed } from './text/compose.js'
import type { Chat, Message, Resource } from './world.js'

export interface FeishuSaid extends Said {
  /** The reply opens a topic in a chat that is none of topics. */
  inThread?: boolean
}

/**
 * Pictures with words, or several of them, are one rich text message. Any other file is a message of its own, before the
 * words. https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
 *
 * @param who the principal
 * @returns the message with the words; without words, the last file's
 */
export function speak(hub: Hub, chat: Chat, who: string, text: string, options: FeishuSaid = {}): Message {
  const typed = compose(hub, text, options.mention === true ? hub.main.appId : undefined)
  const files = (options.files ?? []).map((file) => resourceOf(hub, who, file))
  const images = files.filter(({ kind }) => kind === 'image')
  const isRich = images.length > 1 || (images.length === 1 && typed.text !== '')
  const where = place(hub, chat, options)
  const say = (draft: Pick<Draft, 'type' | 'content'> & Partial<Draft>): Message =>
    post(hub, { chat, sender: who, ...where, ...draft })
  let last: Message | undefined
  for (const file of files) if (file.kind === 'file' || !isRich) last = say(fileDraft(file))
  if (isRich) return say(richDraft(typed, images))
  if (last !== undefined && typed.text === '') return last
  return say({ type: 'text', content: { text: typed.text }, mentions: typed.mentions })
}

const richDraft = (
  typed: Typed,
  images: readonly Resource[],
): Pick<Draft, 'type' | 'content'> & Partial<Draft> => ({
  type: 'post',
  content: composePost(
    typed,
    images.map(({ key }) => key),
  ),
  mentions: typed.mentions,
  keys: images.map(({ key }) => key),
})

function fileDraft({ key, kind, type, name }: Resource): Pick<Draft, 'type' | 'content'> & Partial<Draft> {
  const keys = [key]
  if (kind === 'image') return { type: 'image', content: { image_key: key }, keys }
  if (type === 'opus') return { type: 'audio', content: { file_key: key, duration: 2_000 }, keys }
  const content: Fields = { file_key: key, file_name: name }
  if (type !== 'mp4') return { type: 'file', content, keys }
  return { type: 'media', content: { ...content, image_key: '', duration: 2_000 }, keys }
}

function resourceOf(hub: Hub, owner: string, file: NonNullable<Said['files']>[number]): Resource {
  const isImage = file.mime.startsWith('image/') || imageMime(file.bytes) !== undefined
  const type = file.mime.startsWith('audio/') ? 'opus' : file.mime.startsWith('video/') ? 'mp4' : 'stream'
  return keep(hub, owner, { ...file, kind: isImage ? 'image' : 'file', type: isImage ? 'message' : type })
}

/**
 * @param options `replyTo` quotes; `thread` is a topic by its id (`omt_…`), or by its first message, which becomes one
 * @throws Error when there is no such message or topic
 */
export function place(hub: Hub, chat: Chat, options: FeishuSaid): Pick<Draft, 'parent' | 'inThread'> {
  const { world } = hub
  if (options.thread !== undefined) {
    const root = world.threads.get(options.thread) ?? world.message(chat.id, options.thread)
    const quoted = options.replyTo === undefined ? root : world.message(chat.id, options.replyTo)
    return { parent: quoted, inThread: true }
  }
  if (options.replyTo === undefined) return {}
  return {
    parent: world.message(chat.id, options.replyTo),
    ...(options.inThread !== undefined && { inThread: options.inThread }),
  }
}
