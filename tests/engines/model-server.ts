/**
 * A server that plays language models: it speaks the streaming protocols of OpenAI (chat completions, responses),
 * Anthropic and Google on a loopback port, and says what its script tells it to, faults included.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Act, pieces } from './play.js'
import { type End, type Heard, type Json, type Tokens, WIRES, type Writer } from './wires.js'

export type { Heard } from './wires.js'

/** A part of a reply. */
export type Beat =
  | { text: string }
  /** `args` as the model writes them, JSON or not; they come in pieces. */
  | { tool: string; args: string }
  /** Goes over the line as it is. */
  | { raw: string | Buffer }
  /** Nothing more comes until the client leaves. */
  | 'hang'
  /** Text without end until the client leaves. */
  | 'flood'
  /** The connection is cut. */
  | 'cut'
  /** The reply ends in order, but the model did not end it. */
  | 'leave'
  | { end: End }
  | { tokens: Tokens }
  /** Goes on when this settles. */
  | { wait: Promise<unknown> }

/** A streamed reply, or an answer without any stream. */
export type Reply =
  | readonly Beat[]
  | { status: number; headers?: Readonly<Record<string, string>>; body?: string }

/** @param count requests before this one */
export type Script = (heard: Heard, count: number) => Reply | Promise<Reply>

export class ModelServer {
  readonly heard: Heard[] = []
  /** Replies under way. */
  busy = 0
  /** Clients that left in the middle of a reply. */
  left = 0
  script: Script
  readonly #server: Server

  private constructor(script: Script) {
    this.script = script
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  static async start(script: Script = () => []): Promise<ModelServer> {
    const server = new ModelServer(script)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  /** Without a path; providers add their own. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const wire = WIRES.find((each) => each.path.test(path))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (wire === undefined) {
      response.writeHead(404).end('{"error":{"message":"no such path"}}')
      return
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([key, value]) => [key, String(value)]),
    )
    const heard: Heard = { wire: wire.name, headers, body, ...wire.read(body, decodeURIComponent(path)) }
    const count = this.heard.push(heard) - 1
    this.busy += 1
    response.on('close', () => {
      this.busy -= 1
      if (!response.writableFinished) this.left += 1
    })
    const reply = await this.script(heard, count)
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      response.end(reply.body ?? '{}')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    await new Stream(response, wire.write(heard.model)).play(reply)
  }
}

/** Plays the beats of one reply. */
class Stream {
  readonly #response: ServerResponse
  readonly #writer: Writer
  #tokens: Tokens = { input: 10, output: 5 }
  #end: End | undefined
  readonly #gone: Promise<void>

  constructor(response: ServerResponse, writer: Writer) {
    this.#response = response
    this.#writer = writer
    this.#gone = new Promise((resolve) => response.on('close', () => resolve()))
  }

  async play(beats: readonly Beat[]): Promise<void> {
    await this.#write(this.#writer.begin())
    for (const beat of beats) {
      if (this.#response.destroyed) return
      if (beat === 'hang') await this.#gone
      else if (beat === 'flood') await this.#flood()
      else if (beat === 'cut') this.#response.destroy()
      else if (beat === 'leave') {
        this.#response.end()
        return
      } else if ('wait' in beat) await Promise.race([beat.wait, this.#gone])
      else if ('tokens' in beat) this.#tokens = beat.tokens
      else if ('end' in beat) this.#end = beat.end
      else if ('raw' in beat) await this.#write(beat.raw)
      else if ('text' in beat)
        for (const piece of pieces(beat.text)) await this.#write(this.#writer.text(piece))
      else {
        this.#end ??= 'tools'
        await this.#write(this.#writer.tool(beat.tool, beat.args))
      }
    }
    if (!this.#response.destroyed) this.#response.end(this.#writer.end(this.#end ?? 'stop', this.#tokens))
  }

  async #flood(): Promise<void> {
    while (!this.#response.destroyed) await this.#write(this.#writer.text('flood '.repeat(200)))
  }

  /** Each write is a chunk of its own on the line, and waits for a slow reader. */
  async #write(what: string | Buffer): Promise<void> {
    if (what.length === 0 || this.#response.destroyed) return
    if (this.#response.write(what)) await new Promise((resolve) => setImmediate(resolve))
    else await Promise.race([new Promise((resolve) => this.#response.once('drain', resolve)), this.#gone])
  }
}

/** The conformance kit's acts as a script: each `tool` ends a reply, and its result comes with the next request. */
export function acting(acts: readonly Act[]): Script {
  return (heard) => {
    const usage = acts.find((act) => act.act === 'usage')
    const rounds: Act[][] = [[]]
    for (const act of acts) {
      rounds.at(-1)?.push(act)
      if (act.act === 'tool') rounds.push([])
    }
    const round = heard.results.length
    const isFirst = round === 0
    const tokens: Beat =
      usage === undefined || !isFirst
        ? { tokens: { input: 0, output: 0 } }
        : { tokens: { input: usage.input, output: usage.output } }
    return [tokens, ...(rounds[round] ?? []).flatMap((act) => beatsOf(act, heard))]
  }
}

function beatsOf(act: Act, heard: Heard): Beat[] {
  switch (act.act) {
    case 'say':
      return [{ text: act.text }]
    case 'tool':
      return [{ tool: act.name, args: JSON.stringify(act.args) }]
    case 'repeat':
      return [{ text: heard.results.at(-1) ?? '' }]
    case 'hang':
      return ['hang']
    case 'flood':
      return ['flood']
    case 'garbage':
      return [
        { raw: 'data: {"type": \n\n' },
        { raw: Buffer.from([0xff, 0xfe, 0x00, 0x0a]) },
        { raw: 'data: 7\n\n' },
      ]
    case 'break':
      return ['cut']
    default:
      return []
  }
}
