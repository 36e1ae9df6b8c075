/**
 * Bytes are asked for by message, key and kind together
 * (https://open.feishu.cn/document/server-docs/im-v1/message/get-2), so a file's id holds all three.
 */
import { nativeId } from './shape.js'

/** What a message calls what it holds. */
export type MediaKind = 'image' | 'file' | 'audio' | 'media'

export interface Resource {
  message: string
  /** `type` of the request: `file` also for audio and video. */
  type: 'image' | 'file'
  key: string
}

export function fileId({ message, type, key }: Resource): string {
  return `${message}/${type}/${key}`
}

/** Undefined where it is no id of {@link fileId}. */
export function resourceOf(id: string): Resource | undefined {
  const [message, type, key, more] = id.split('/')
  if (more !== undefined || (type !== 'image' && type !== 'file')) return undefined
  const from = nativeId(message)
  const named = nativeId(key)
  return from === undefined || named === undefined ? undefined : { message: from, type, key: named }
}
