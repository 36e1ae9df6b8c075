import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, start } from './harness.fixture.js'
import { memorySchema } from './memory-routes.js'

let golem: Harness
beforeAll(async () => {
  golem = await start()
})
afterAll(() => golem.close())

const PATH = '/api/memory/local:lobby'

async function read() {
  const response = await golem.get(PATH)
  expect(response.status).toBe(200)
  return memorySchema.parse(await response.json())
}
async function put(body: unknown, path = PATH): Promise<{ status: number; body: unknown }> {
  const response = await golem.get(path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

describe('memory over HTTP', () => {
  it('gives the form of a new file, and the facts that may be shown there', async () => {
    const { exists, text, facts } = await read()
    expect([exists, text.split('\n')[0]]).toEqual([false, '# Group: local-lobby'])
    expect(facts).toEqual([
      { audience: 'chat', text: 'The demo is on Friday', by: 'Ann', at: expect.any(Number) },
    ])
  })

  it('replaces what is still what was read, and nothing else', async () => {
    const { text, hash } = await read()
    const first = await put({ text: text.replace('## Members\n', '## Members\n- Ann\n'), hash })
    expect(first).toMatchObject({
      status: 200,
      body: { exists: true, text: expect.stringContaining('- Ann') },
    })
    const late = await put({ text: 'gone', hash })
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect((await read()).text).toContain('- Ann')
  })

  it('keeps the file its chat’s, whatever heading is sent', async () => {
    const { hash } = await read()
    await put({ text: '# Group: local-den\n\n## Decisions\n- tea\n', hash })
    expect((await read()).text).toBe('# Group: local-lobby\n\n## Decisions\n- tea\n')
  })

  it.each([
    [{}, 400],
    [{ text: 'x' }, 400],
    [{ text: '', hash: 'x' }, 400],
    [{ text: 'x', hash: 7 }, 400],
    [{ text: 'x', hash: 'x', key: 'slack:C1' }, 400],
  ])('%j is refused', async (body, status) => {
    expect((await put(body)).status).toBe(status)
  })

  it('makes nothing for a room that is none', async () => {
    for (const key of ['local:nowhere', 'x', 'local:.hidden'])
      expect((await put({ text: 'x', hash: 'x' }, `/api/memory/${key}`)).status, key).toBe(404)
  })
})
