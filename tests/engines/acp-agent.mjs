/**
 * An agent of the Agent Client Protocol that plays acts (see play.ts) in every turn, by hand and without any library, so
 * that it can do wrong what it likes. Long, because it is one program that must run on its own.
 *
 * Arguments: the acts as JSON, or `by-word`: the last word of the prompt's last message names them (WORDS). A file that
 * takes what it hears. Traits as JSON: what it can and what is wrong with it (TRAITS).
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , script = '[]', heard = '', traitsText = '{}'] = process.argv
const TRAITS = {
  /** A file that keeps its sessions; without it none can be taken up. */
  sessions: '',
  resume: false,
  forgets: false,
  image: false,
  mcp: false,
  /** A login is wanted; `key`: the variable that makes one. */
  auth: null,
  models: [],
  modes: false,
  /** Goes on after session/cancel. */
  deaf: false,
  /** Lives through SIGTERM. */
  stubborn: false,
  /** Never answers initialize. */
  mute: false,
  version: 1,
  /** Dies of this method. */
  dies: '',
  ...JSON.parse(traitsText),
}
if (TRAITS.stubborn) process.on('SIGTERM', () => {})

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const note = (text) => heard !== '' && appendFileSync(heard, `${text}\n`)
note(`pid ${process.pid}`)
process.stderr.write('agent is awake\n')

/** Answers that are waited for, by the id of their request. */
const waiting = new Map()
let asked = 0
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `a${++asked}`
    waiting.set(id, resolve)
    say({ id, method, params })
  })

const saved =
  TRAITS.sessions !== '' && existsSync(TRAITS.sessions)
    ? JSON.parse(readFileSync(TRAITS.sessions, 'utf8'))
    : {}
const keep = () => TRAITS.sessions !== '' && writeFileSync(TRAITS.sessions, JSON.stringify(saved))
/** Sessions that are open here: their tools, and what cancels their turn. */
const open = new Map()
let loggedIn = TRAITS.auth === null

const WORDS = {
  hello: [{ act: 'say', text: 'Hello from the agent.' }],
  edit: [{ act: 'ask', text: 'write notes.txt' }, { act: 'repeat' }],
  hang: [{ act: 'say', text: 'Half of it' }, { act: 'hang' }],
  crash: [{ act: 'say', text: 'So far' }, { act: 'child' }, { act: 'break' }],
  tool: [
    { act: 'tool', name: 'memory_remember', args: { line: 'the door code is 4711' } },
    { act: 'repeat' },
  ],
  count: [{ act: 'count' }],
  child: [{ act: 'child' }, { act: 'say', text: 'I have a child.' }],
}

function actsFor(text) {
  if (script !== 'by-word') return JSON.parse(script)
  const last = text.split('\n').findLast((line) => line.startsWith('> ['))
  return WORDS[last?.split(/\s+/).at(-1) ?? ''] ?? WORDS.hello
}

class Refusal extends Error {
  constructor(code, message, data) {
    super(message)
    this.code = code
    this.data = data
  }
}

const facts = (id) => ({
  ...(id === undefined ? {} : { sessionId: id }),
  ...(TRAITS.modes
    ? {
        modes: {
          currentModeId: 'a',
          availableModes: [
            { id: 'a', name: 'A' },
            { id: 'plan', name: 'Plan' },
          ],
        },
      }
    : {}),
  ...(TRAITS.models.length === 0
    ? {}
    : TRAITS.options
      ? {
          configOptions: [
            {
              id: 'the-model',
              name: 'Model',
              category: 'model',
              type: 'select',
              currentValue: TRAITS.models[0],
              options: TRAITS.models.map((value) => ({ value, name: value.toUpperCase() })),
            },
          ],
        }
      : {
          models: {
            currentModelId: TRAITS.models[0],
            availableModels: TRAITS.models.map((modelId) => ({ modelId, name: modelId.toUpperCase() })),
          },
        }),
})

async function mcp(server, method, params) {
  const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]))
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line.startsWith('data:'))
  const messages = (lines.length > 0 ? lines.map((line) => line.slice(5)) : [text]).map((line) =>
    JSON.parse(line),
  )
  const answer = messages.find((message) => message.id === 1)
  if (answer?.result === undefined) throw new Error(`no result: ${text}`)
  return answer.result
}

const METHODS = {
  initialize() {
    if (TRAITS.mute) return new Promise(() => {})
    return {
      protocolVersion: TRAITS.version,
      agentCapabilities: {
        loadSession: TRAITS.sessions !== '',
        promptCapabilities: { image: TRAITS.image },
        mcpCapabilities: { http: TRAITS.mcp },
        sessionCapabilities: {
          ...(TRAITS.resume ? { resume: {} } : {}),
          ...(TRAITS.forgets ? { delete: {} } : {}),
        },
      },
      authMethods:
        TRAITS.auth === null
          ? []
          : [
              { id: 'by-hand', name: 'Log in by hand' },
              { type: 'env_var', id: 'by-key', name: 'By a key', vars: [{ name: TRAITS.auth }] },
            ],
    }
  },
  authenticate({ methodId }) {
    if (methodId !== 'by-key') return new Promise(() => {})
    loggedIn = true
    return {}
  },
  async 'session/new'({ cwd, mcpServers }) {
    if (!loggedIn) throw new Refusal(-32_000, 'Authentication required')
    const id = `s${process.pid}-${open.size + 1}`
    saved[id] = { cwd, prompts: 0 }
    keep()
    await enter(id, mcpServers)
    return facts(id)
  },
  async 'session/load'({ sessionId, mcpServers }) {
    if (saved[sessionId] === undefined) throw new Refusal(-32_002, 'Resource not found')
    // It tells the past again, which is no answer to anything.
    update(sessionId, {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'from the past' },
    })
    await enter(sessionId, mcpServers)
    return facts()
  },
  async 'session/resume'(params) {
    if (saved[params.sessionId] === undefined) throw new Refusal(-32_002, 'Resource not found')
    await enter(params.sessionId, params.mcpServers)
    return facts()
  },
  'session/delete'({ sessionId }) {
    delete saved[sessionId]
    keep()
    return {}
  },
  'session/set_model': () => ({}),
  'session/set_config_option': () => ({ configOptions: [] }),
  'session/set_mode'({ modeId }) {
    if (modeId !== 'plan') throw new Refusal(-32_602, 'Invalid params', { details: `no mode ${modeId}` })
    return {}
  },
  async 'session/prompt'({ sessionId, prompt }) {
    const session = open.get(sessionId)
    if (session === undefined) throw new Refusal(-32_002, 'Resource not found')
    saved[sessionId].prompts += 1
    keep()
    const cancelled = new Promise((resolve) => {
      session.cancel = () => resolve('cancelled')
    })
    const play = new Turn(sessionId, session, cancelled)
    const outcome = await Promise.race([
      play.all(actsFor(prompt.map((block) => block.text ?? '').join('\n'))),
      ...(TRAITS.deaf ? [] : [cancelled]),
    ])
    play.over = true
    return { stopReason: outcome, ...(play.used === undefined ? {} : { usage: play.used }) }
  },
}

async function enter(id, servers) {
  const session = { server: TRAITS.mcp ? servers[0] : undefined, cancel: () => {} }
  open.set(id, session)
  if (session.server !== undefined) note(JSON.stringify(await mcp(session.server, 'tools/list', {})))
}

function update(sessionId, it) {
  say({ method: 'session/update', params: { sessionId, update: it } })
}

class Turn {
  over = false
  used = undefined
  last = ''

  constructor(id, session, cancelled) {
    this.id = id
    this.session = session
    this.cancelled = cancelled
  }

  update(it) {
    if (!this.over) update(this.id, it)
  }

  text(text) {
    this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  }

  /** @returns its stop reason */
  async all(acts) {
    for (const act of acts) {
      const stop = await this[act.act](act)
      if (stop !== undefined) return stop
    }
    return 'end_turn'
  }

  say({ text }) {
    this.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'nobody sees this' } })
    const characters = [...text]
    this.text(characters[0] ?? '')
    this.text(characters.slice(1).join(''))
  }

  async tool({ name, args }) {
    this.update({
      sessionUpdate: 'tool_call',
      toolCallId: 'm1',
      title: name,
      kind: 'other',
      status: 'in_progress',
    })
    try {
      const result = await mcp(this.session.server, 'tools/call', { name, arguments: args })
      note(JSON.stringify(result))
      this.last = result.content.map(({ text }) => text).join('')
    } catch (error) {
      this.last = String(error)
    }
    this.update({ sessionUpdate: 'tool_call_update', toolCallId: 'm1', status: 'completed' })
  }

  async ask({ text, kind = 'edit', options }) {
    this.update({
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: text,
      kind,
      status: 'pending',
      rawInput: { file: 'notes.txt' },
    })
    const { result } = await ask('session/request_permission', {
      sessionId: this.id,
      toolCall: { toolCallId: 't1' },
      options: options ?? [
        { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
        { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
        { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
      ],
    })
    note(JSON.stringify(result))
    this.last = result?.outcome?.optionId ?? 'deny'
  }

  repeat() {
    this.text(this.last)
  }

  /** How many prompts this session has had. */
  count() {
    this.text(`prompt ${saved[this.id].prompts} of ${this.id}`)
  }

  usage({ input, output }) {
    this.used = { inputTokens: input, outputTokens: output, totalTokens: input + output }
  }

  raw({ update: it }) {
    this.update(it)
  }

  end({ reason }) {
    return reason
  }

  fail({ code = -32_603, message, details }) {
    throw new Refusal(code, message, details === undefined ? undefined : { details })
  }

  async hang() {
    await new Promise(() => setInterval(() => {}, 60_000))
  }

  async flood() {
    while (!this.over) {
      this.text('flood '.repeat(20))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  garbage() {
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]))
  }

  /** What a careless program prints: everything here is passed over. */
  noise() {
    process.stdout.write('Update available: 1.2.3\n\n[]\n"text"\nnull\n{"jsonrpc":"2.0"}\n{"method":7}\n')
    process.stdout.write('{"jsonrpc":"2.0","id":999,"result":{}}\n{"jsonrpc":"2.0","id":null,"error":"x"}\n')
    say({
      method: 'session/update',
      params: { sessionId: this.id, update: { sessionUpdate: 'agent_message_chunk' } },
    })
    say({ method: 'session/update', params: null })
    say({
      method: 'session/update',
      params: {
        sessionId: 'another',
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'not here' } },
      },
    })
    say({ method: 'made/up', params: {} })
    say({ id: 'x1', method: 'fs/read_text_file', params: { path: '/etc/passwd' } })
  }

  async break() {
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => {})
  }

  /** A process that leaves the group. */
  child() {
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], {
      detached: true,
      stdio: 'ignore',
    })
    note(`pid ${pid}`)
  }

  environment() {
    note(JSON.stringify([process.env, process.argv]))
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  note(line)
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined) {
    waiting.get(id)?.({ result, error })
    waiting.delete(id)
  } else if (id === undefined) {
    if (method === 'session/cancel') open.get(params.sessionId)?.cancel()
  } else {
    Promise.resolve()
      .then(() => {
        if (method === TRAITS.dies) process.kill(process.pid, 'SIGKILL')
        const handler = METHODS[method]
        if (handler === undefined) throw new Refusal(-32_601, 'Method not found')
        return handler(params)
      })
      .then(
        (answer) => say({ id, result: answer }),
        (reason) =>
          say({ id, error: { code: reason.code ?? -32_603, message: reason.message, data: reason.data } }),
      )
  }
}
process.exit(0)
