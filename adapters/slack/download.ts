/** Bytes of files. The token goes to Slack's own hosts and nowhere else. */
import { type FileRef, PlatformFailure } from '../../src/messaging/contract.js'
import { boundedBody, refusedFile, tooLarge } from '../bounded-body.js'
import { asFailure, CallFailed } from './failures.js'
import { fields, nativeId, number, text } from './shape.js'
import type { Web } from './web.js'

const MOST_REDIRECTS = 3

export async function download(
  web: Web,
  file: FileRef,
  maxBytes: number,
  now: number,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const id = nativeId(file.id)
    if (id === undefined) throw refusedFile('the file has no id of Slack')
    const info = fields((await web.call('files.info', { file: id })).file)
    if ((number(info.size) ?? 0) > maxBytes) throw tooLarge(number(info.size) ?? 0, maxBytes)
    const url = text(info.url_private_download) ?? text(info.url_private)
    if (url === undefined || !isSlacks(url, web.apiUrl)) throw refusedFile('the file does not lie at Slack')
    return await fetchBytes(web, url, text(info.mimetype) ?? file.mime, maxBytes)
  } catch (error) {
    const place = { chat: `file ${file.id.slice(0, 40)}` }
    throw asFailure(
      error instanceof PlatformFailure ? error : web.failed('download', error),
      { kind: 'typing', place, on: false },
      now,
    )
  }
}

async function fetchBytes(
  web: Web,
  first: string,
  mime: string | undefined,
  maxBytes: number,
): Promise<ReadableStream<Uint8Array>> {
  let url = first
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await web.request(url, { method: 'GET', authorized: true })
    const next = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && next !== null) {
      await response.body?.cancel()
      url = new URL(next, url).href
      // A login page elsewhere, most likely; the token does not go there.
      if (!isSlacks(url, web.apiUrl)) throw loginPage()
      continue
    }
    if (response.status === 404 || response.status === 410)
      throw new PlatformFailure({ kind: 'gone', what: 'target' }, 'the file is not there any more')
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel()
      throw response.status === 401 || response.status === 403
        ? loginPage()
        : new CallFailed('unreachable', 'download', { reason: `status ${response.status}` })
    }
    const type = response.headers.get('content-type') ?? ''
    // Without the right scope Slack answers 200 and a page to log in.
    if (/^text\/html/i.test(type) && mime !== 'text/html') {
      await response.body.cancel()
      throw loginPage()
    }
    return await boundedBody(response.body, response.headers.get('content-length'), maxBytes)
  }
  throw refusedFile('the file is redirected again and again')
}

/** The API's own host, and below `slack.com` (or GovSlack) any other of Slack's, by https. */
export function isSlacks(address: string, apiUrl: string): boolean {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return false
  }
  const api = new URL(apiUrl)
  if (url.protocol === api.protocol && url.host === api.host) return true
  if (url.protocol !== 'https:') return false
  return ['slack.com', 'slack-gov.com'].some(
    (house) =>
      under(api.hostname, house) && (under(url.hostname, house) || under(url.hostname, 'slack-files.com')),
  )
}

const under = (host: string, house: string): boolean => host === house || host.endsWith(`.${house}`)

const loginPage = (): PlatformFailure =>
  new PlatformFailure(
    { kind: 'forbidden' },
    'Slack answers with a page to log in instead of the file: add the scope files:read and install the app again',
  )
