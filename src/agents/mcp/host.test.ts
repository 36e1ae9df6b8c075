import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, test } from 'vitest'
import { MemoryLog } from '../../../tests/fixtures/agents/kit.js'
import { ToolError, type ToolSpec } from '../../messaging/engine.js'
import { createRedactor } from '../../messaging/redact.js'
import { McpHub, type McpSeat, REQUESTS_AT_ONCE } from './host.js'
import type { TurnTools } from './turn-tools.js'

const URL_ = 'http://127.0.0.1:1/mcp'
const SPECS: ToolSpec[] = [
  {
    name: 'history_search',
    description: 'Search.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
  { name: 'memory_remember', description: 'Remember.', parameters: { type: 'object', properties: {} } },
]

const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

function hub(): { hub: McpHub; log: MemoryLog } {
  const log = new MemoryLog()
  const made = new McpHub(log)
  made.listen(URL_)
  return { hub: made, log }
}

function tools(call: TurnTools['call'] = async () => ({ ok: true })): TurnTools {
  return { specs: () => SPECS, call }
}

function opened(made: McpHub, lent: TurnTools = tools()): McpSeat {
  const seat = made.open(lent)
  if (seat === null) throw new Error('nothing is served')
  return seat
}

async function connect(made: McpHub, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(URL_), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: async (url, init) => made.handle(new Request(url, init)),
    }),
  )
  clients.push(client)
  return client
}

function post(token: string | null, body: unknown, init: RequestInit = {}): Request {
  return new Request(URL_, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

describe('a client of the protocol', () => {
  test('is offered the tools of the turn, and told which of them only read', async () => {
    const { hub: made } = hub()
    const client = await connect(made, opened(made).token)
    expect(client.getServerVersion()?.name).toBe('golem')
    const { tools: listed } = await client.listTools()
    expect(listed).toMatchObject([
      {
        name: 'history_search',
        description: 'Search.',
        inputSchema: SPECS[0]?.parameters,
        annotations: { readOnlyHint: true },
      },
      { name: 'memory_remember', annotations: { readOnlyHint: false } },
    ])
  })

  test('gets a result as text and as data, whatever it is', async () => {
    const { hub: made } = hub()
    const called: unknown[] = []
    const seat = opened(
      made,
      tools(async (tool, args) => {
        called.push([tool, args])
        return tool === 'history_search' ? { messages: ['你好'] } : tool === 'nothing' ? undefined : ['a']
      }),
    )
    const client = await connect(made, seat.token)
    expect(await client.callTool({ name: 'history_search', arguments: { query: 'x' } })).toEqual({
      content: [{ type: 'text', text: '{"messages":["你好"]}' }],
      structuredContent: { messages: ['你好'] },
    })
    expect(await client.callTool({ name: 'list' })).toMatchObject({ structuredContent: { result: ['a'] } })
    expect(await client.callTool({ name: 'nothing' })).toMatchObject({ structuredContent: { result: null } })
    expect(called).toEqual([
      ['history_search', { query: 'x' }],
      ['list', {}],
      ['nothing', {}],
    ])
  })

  test('is told what it may correct, and nothing of what failed inside', async () => {
    const { hub: made, log } = hub()
    const seat = opened(
      made,
      tools(async (tool) => {
        if (tool === 'nope') throw new ToolError('There is no tool nope.')
        throw new Error('/secret/path')
      }),
    )
    const client = await connect(made, seat.token)
    expect(await client.callTool({ name: 'nope' })).toEqual({
      content: [{ type: 'text', text: 'There is no tool nope.' }],
      isError: true,
    })
    expect(JSON.stringify(await client.callTool({ name: 'breaks' }))).not.toContain('/secret/path')
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a tool failed' }])
  })

  test('is not held up by a call that waits: others go on', async () => {
    const { hub: made } = hub()
    let release: (value: unknown) => void = () => {}
    const seat = opened(
      made,
      tools((tool) =>
        tool === 'waits' ? new Promise((resolve) => (release = resolve)) : Promise.resolve(1),
      ),
    )
    const client = await connect(made, seat.token)
    const waits = client.callTool({ name: 'waits' })
    expect(await client.callTool({ name: 'quick' })).toMatchObject({ structuredContent: { result: 1 } })
    release('later')
    expect(await waits).toMatchObject({ structuredContent: { result: 'later' } })
  })
})

describe('a token', () => {
  test('is another one each time, and good for its own turn alone', async () => {
    const { hub: made } = hub()
    const one = opened(
      made,
      tools(async () => 'one'),
    )
    const two = opened(
      made,
      tools(async () => 'two'),
    )
    expect(one.token).not.toBe(two.token)
    const client = await connect(made, two.token)
    one.close()
    expect(await client.callTool({ name: 'x' })).toMatchObject({ structuredContent: { result: 'two' } })
    await expect(connect(made, one.token)).rejects.toThrow()
  })

  test.each([null, '', 'x', 'gmcp_', `gmcp_${'A'.repeat(43)}`])('%j opens nothing', async (token) => {
    const { hub: made } = hub()
    opened(made)
    const response = await made.handle(post(token, LIST))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  test('ends with its turn, and what is still being answered ends as well', async () => {
    const { hub: made } = hub()
    const seat = opened(
      made,
      tools(() => new Promise(() => {})),
    )
    const response = await made.handle(
      post(seat.token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waits' } }),
    )
    seat.close()
    expect(await response.text()).toBe('')
    expect((await made.handle(post(seat.token, LIST))).status).toBe(401)
  })

  test('stands in no text that leaves Golem, not even in part', () => {
    const { hub: made } = hub()
    const { token } = opened(made)
    const redactor = createRedactor()
    expect(redactor.text(`{"token":"${token}"}`)).toBe('{"token":"[redacted]"}')
    expect(redactor.partial(`it is ${token.slice(0, 12)}`)).toBe('it is ')
  })
})

describe('bad requests', () => {
  test.each(['GET', 'DELETE', 'PUT'])('%s: there is no session', async (method) => {
    const { hub: made } = hub()
    const { token } = opened(made)
    const request = new Request(URL_, { method, headers: { authorization: `Bearer ${token}` } })
    const response = await made.handle(request)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each(['{', '[]', '"x"', '{"jsonrpc":"2.0"}', '\u0000', ''])('%j is answered', async (body) => {
    const { hub: made } = hub()
    const { token } = opened(made)
    const response = await made.handle(post(token, body))
    await response.text()
    expect(response.status).toBeLessThan(500)
  })

  test('a flood of one turn is bounded, and another turn goes on', async () => {
    const { hub: made } = hub()
    const busy = opened(
      made,
      tools(() => new Promise(() => {})),
    )
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waits' } }
    for (let i = 0; i < REQUESTS_AT_ONCE; i += 1) await made.handle(post(busy.token, call))
    expect((await made.handle(post(busy.token, call))).status).toBe(429)
    expect((await made.handle(post(opened(made).token, LIST))).status).toBe(200)
    busy.close()
  })

  test('nothing is lent while nothing is served', () => {
    expect(new McpHub(new MemoryLog()).open(tools())).toBeNull()
  })
})
