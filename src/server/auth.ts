/**
 * Who may ask. One secret, `gateway.token`: programs send it as a bearer token, the console trades it once for a
 * cookie that no script can read. The cookie is a signed expiry time, so that a restart does not log anybody out and a
 * new token logs everybody out; nothing is kept in memory.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../messaging/ambient.js'
import { HttpError } from './error.js'

const DAY = 24 * 60 * 60 * 1_000
const SESSION = 30 * DAY
const ATTEMPTS = 10
const ATTEMPTS_PER = 60_000
/** Addresses remembered for having guessed wrong; the oldest gives way. */
const ADDRESSES = 1_000

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
/** Takes as long for a wrong first character as for a wrong last one. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

export class Doorkeeper {
  /** Failed logins by address: how many since when. */
  readonly #failures = new Map<string, { count: number; since: number }>()
  readonly #token: string | null
  readonly #clock: Clock
  #cookieName = 'golem-session'

  /** @param token null: everybody who reaches the server may ask; {@link startServer} allows that on loopback only */
  constructor(token: string | null, clock: Clock) {
    this.#token = token
    this.#clock = clock
  }

  get required(): boolean {
    return this.#token !== null
  }

  /** Browsers share cookies between the ports of a host; two daemons on one machine must not log each other out. */
  bindTo(port: number): void {
    this.#cookieName = `golem-session-${port}`
  }

  knows(headers: Headers): boolean {
    if (this.#token === null) return true
    const bearer = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
    if (bearer !== undefined) return same(bearer, this.#token)
    return this.#validCookie(headers.get('cookie'))
  }

  /** Throws 401 for those it does not know. */
  admit(headers: Headers): void {
    if (this.knows(headers)) return
    throw new HttpError(
      401,
      'unauthorized',
      'This needs the token in golem.yaml (gateway.token), sent as "Authorization: Bearer <token>".',
      { 'www-authenticate': 'Bearer realm="golem"' },
    )
  }

  /**
   * Trades the token for a `Set-Cookie` value.
   *
   * @param address where the attempt comes from; ten wrong ones in a minute close the door for the rest of it
   * @throws HttpError 401 or 429
   */
  login(token: string, address: string, secure: boolean): string | null {
    if (this.#token === null) return null
    const wait = this.#wait(address)
    if (wait > 0)
      throw new HttpError(429, 'too-many-attempts', `Too many wrong tokens; try again in ${wait} s.`, {
        'retry-after': String(wait),
      })
    if (!same(token, this.#token)) {
      this.#failed(address)
      throw new HttpError(401, 'wrong-token', 'That is not the token in golem.yaml (gateway.token).')
    }
    this.#failures.delete(address)
    const expires = this.#clock.now() + SESSION
    return this.#cookie(`${expires}.${this.#sign(this.#token, expires)}`, SESSION / 1_000, secure)
  }

  /** The `Set-Cookie` value that ends the session. */
  logout(secure: boolean): string {
    return this.#cookie('', 0, secure)
  }

  #cookie(value: string, maxAge: number, secure: boolean): string {
    return `${this.#cookieName}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  }

  #sign(token: string, expires: number): string {
    return createHmac('sha256', token).update(`golem session until ${expires}`).digest('base64url')
  }

  #validCookie(header: string | null): boolean {
    if (header === null || this.#token === null) return false
    for (const pair of header.split(';')) {
      const at = pair.indexOf('=')
      if (at < 0 || pair.slice(0, at).trim() !== this.#cookieName) continue
      const [stamp, signature] = pair
        .slice(at + 1)
        .trim()
        .split('.')
      if (stamp === undefined || signature === undefined || !/^\d{1,15}$/.test(stamp)) continue
      const expires = Number(stamp)
      if (expires > this.#clock.now() && same(signature, this.#sign(this.#token, expires))) return true
    }
    return false
  }

  /** Seconds to wait. */
  #wait(address: string): number {
    const failure = this.#failures.get(address)
    if (failure === undefined) return 0
    const left = failure.since + ATTEMPTS_PER - this.#clock.now()
    if (left <= 0) {
      this.#failures.delete(address)
      return 0
    }
    return failure.count < ATTEMPTS ? 0 : Math.ceil(left / 1_000)
  }

  #failed(address: string): void {
    const failure = this.#failures.get(address)
    if (failure !== undefined) {
      failure.count++
      return
    }
    const oldest = this.#failures.keys().next()
    if (this.#failures.size >= ADDRESSES && oldest.done !== true) this.#failures.delete(oldest.value)
    this.#failures.set(address, { count: 1, since: this.#clock.now() })
  }
}
