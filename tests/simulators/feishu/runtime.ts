/** One app at work: its connections, its webhook, what it is sent and what it calls. */
import { Calls, type Wording } from '../kit/calls.js'
import { Faults } from '../kit/faults.js'
import { Recorder } from '../kit/recorder.js'
import { Dispatcher } from './dispatch.js'
import type { Fields } from './fields.js'
import type { AppPort, Hub } from './hub.js'
import { CLIENT_CONFIG } from './options.js'
import { answered } from './presses.js'
import { Sockets } from './sockets.js'
import type { App } from './world.js'

export class Runtime implements AppPort {
  readonly app: App
  readonly sockets: Sockets
  readonly dispatcher: Dispatcher
  readonly recorder: Recorder
  readonly faults = new Faults()
  readonly calls: Calls
  /** Good tenant access tokens, and until when. */
  readonly tokens = new Map<string, number>()
  /** The secret was taken away. */
  isRevoked = false
  skewSeconds = 0
  readonly #hub: Hub

  constructor(hub: Hub, app: App, wording: Omit<Wording, 'revoke'>) {
    this.#hub = hub
    this.app = app
    const { clock, changes, options, world } = hub
    this.recorder = new Recorder('feishu', clock, () => this.#secrets())
    this.sockets = new Sockets({
      appId: app.appId,
      fragmentBytes: options.fragmentBytes ?? 60_000,
      config: { ...CLIENT_CONFIG, ...options.clientConfig },
      pushesAtHandshake: options.pushesAtHandshake === true,
      id: (prefix) => world.ids.next(prefix, 20),
      onOpen: () => {
        this.dispatcher.connected()
        changes.changed()
      },
      onClose: (socket) => {
        this.dispatcher.socketClosed(socket)
        changes.changed()
      },
      onAck: (frame, code, data) => this.dispatcher.acknowledge(frame, code, data),
    })
    this.dispatcher = new Dispatcher({
      clock,
      changes,
      recorder: this.recorder,
      sockets: this.sockets,
      isEager: options.retries !== 'schedule',
      freshId: options.freshEventIds === true ? () => world.ids.next('') : null,
      nonce: () => world.ids.next('nonce', 16).slice(5),
      encryptKey: () => app.encryptKey,
      skew: () => this.skewSeconds,
      onResponse: (outgoing, response) => {
        if (outgoing.kind === 'callback') answered(hub, outgoing.body, response)
      },
    })
    this.calls = new Calls({
      clock,
      faults: this.faults,
      changes,
      recorder: this.recorder,
      wording: { ...wording, revoke: () => this.revoke() },
    })
  }

  event(type: string, event: Fields): void {
    if (this.app.events !== null && !this.app.events.has(type)) return
    this.#push('event', type, event, String(this.#hub.clock.now()))
  }

  callback(type: string, event: Fields): void {
    // Microseconds here, as the page's example has them.
    this.#push('callback', type, event, String(this.#hub.clock.now() * 1000))
  }

  #push(kind: 'event' | 'callback', type: string, event: Fields, time: string): void {
    const id = this.#hub.world.ids.next('')
    const header = {
      event_id: id,
      event_type: type,
      create_time: time,
      token: this.app.verificationToken,
      app_id: this.app.appId,
      tenant_key: this.#hub.world.tenant,
    }
    this.dispatcher.push(id, { kind, body: { schema: '2.0', header, event } })
  }

  /** A token that is good for two hours. https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal */
  newToken(): { token: string; seconds: number } {
    const seconds = this.#hub.options.tokenSeconds ?? 7_200
    const token = this.#hub.world.ids.next('t-', 34)
    this.tokens.set(token, this.#hub.clock.now() + seconds * 1000)
    return { token, seconds }
  }

  isGood(token: string): boolean {
    return (this.tokens.get(token) ?? 0) > this.#hub.clock.now()
  }

  /** The App Secret is no longer good, nor is any token that came of it. */
  revoke(): void {
    this.isRevoked = true
    this.tokens.clear()
  }

  close(): void {
    this.dispatcher.close()
    this.sockets.close()
  }

  #secrets(): string[] {
    const { secret, encryptKey, verificationToken } = this.app
    return [secret, verificationToken, ...(encryptKey === null ? [] : [encryptKey]), ...this.tokens.keys()]
  }
}
