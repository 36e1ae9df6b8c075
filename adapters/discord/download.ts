/**
 * Bytes of files. Addresses of attachments are signed and good for a day, so the message is read again for a fresh one
 * each time (https://docs.discord.com/developers/reference#signed-attachment-cdn-urls). The token is sent to the API and
 * nowhere else, and nothing is fetched from a host that is none of Discord's.
 */
import { type FileRef, PlatformFailure } from '../../src/messaging/contract.js'
import { boundedBody, refusedFile, tooLarge } from '../bounded-body.js'
import type { Api } from './api.js'
import { asFailure, CallFailed } from './failures.js'
import { snapshotsOf } from './read-doc.js'
import { type FileSource, sourceOf, stickerPath } from './read-files.js'
import { fields, list, number, text } from './shape.js'

/** Large files take their time. Milliseconds. */
const PATIENCE = 120_000
/** https://docs.discord.com/developers/resources/sticker#sticker-object-sticker-format-types */
const GIF = 4

export async function download(
  api: Api,
  file: FileRef,
  maxBytes: number,
  now: number,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const source = sourceOf(file.id)
    if (source === undefined) throw refusedFile('the file has no id of Discord')
    const url =
      source.kind === 'sticker' ? stickerAt(api.web.apiUrl, source) : await addressOf(api, source, maxBytes)
    if (!isDiscords(url, api.web.apiUrl)) throw refusedFile('the file does not lie at Discord')
    return await bytesOf(api, url, maxBytes)
  } catch (error) {
    const place = { chat: `file ${file.id.slice(0, 70)}` }
    throw asFailure(error, { kind: 'typing', place, on: false }, now)
  }
}

/** Read again: the address that came with the message may have expired. */
async function addressOf(
  api: Api,
  { channel, message, attachment }: Extract<FileSource, { kind: 'attachment' }>,
  maxBytes: number,
): Promise<string> {
  const read = await api.get(['channels', channel, 'messages', message])
  const found = [read, ...snapshotsOf(read)]
    .flatMap((one) => list(one.attachments).map(fields))
    .find((one) => one.id === attachment)
  const url = text(found?.url)
  if (url === undefined)
    throw new PlatformFailure({ kind: 'gone', what: 'target' }, 'the file is not there any more')
  const size = number(found?.size) ?? 0
  if (size > maxBytes) throw tooLarge(size, maxBytes)
  return url
}

/** Stickers are everybody's, at an address of their own. Behind another API they are where that is. */
function stickerAt(apiUrl: string, { sticker, format }: Extract<FileSource, { kind: 'sticker' }>): string {
  const api = new URL(apiUrl)
  const path = stickerPath(sticker, format)
  if (!/(?:^|\.)discord\.com$/.test(api.hostname)) return new URL(path, api).href
  return `https://${format === GIF ? 'media.discordapp.net' : 'cdn.discordapp.com'}${path}`
}

async function bytesOf(api: Api, url: string, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
  const response = await api.web.open(url, { method: 'GET', what: 'GET file', timeoutMs: PATIENCE })
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel()
    throw new PlatformFailure({ kind: 'gone', what: 'target' }, 'the file is not there any more')
  }
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    if (response.status === 403)
      throw new PlatformFailure({ kind: 'forbidden' }, 'Discord does not hand out the file')
    throw new CallFailed('unreachable', 'GET file', `status ${response.status}`)
  }
  return await boundedBody(response.body, response.headers.get('content-length'), maxBytes)
}

/** Discord's own hosts by https, and the host that the API is at. */
export function isDiscords(address: string, apiUrl: string): boolean {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return false
  }
  const api = new URL(apiUrl)
  if (url.protocol === api.protocol && url.host === api.host) return true
  const under = (house: string): boolean => url.hostname === house || url.hostname.endsWith(`.${house}`)
  return url.protocol === 'https:' && ['discordapp.com', 'discordapp.net', 'discord.com'].some(under)
}
