/**
 * Files: an address to send the bytes to, the bytes, and a call that shares them.
 * https://docs.slack.dev/messaging/working-with-files#uploading_files
 */
import type { Incoming, Reply } from '../../kit/server.js'
import { readParams } from '../../kit/server.js'
import { blockId, type Hub, hubSeconds } from '../hub.js'
import { post, withIds } from '../posting.js'
import { parseMrkdwn } from '../text/mrkdwn.js'
import type { Block, Fields } from '../text/rich.js'
import { fullFileOf } from '../wire.js'
import type { SlackFile } from '../world.js'
import { ApiError, type Asked, channelArg, type Method } from './method.js'

/** 1 GB: https://slack.com/help/articles/201330736 */
const MOST_BYTES = 1_000_000_000

interface Pending {
  file: SlackFile
  length: number
  isDone: boolean
}

/** Uploads that were begun, by workspace. */
const uploads = new WeakMap<Hub['world'], Map<string, Pending>>()

function pendingOf(hub: Hub): Map<string, Pending> {
  let map = uploads.get(hub.world)
  if (map === undefined) {
    map = new Map()
    uploads.set(hub.world, map)
  }
  return map
}

const getUploadUrl: Method = {
  tier: 4,
  scopes: ['files:write'],
  token: 'bot',
  run({ hub, args }) {
    const name = args.need('filename')
    const length = args.number('length', -1)
    if (!(length > 0)) throw new ApiError('invalid_arguments')
    if (length > MOST_BYTES) throw new ApiError('file_upload_size_restricted')
    const id = hub.world.ids.next('F')
    const file: SlackFile = {
      id,
      name,
      title: name,
      mime: mimeOf(name),
      bytes: Buffer.alloc(0),
      user: hub.world.bot.id,
      created: hubSeconds(hub),
      shared: new Set(),
    }
    pendingOf(hub).set(id, { file, length, isDone: false })
    return { upload_url: `${hub.url}/upload/v1/${id}`, file_id: id }
  },
}

/** The bytes, raw or as a multipart form. */
export function receiveUpload(hub: Hub, request: Incoming): Reply {
  const id = request.url.pathname.split('/').at(-1) ?? ''
  const pending = pendingOf(hub).get(id)
  if (pending === undefined) return { status: 404, body: 'no such upload' }
  const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '')
  const bytes = isForm ? Object.values(readParams(request).files)[0]?.bytes : request.body
  if (bytes === undefined || bytes.length !== pending.length) return { status: 400, body: 'length mismatch' }
  pending.file.bytes = bytes
  pending.isDone = true
  return { status: 200, body: `OK - ${bytes.length}` }
}

/** Shares what was sent: one message with all of them. */
const complete: Method = {
  tier: 4,
  scopes: ['files:write'],
  token: 'bot',
  effect: true,
  run(asked) {
    const { hub, args } = asked
    const asks = args.json('files', 'invalid_arguments')
    if (!Array.isArray(asks) || asks.length === 0) throw new ApiError('invalid_arguments')
    const files = asks.map((ask: unknown) => finished(hub, ask))
    const ids = (args.text('channel_id') ?? args.text('channels') ?? '').split(',').filter((id) => id !== '')
    for (const id of ids) share(asked, id, files)
    return { files: files.map((file) => fullFileOf(hub, file)) }
  },
}

function finished(hub: Hub, ask: unknown): SlackFile {
  const { id, title } = (typeof ask === 'object' && ask !== null ? ask : {}) as Fields
  const pending = typeof id === 'string' ? pendingOf(hub).get(id) : undefined
  if (pending === undefined || !pending.isDone) throw new ApiError('file_not_found')
  pendingOf(hub).delete(pending.file.id)
  if (typeof title === 'string' && title !== '') pending.file.title = title
  hub.world.files.set(pending.file.id, pending.file)
  return pending.file
}

function share(asked: Asked, id: string, files: SlackFile[]): void {
  const { hub, args } = asked
  const channel = channelArg({ ...asked, args: args.with('channel', id) })
  if (channel.archived) throw new ApiError('is_archived')
  if (!channel.members.has(hub.world.bot.id)) throw new ApiError('not_in_channel')
  const comment = args.text('initial_comment') ?? ''
  const given = args.json('blocks', 'invalid_blocks')
  const blocks: Block[] = Array.isArray(given)
    ? withIds(hub, given as Block[])
    : comment === ''
      ? []
      : [{ type: 'rich_text', block_id: blockId(hub), elements: parseMrkdwn(comment) }]
  const ts = args.text('thread_ts')
  const root = channel.byTs.get(ts ?? '')
  const threadTs = root === undefined ? undefined : (root.threadTs ?? root.ts)
  post(hub, {
    channel: channel.id,
    user: hub.world.bot.id,
    ...(hub.world.bot.botId !== undefined && { botId: hub.world.bot.botId }),
    ...(hub.world.bot.appId !== undefined && { appId: hub.world.bot.appId }),
    text: comment,
    blocks,
    sent: { initial_comment: comment },
    subtype: 'file_share',
    files,
    ...(threadTs !== undefined && { threadTs }),
  })
}

const info: Method = {
  tier: 4,
  scopes: ['files:read'],
  token: 'bot',
  run({ hub, args }) {
    const file = hub.world.files.get(args.need('file'))
    if (file === undefined) throw new ApiError('file_not_found')
    return { file: fullFileOf(hub, file), comments: [], response_metadata: { next_cursor: '' } }
  },
}

/** A person attaches a file to what they say. */
export function attach(
  hub: Hub,
  user: string,
  file: { name: string; mime: string; bytes: Uint8Array },
): SlackFile {
  const id = hub.world.ids.next('F')
  const made: SlackFile = {
    id,
    name: file.name,
    title: file.name,
    mime: file.mime,
    bytes: Buffer.from(file.bytes),
    user,
    created: hubSeconds(hub),
    shared: new Set(),
  }
  hub.world.files.set(id, made)
  return made
}

/**
 * `url_private`: only with a token that may read files. Without, Slack answers with a page to sign in, not an error.
 *
 * @param isAllowed the request carries such a token
 */
export function download(hub: Hub, request: Incoming, isAllowed: boolean): Reply {
  const id = /^\/files-pri\/T[^-]*-(F[^/]+)\//.exec(request.url.pathname)?.[1] ?? ''
  const file = hub.world.files.get(id)
  if (!isAllowed) {
    return {
      status: 302,
      headers: { location: `${hub.url}/?redir=${encodeURIComponent(request.url.pathname)}` },
    }
  }
  if (file === undefined) return { status: 404, body: 'Not Found' }
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  if (range === null) return { status: 200, headers: { 'content-type': file.mime }, body: file.bytes }
  const from = Number(range[1])
  const to = range[2] === '' ? file.bytes.length - 1 : Math.min(Number(range[2]), file.bytes.length - 1)
  return {
    status: 206,
    headers: { 'content-type': file.mime, 'content-range': `bytes ${from}-${to}/${file.bytes.length}` },
    body: file.bytes.subarray(from, to + 1),
  }
}

const MIMES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  zip: 'application/zip',
}
const mimeOf = (name: string): string =>
  MIMES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream'

export const fileMethods: Readonly<Record<string, Method>> = {
  'files.getUploadURLExternal': getUploadUrl,
  'files.completeUploadExternal': complete,
  'files.info': info,
}
