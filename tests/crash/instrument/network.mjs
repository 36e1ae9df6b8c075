/**
 * What leaves the process for a platform: requests (by `fetch`, by undici, by `node:http`), socket frames, and the
 * answers to webhooks. `before` is the moment at which nothing has left yet; `after` the one at which the answer is there
 * and nobody in the process has read it.
 */
import { channel } from 'node:diagnostics_channel'
import http from 'node:http'
import https from 'node:https'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { platform, within } from './operations.mjs'
import { point } from './points.mjs'

/**
 * The API's method is the last word of the path, without the ids behind it; `connect` opens a socket, and what goes to an
 * address without a word is a file on its way.
 */
function requestName(path, isUpgrade = false) {
  const words = new URL(path, 'http://x').pathname
    .split('/')
    .filter((part) => /^[a-z]+(\.[a-z]+)*$/i.test(part))
  const method = isUpgrade ? 'connect' : (words.at(-1) ?? 'transfer')
  const operation = within()
  return `${platform} ${operation === undefined ? '' : `${operation} `}${method}`
}

// ---- fetch and undici ----

const names = new WeakMap()
channel('undici:request:create').subscribe(({ request }) => {
  const name = requestName(request.path, request.upgrade !== null && request.upgrade !== undefined)
  names.set(request, name)
  point(`${name} before`)
})
channel('undici:request:headers').subscribe(({ request }) => {
  const name = names.get(request)
  if (name !== undefined) point(`${name} after`)
})

// ---- node:http, which older clients use ----

for (const module of [http, https]) {
  const { request } = module
  module.request = (...args) => {
    const target = args.find((arg) => typeof arg === 'object' && arg !== null)
    const path = typeof args[0] === 'string' ? args[0] : (target?.path ?? target?.pathname ?? '/')
    const name = requestName(path)
    point(`${name} before`)
    const made = request.apply(module, args)
    made.prependOnceListener('response', () => point(`${name} after`))
    return made
  }
}

// ---- answers to webhooks ----

const { end } = http.ServerResponse.prototype
http.ServerResponse.prototype.end = function patched(...args) {
  if (!this.req?.url?.startsWith('/webhooks/') || platform === 'local') return end.apply(this, args)
  const name = `${platform} webhook ${this.statusCode}`
  point(`${name} before`)
  const result = end.apply(this, args)
  point(`${name} after`)
  return result
}
syncBuiltinESMExports()

// ---- socket frames: acknowledgements ----

const require = createRequire(new URL('../../../package.json', import.meta.url))
/** Slack's answer to an envelope; Feishu's to an event, which says how long it took. */
const ACKNOWLEDGES = /"envelope_id"|biz_rt/
for (const { prototype } of [require('undici').WebSocket, require('ws').WebSocket]) {
  const { send } = prototype
  prototype.send = function patched(data, ...rest) {
    const name = `${platform} ${ACKNOWLEDGES.test(Buffer.from(data).toString('latin1')) ? 'ack' : 'frame'}`
    point(`${name} before`)
    const result = send.call(this, data, ...rest)
    point(`${name} after`)
    return result
  }
}
