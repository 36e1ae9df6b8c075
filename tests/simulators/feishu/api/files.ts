/** Images and files: up, by a form; down, by the message they are in. */
import type { UploadedFile } from '../../kit/body.js'
import type { Answer } from '../../kit/calls.js'
import type { Hub } from '../hub.js'
import type { Resource } from '../world.js'
import { ApiError } from './errors.js'
import { type Asked, type Method, messageArg } from './method.js'

const MEGABYTE = 1_048_576
/** https://open.feishu.cn/document/server-docs/im-v1/image/create and …/im-v1/file/create */
const MOST_IMAGE = 10 * MEGABYTE
const MOST_FILE = 30 * MEGABYTE
const UPLOAD = ['im:resource', 'im:resource:upload']
const FILE_TYPES = new Set(['opus', 'mp4', 'pdf', 'doc', 'xls', 'ppt', 'stream'])

const image: Method = {
  name: 'im.image.create',
  verb: 'POST',
  path: '/open-apis/im/v1/images',
  scopes: UPLOAD,
  run(asked) {
    const { hub, app, args } = asked
    if (args.text('image_type') === undefined) throw new ApiError(234001)
    const file = uploaded(asked, 'image', MOST_IMAGE)
    if (imageMime(file.bytes) === undefined) throw new ApiError(234011)
    const { key } = keep(hub, app.appId, { ...file, kind: 'image', type: 'message' })
    return { data: { image_key: key } }
  },
}

const file: Method = {
  name: 'im.file.create',
  verb: 'POST',
  path: '/open-apis/im/v1/files',
  scopes: UPLOAD,
  run(asked) {
    const { hub, app, args } = asked
    const type = args.text('file_type') ?? ''
    const name = args.text('file_name')
    if (!FILE_TYPES.has(type) || name === undefined) throw new ApiError(234001)
    const part = uploaded(asked, 'file', MOST_FILE)
    const duration = Number(args.text('duration') ?? Number.NaN)
    const { key } = keep(hub, app.appId, {
      ...part,
      name,
      kind: 'file',
      type,
      ...(Number.isFinite(duration) && { durationMs: duration }),
    })
    return { data: { file_key: key } }
  },
}

function uploaded({ files }: Asked, name: string, most: number): UploadedFile {
  const part = files[name]
  if (part === undefined) throw new ApiError(234001)
  if (part.bytes.length === 0) throw new ApiError(234010)
  if (part.bytes.length > most) throw new ApiError(234006)
  return part
}

/**
 * https://open.feishu.cn/document/server-docs/im-v1/message/get-2: by the message and the key, not by the key alone.
 * Stickers, and what is in a merged forward's messages, are not given.
 */
const download: Method = {
  name: 'im.message.resource',
  verb: 'GET',
  path: '/open-apis/im/v1/messages/:message_id/resources/:file_key',
  scopes: ['im:message', 'im:message:readonly', 'im:resource'],
  run(asked) {
    const { hub, args } = asked
    const { message } = messageArg(asked)
    const key = args.need('file_key')
    const type = args.text('type')
    if (type !== 'image' && type !== 'file') throw new ApiError(234001)
    const resource = hub.world.resources.get(key)
    const isThere = message.keys.includes(key) && resource?.kind === type
    if (!isThere || message.isDeleted || message.type === 'sticker') throw new ApiError(234003)
    return { answer: bytesOf(resource, String(asked.headers.range ?? '')) }
  },
}

function bytesOf({ bytes, mime, name }: Resource, range: string): Answer {
  const headers = {
    'content-type': mime,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
  }
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range)
  if (asked === null) return { status: 200, headers, body: bytes }
  const from = Number(asked[1])
  const to = asked[2] === '' ? bytes.length - 1 : Math.min(Number(asked[2]), bytes.length - 1)
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${bytes.length}` },
    body: bytes.subarray(from, to + 1),
  }
}

/** Keeps a file under a key of its own. */
export function keep(
  { world }: Hub,
  owner: string,
  file: Pick<Resource, 'kind' | 'type' | 'name' | 'mime'> & { bytes: Uint8Array; durationMs?: number },
): Resource {
  const key = world.ids.next(file.kind === 'image' ? 'img_v3_' : 'file_v3_')
  const resource = { ...file, key, owner, bytes: Buffer.from(file.bytes) }
  world.resources.set(key, resource)
  return resource
}

/** By the first bytes: the formats that Feishu takes. */
export function imageMime(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG')) return 'image/png'
  if (head.startsWith('\xff\xd8')) return 'image/jpeg'
  if (head.startsWith('GIF8')) return 'image/gif'
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  if (head.startsWith('BM')) return 'image/bmp'
  return undefined
}

export const fileMethods: readonly Method[] = [image, file, download]
