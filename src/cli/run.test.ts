import { describe, expect, it } from 'vitest'
import { receiptSchema } from '../messaging/views.js'
import { StoreError } from '../store/error.js'
import { Captured, fakeReader, folder, golem } from './harness.fixture.js'
import type { Reader } from './world.js'

/** As golem.yaml refers to a variable. */
const reference = (name: string): string => `\${${name}}`

/** A store that cannot be opened. */
const broken = (error: unknown) => ({
  loadReader: async () => (): Reader => {
    throw error
  },
})

describe('golem', () => {
  it('prints its version and its help', async () => {
    expect(await golem('--version')).toEqual({ code: 0, out: '0.1.0\n', err: '' })
    const help = await golem('--help')
    expect([help.code, help.err]).toEqual([0, ''])
    for (const word of ['start', 'why', 'status', 'queue', 'Exit codes: 0 done', '6 no such message'])
      expect(help.out).toContain(word)
  })

  it('without a command says what there is, and that this was no command', async () => {
    const { code, out, err } = await golem('')
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('Usage: golem')
  })

  it.each([
    ['strat', "unknown command 'strat'"],
    ['why a b', 'too many arguments'],
    ['why --jsn', "unknown option '--jsn'"],
    ['start --port 65536', 'It must be a number from 0 to 65535'],
    ['start --port -1', 'It must be a number from 0 to 65535'],
    ['start --port x', 'It must be a number from 0 to 65535'],
    ['start --port', 'argument missing'],
    ['queue --config', 'argument missing'],
  ])('%s is wrong usage: 2', async (line, sentence) => {
    const { code, out, err } = await golem(line)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(sentence)
  })

  it('tells programs of wrong usage too', async () => {
    const { code, out } = await golem('start --port x --json')
    expect(code).toBe(2)
    expect(JSON.parse(out)).toEqual({
      event: 'error',
      code: 'usage',
      message: expect.stringContaining('65535'),
    })
  })

  it('suggests what was meant', async () => {
    expect((await golem('stats')).err).toMatch(/Did you mean (one of )?sta/)
  })
})

describe('golem why', () => {
  it.each(['7', 'local:lobby:42', 'last', ''])('finds a message by "%s"', async (reference) => {
    const { code, out, err } = await golem(`why ${reference}`)
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('✓ Message 7  local:lobby:42  answered')
    expect(out).toContain('✓ policy     The room answers when it is addressed.')
  })

  it('answers programs in one line, by the schema of receipts', async () => {
    const { out } = await golem('why last --json')
    expect(out.trim()).not.toContain('\n')
    expect(receiptSchema.parse(JSON.parse(out)).message.id).toBe(7)
  })

  it('says that there is no such message: 6', async () => {
    const { code, out, err } = await golem('why slack:C1:9')
    expect([code, out]).toEqual([6, ''])
    expect(err).toMatch(
      /^golem: There is no message "slack:C1:9" in .*\.golem; name it by its number, as chatKey:nativeId/,
    )
    const forPrograms = await golem('why 99 --json')
    expect(forPrograms.code).toBe(6)
    expect(JSON.parse(forPrograms.out)).toMatchObject({ event: 'error', code: 'not-found' })
  })

  it('says that nothing was said yet', async () => {
    const { code, err } = await golem('why', {
      loadReader: async () => () => fakeReader({ receipt: async () => null }),
    })
    expect(code).toBe(6)
    expect(err).toMatch(/There is no message in .* yet; say something in a room first\./)
  })

  it('uses colour on a terminal only, and not where NO_COLOR is set', async () => {
    const onTerminal = (env: Record<string, string>) => golem('why', { stdout: new Captured(true, 80), env })
    expect((await onTerminal({})).out).toContain('\u001b[')
    expect((await onTerminal({ NO_COLOR: '' })).out).toContain('\u001b[')
    expect((await onTerminal({ NO_COLOR: '1' })).out).not.toContain('\u001b[')
    expect((await onTerminal({ TERM: 'dumb' })).out).not.toContain('\u001b[')
    expect((await golem('why')).out).not.toContain('\u001b[')
  })

  it('closes the store, whatever happens', async () => {
    let closed = 0
    const close = async () => void closed++
    const failing = () => Promise.reject(new StoreError('corrupt', 'It is damaged.'))
    await golem('why', { loadReader: async () => () => fakeReader({ close }) })
    await golem('why', { loadReader: async () => () => fakeReader({ close, receipt: failing }) })
    expect(closed).toBe(2)
  })
})

describe('golem queue and golem status', () => {
  it('say what waits for what', async () => {
    const { code, out } = await golem('queue')
    expect(code).toBe(0)
    expect(`\n${out}`).toMatchInlineSnapshot(`
      "
      Turns
      turn  conversation  agent   state            for    asked by  waits for
      7     local:lobby   Golem   running          4.2 s  Ann
      8     local:前台    小助手  queued, place 1  1.0 s  李雷      Golem

      On their way to a platform
      operation  chat         kind  state      attempts  for        failure
      16         local:lobby  post  ambiguous  2         1 min 5 s  the connection broke while posting
      "
    `)
    expect((await golem('queue --json')).out).toMatch(/^\{"turns":\[\{"turn":7,/)
  })

  it('say that nothing waits', async () => {
    const idle = {
      loadReader: async () => () => fakeReader({ queue: async () => ({ turns: [], operations: [] }) }),
    }
    expect((await golem('queue', idle)).out).toBe(
      'No turn runs or waits.\n\nNothing is on its way to a platform.\n',
    )
  })

  it('count and list the rooms', async () => {
    const { code, out } = await golem('status')
    expect(code).toBe(0)
    expect(`\n${out}`).toMatchInlineSnapshot(`
      "
      rooms       2
      messages    14
      turns       1 queued, 1 running, 9 settled
      operations  none
      open asks   0
      schedules   none
      tokens      none reported in the last 30 days
      store       40 kB, schema 1

      room         title  messages  last       running  waiting
      local:lobby  Lobby  12        1 min ago  1        0
      local:前台   前台   12        never      1        0
      "
    `)
    expect(JSON.parse((await golem('status --json')).out)).toMatchObject({ rooms: 2, bytes: 40_960 })
  })

  it('say that a chat goes on under another id', async () => {
    const moved = [{ from: 'telegram:-45', to: 'telegram:-10045', at: 1 }]
    const status = await fakeReader().status()
    const loadReader = async () => () => fakeReader({ status: async () => ({ ...status, moved }) })
    expect((await golem('status', { loadReader })).out).toContain(
      'telegram:-45 goes on as telegram:-10045: where golem.yaml names the old key, write the new one',
    )
  })
})

describe('where the store is', () => {
  const asked = async (yaml: string, changes: { line?: string; env?: Record<string, string> } = {}) => {
    let dataDir = ''
    const cwd = folder(yaml)
    const ran = await golem(changes.line ?? 'why', {
      cwd,
      ...(changes.env === undefined ? {} : { env: changes.env }),
      loadReader: async () => (path) => {
        dataDir = path
        return fakeReader()
      },
    })
    return { ...ran, dataDir: dataDir.replace(cwd, '~') }
  }

  it.each([
    ['name: golem\n', '~/.golem'],
    ['', '~/.golem'],
    ['dataDir: data\n', '~/data'],
    ['dataDir: /var/lib/golem\n', '/var/lib/golem'],
    [`dataDir: ${reference('DATA')}\n`, '/from/env'],
    [`gateway: { token: ${reference('UNSET')} }\ndataDir: ${reference('MISSING:-other')}\n`, '~/other'],
    ['agents: [ {\ndataDir: data\n', '~/data'],
    ['dataDir: ~/golem-data\n', '/home/ann/golem-data'],
  ])('is read from %j without anything else being right', async (yaml, dataDir) => {
    expect(await asked(yaml, { env: { DATA: '/from/env', HOME: '/home/ann' } })).toMatchObject({
      code: 0,
      dataDir,
    })
  })

  it('follows --config', async () => {
    expect((await asked('dataDir: elsewhere\n', { line: 'why -c ./golem.yaml' })).dataDir).toBe('~/elsewhere')
  })

  it.each([
    [`dataDir: ${reference('MISSING')}\n`, 'MISSING'],
    ['dataDir: [a]\n', 'dataDir must be the path of a folder'],
  ])('cannot be known from %j: 3', async (yaml, word) => {
    const { code, err } = await asked(yaml)
    expect(code).toBe(3)
    expect(err).toContain(word)
  })

  it('is not looked for where there is no configuration: 3', async () => {
    const { code, err } = await golem('why --config nowhere.yaml')
    expect(code).toBe(3)
    expect(err).toMatch(/nowhere\.yaml.*does not exist.*--config/s)
  })
})

describe('a store that cannot be read: 4', () => {
  it.each(['missing', 'corrupt', 'newer', 'in-use'] as const)('%s', async (kind) => {
    const { code, out, err } = await golem(
      'status',
      broken(new StoreError(kind, 'One sentence with the cure.')),
    )
    expect({ code, out, err }).toEqual({ code: 4, out: '', err: 'golem: One sentence with the cure.\n' })
    const forPrograms = await golem('status --json', broken(new StoreError(kind, 'One sentence.')))
    expect(JSON.parse(forPrograms.out)).toEqual({ event: 'error', code: kind, message: 'One sentence.' })
  })
})

it('what nobody expected is 1, with where it came from', async () => {
  const { code, err } = await golem('status', broken(new TypeError('x is not a function')))
  expect(code).toBe(1)
  expect(err).toMatch(/^golem: x is not a function\nTypeError: x is not a function\n {4}at /)
  expect((await golem('status', broken('just a text'))).code).toBe(1)
})
