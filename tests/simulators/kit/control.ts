/**
 * The control API of a simulator, mounted under `/_sim/` on its own server: everything a person on the platform can do,
 * by HTTP. For `golem simulate` and for programs in other languages. Loopback only.
 */
import { BadBody } from './body.js'
import { PAGE } from './page.js'
import { PostedFaults } from './posted-faults.js'
import { CONTROL_PATH, type Incoming, type NoReply, type Reply, readParams } from './server.js'
import type { Person, Said, Simulator } from './stage.js'
import { type Fields, fault, Refusal, readFiles, text } from './wants.js'

/** What is added to a control API by one platform: `POST /_sim/<name>` with a JSON object. */
export type Extras = Readonly<Record<string, (fields: Readonly<Record<string, unknown>>) => unknown>>

const PREFIX = CONTROL_PATH

export class Control {
  readonly #stage: Simulator
  readonly #extras: Extras
  readonly #faults: PostedFaults

  constructor(stage: Simulator, extras: Extras = {}) {
    this.#stage = stage
    this.#faults = new PostedFaults((rule) => stage.fault(rule))
    this.#extras = extras
  }

  /** The path belongs to the control API. */
  static owns(path: string): boolean {
    return path === PREFIX || path.startsWith(`${PREFIX}/`)
  }

  /** Never rejects: errors are answered as `{error: {code, message}}`. */
  async serve(request: Incoming): Promise<Reply | NoReply> {
    try {
      checkLocal(request)
      const [what = '', ...rest] = request.url.pathname
        .slice(PREFIX.length + 1)
        .split('/')
        .map(decodeURIComponent)
      const method = request.method === 'HEAD' ? 'GET' : request.method
      if (what === '' && method === 'GET') return html(PAGE)
      if (what === 'recording' && method === 'GET') return lines(this.#stage.recording())
      if (what === 'replay' && method === 'POST') {
        return json({ delivered: await this.#stage.replay(request.body.toString('utf8')) })
      }
      if (what === 'changes' && method === 'GET') return await this.#nextChange(request)
      const fields = method === 'GET' || method === 'DELETE' ? {} : fieldsOf(request)
      return json(this.#run(method, what, rest, fields, request.url.searchParams))
    } catch (error) {
      return refusal(error)
    }
  }

  #run(method: string, what: string, rest: string[], fields: Fields, query: URLSearchParams): unknown {
    const stage = this.#stage
    switch (`${method} ${what}`) {
      case 'GET state':
        return this.#state()
      case 'GET calls':
        return stage.calls.slice(-(Number(query.get('last')) || stage.calls.length))
      case 'POST people':
        return stage.person(text(fields, 'name'))
      case 'POST chats':
        if (rest.length > 0) return this.#inChat(method, rest, fields, query)
        return { id: this.#newChat(fields) }
      case 'GET chats':
      case 'PATCH chats':
      case 'DELETE chats':
        return this.#inChat(method, rest, fields, query)
      case 'GET faults':
        return this.#faults.list()
      case 'POST faults':
        return this.#faults.add(fault(fields))
      case 'DELETE faults':
        return this.#faults.drop(rest[0])
      case 'POST cut': {
        const how = text(fields, 'how', 'close')
        if (how !== 'close' && how !== 'half-open') throw new Refusal('bad_how', 'how: close or half-open')
        return stage.cut(how)
      }
      case 'POST redeliver':
        return stage.redeliver(Number(fields.count ?? 1))
      case 'POST clock': {
        const ms = Number(fields.advance)
        if (!(ms >= 0)) throw new Refusal('bad_advance', 'advance: milliseconds, forward only')
        stage.clock.advance(ms)
        return { now: stage.clock.now() }
      }
      case 'POST webhook':
        return stage.webhook(fields.url === null ? null : text(fields, 'url'))
      default: {
        const extra = method === 'POST' ? this.#extras[what] : undefined
        if (extra) return extra(fields) ?? {}
        throw new Refusal('not_found', `There is no ${method} ${PREFIX}/${what}`, 404)
      }
    }
  }

  #state(): unknown {
    const { platform, url, bot, pending, acknowledged, clock } = this.#stage
    return {
      platform,
      url,
      bot,
      now: clock.now(),
      chats: this.#stage.chats(),
      people: this.#stage.people(),
      pending,
      acknowledged: acknowledged.length,
      calls: this.#stage.calls.length,
      faults: this.#faults.inForce,
      extras: Object.keys(this.#extras),
    }
  }

  #newChat(fields: Fields): string {
    if (fields.dm !== undefined) return this.#stage.dm(this.#person(fields.dm))
    const people = Array.isArray(fields.people) ? fields.people : []
    return this.#stage.group(
      text(fields, 'title'),
      people.map((person) => this.#person(person)),
    )
  }

  /** `/chats/:id/messages[/:message[/reactions|presses]]` */
  #inChat(method: string, rest: string[], fields: Fields, query: URLSearchParams): unknown {
    const stage = this.#stage
    const [chat = '', messages, id, part] = rest
    if (!stage.chats().some((known) => known.id === chat)) {
      throw new Refusal('no_such_chat', `There is no chat ${chat}`, 404)
    }
    if (messages !== 'messages')
      throw new Refusal('not_found', `There is no ${method} of ${messages ?? 'a chat'}`, 404)
    const act = id === undefined ? method : `${method} :id${part === undefined ? '' : ` ${part}`}`
    const target = id ?? ''
    switch (act) {
      case 'GET': {
        const viewer = query.get('viewer')
        return stage.seen(chat, viewer === null ? undefined : this.#person(viewer))
      }
      case 'POST':
        return { id: stage.say(chat, this.#person(fields.person), text(fields, 'text', ''), said(fields)) }
      case 'PATCH :id':
        return stage.edit(chat, target, text(fields, 'text'))
      case 'DELETE :id':
        return stage.delete(chat, target)
      case 'POST :id reactions':
        return stage.react(chat, target, this.#person(fields.person), text(fields, 'emoji'))
      case 'POST :id presses':
        return stage.press(chat, target, this.#person(fields.person), text(fields, 'value'))
      default:
        throw new Refusal('not_found', `There is no ${method} of ${part ?? 'a message'}`, 404)
    }
  }

  /** A person by id or by name. */
  #person(who: unknown): Person {
    const people = this.#stage.people()
    const found = people.find(({ id }) => id === who) ?? people.find(({ name }) => name === who)
    if (found) return found
    throw new Refusal('no_such_person', `There is no person ${String(who)}: POST ${PREFIX}/people first`, 404)
  }

  /** Answers after the next change, or after 20 s: what the page waits on. */
  #nextChange(request: Incoming): Promise<Reply> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        off()
        request.gone.removeEventListener('abort', end)
        resolve(json({}))
      }
      const off = this.#stage.onChange(end)
      const timer = setTimeout(end, 20_000)
      timer.unref()
      request.gone.addEventListener('abort', end)
    })
  }
}

/** An object in JSON is one whatever its content type says: `curl -d` calls everything a form. */
function fieldsOf(request: Incoming): Fields {
  if (!/^\s*\{/.test(request.body.toString('utf8', 0, 100))) return readParams(request).params
  const headers = { ...request.headers, 'content-type': 'application/json' }
  return readParams({ ...request, headers }).params
}

function said(fields: Fields): Said {
  const files = readFiles(fields)
  return {
    ...(fields.replyTo !== undefined && { replyTo: text(fields, 'replyTo') }),
    ...(fields.thread !== undefined && { thread: text(fields, 'thread') }),
    ...(fields.mention === true && { mention: true }),
    ...(files.length > 0 && { files }),
  }
}

/** Pages of other sites must not drive a simulator: no foreign Host (DNS rebinding), no foreign Origin. */
function checkLocal(request: Incoming): void {
  const local = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/
  const origin = request.headers.origin
  if (!local.test(request.headers.host ?? '')) throw new Refusal('not_local', 'For this machine only', 403)
  if (origin !== undefined && !local.test(origin.replace(/^http:\/\//, ''))) {
    throw new Refusal('not_local', 'Not for pages of other sites', 403)
  }
}

const json = (value: unknown): Reply => ({ status: 200, headers: NO_STORE, body: value ?? {} })
const html = (page: string): Reply => ({
  status: 200,
  headers: { ...NO_STORE, 'content-type': 'text/html; charset=utf-8' },
  body: page,
})
const lines = (recording: string): Reply => ({
  status: 200,
  headers: { ...NO_STORE, 'content-type': 'application/x-ndjson' },
  body: recording,
})
const NO_STORE = { 'cache-control': 'no-store' }

function refusal(error: unknown): Reply {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Refusal)
    return { status: error.status, body: { error: { code: error.code, message } } }
  const code = error instanceof BadBody ? 'bad_body' : 'refused'
  return { status: 400, body: { error: { code, message } } }
}
