/** What should not come in: wrong tokens, missing rights, requests in a platform's name, ids and files out of bounds. */
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { encrypt, type FeishuSimulator, signed } from '../simulators/feishu/index.js'
import type { SlackSimulator } from '../simulators/slack/index.js'
import type { TelegramSimulator } from '../simulators/telegram/index.js'
import {
  Chat,
  connection,
  type Daemon,
  discord,
  feishu,
  onPlatforms,
  type Person,
  phase,
  STAGES,
  slack,
  telegram,
  until,
} from './platforms.js'
import { makeFolder, refusal } from './program.js'

describe('tokens', () => {
  it('a wrong token is shown with its cure, and ends nothing else', async () => {
    const [tele, slac] = [await telegram(), await slack()]
    const daemon = await onPlatforms(
      [
        { stage: tele, more: { botToken: '7000000001:AAwrong-token-of-somebody' } },
        { stage: slac, more: { botToken: 'xoxb-wrong-token-of-somebody' } },
        { stage: await discord(), more: { botToken: 'wrong-token-of-somebody' } },
        { stage: await feishu(), more: { appSecret: 'wrong-secret-of-somebody' } },
      ],
      { early: true },
    )
    for (const [id, cure] of [
      ['telegram', /BotFather/],
      ['slack', /Install App|token/],
      ['discord', /Reset Token/],
      ['feishu', /App Secret/],
    ] as const) {
      await phase(daemon, id, 'failed')
      const health = await connection(daemon, id)
      expect(health.reason).toMatch(/token|auth|secret/i)
      expect(health.cure).toMatch(cure)
    }
    expect(daemon.alive).toBe(true)
    expect((await daemon.health()).status).toBe('failed')
    expect(daemon.log + JSON.stringify(await daemon.health())).not.toMatch(/of-somebody/)
  })

  it('a token of another kind is refused at the start, by line and by name', async () => {
    const folder = makeFolder({
      'golem.yaml':
        'name: Golem\nchannels:\n  slack: { botToken: xapp-1-A-1-abc, appToken: xoxb-1-2-abc }\n  telegram: { botToken: "123456789" }\nagents:\n  - { name: Golem, engine: offline }\n',
    })
    const { code, text } = await refusal(folder)
    expect(code).not.toBe(0)
    expect(text).toMatch(/golem\.yaml:3:\d+: .*botToken.*app-level token/)
    expect(text).not.toMatch(/xapp-1-A|xoxb-1-2/)
  })

  it('a missing scope is named: at the start where nothing works without it, else in /health', async () => {
    const mute = await slack({ scopes: ['channels:history', 'app_mentions:read'] })
    const daemon = await onPlatforms([{ stage: mute }], { early: true })
    await phase(daemon, 'slack', 'failed')
    expect(await connection(daemon, 'slack')).toMatchObject({
      reason: expect.stringContaining('chat:write'),
      cure: expect.stringContaining('OAuth'),
    })
  })

  it('a missing right to react or to know names costs the mark and the mention, not the answer', async () => {
    const poor = await slack({
      scopes: [
        'chat:write',
        'app_mentions:read',
        'channels:history',
        'groups:history',
        'im:history',
        'mpim:history',
      ],
    })
    const ann = poor.person('Ann')
    const daemon = await onPlatforms([{ stage: poor }])
    const room = new Chat(daemon, poor, poor.group('Lobby', [ann]))
    const id = room.say(ann, 'do say @Ann yes', { mention: true })
    await room.rest()
    expect(room.answers(id)).toMatchObject([{ text: '@Ann yes', pings: [] }])
    expect(room.marks(id)).toEqual([])
  })
})

describe('requests in a platform’s name', () => {
  let daemon: Daemon
  let tele: TelegramSimulator
  let slac: SlackSimulator
  let ann: Person
  beforeAll(async () => {
    tele = await telegram()
    slac = await slack()
    ann = tele.person('Ann')
    daemon = await onPlatforms([
      { stage: tele, how: 'webhook' },
      { stage: slac, how: 'webhook' },
    ])
  })

  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(`${daemon.url}/webhooks/${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const secretOf = (stage: TelegramSimulator) =>
    (stage.settings('webhook').webhook as { secret: string }).secret
  function slackSigned(body: string, at = Math.floor(Date.now() / 1000)): Record<string, string> {
    const secret = String(slac.settings('webhook').signingSecret)
    const hash = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
    return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${hash}` }
  }
  const forged = {
    update_id: 999_999,
    message: {
      message_id: 1,
      date: 1,
      chat: { id: 5, type: 'private' },
      from: { id: 5, is_bot: false, first_name: 'Mallory' },
      text: 'do say forged',
    },
  }
  const event = (text: string) =>
    JSON.stringify({
      type: 'event_callback',
      team_id: 'T1',
      event_id: `Ev${text.length}`,
      event: {
        type: 'message',
        channel: 'D1',
        channel_type: 'im',
        user: 'U1',
        text,
        ts: '1700000000.000100',
      },
    })

  it.each([
    ['without a secret', {}],
    ['with a wrong one', { 'x-telegram-bot-api-secret-token': 'wrong' }],
  ])('Telegram %s: 401', async (_, headers: Record<string, string>) => {
    expect((await post('telegram', JSON.stringify(forged), headers)).status).toBe(401)
  })

  it.each([
    ['unsigned', () => ({})],
    ['signed by somebody else', () => ({ ...slackSigned('other body') })],
    ['signed an hour ago', (body: string) => slackSigned(body, Math.floor(Date.now() / 1000) - 3_600)],
    ['signed for the next hour', (body: string) => slackSigned(body, Math.floor(Date.now() / 1000) + 3_600)],
    [
      'with a time that is none',
      (body: string) => ({ ...slackSigned(body), 'x-slack-request-timestamp': '1e9' }),
    ],
  ] satisfies readonly (readonly [string, (body: string) => Record<string, string>])[])(
    'Slack %s: 401',
    async (_, headers) => {
      const body = event('do say forged')
      expect((await post('slack', body, headers(body))).status).toBe(401)
    },
  )

  it('what was said once is not said again when it is replayed', async () => {
    const body = event('do say replayed')
    for (let round = 0; round < 3; round++)
      expect((await post('slack', body, slackSigned(body))).status).toBe(200)
    await daemon.quiet()
    const said = slac.calls.filter(({ method }) => method === 'chat.postMessage')
    expect(said.length).toBeLessThanOrEqual(1)
  })

  it.each([
    '{',
    'null',
    '[]',
    '"x"',
    '7',
    '',
    '\u0000',
    '{"update_id":"x"}',
    '{"update_id":1,"message":{"chat":7}}',
  ])('malformed: %j is refused or passed over, and what comes next is answered', async (body) => {
    const secret = { 'x-telegram-bot-api-secret-token': secretOf(tele) }
    expect([200, 400]).toContain((await post('telegram', body, secret)).status)
    expect([200, 400]).toContain((await post('slack', body, slackSigned(body))).status)
  })

  it('bodies that are too large are refused', async () => {
    const body = `{"x":"${'x'.repeat(1_100_000)}"}`
    expect((await post('telegram', body, { 'x-telegram-bot-api-secret-token': secretOf(tele) })).status).toBe(
      413,
    )
    expect((await post('slack', body, slackSigned(body))).status).toBe(413)
  })

  it('Slack’s challenge is answered when it is signed', async () => {
    expect(await slac.verifyWebhook()).toBe(true)
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
    expect((await post('slack', body, {})).status).toBe(401)
  })

  it('ids that lead out of their folder make no file outside of it', async () => {
    const secret = { 'x-telegram-bot-api-secret-token': secretOf(tele) }
    const body = event('do say up')
      .replaceAll('"D1"', '"../../../../tmp/D1"')
      .replace('1700000000.000100', '../../x')
    expect([200, 400]).toContain((await post('slack', body, slackSigned(body))).status)
    const update = {
      ...forged,
      update_id: 5,
      message: { ...forged.message, chat: { id: '../../up', type: 'group', title: '../../x' } },
    }
    expect([200, 400]).toContain((await post('telegram', JSON.stringify(update), secret)).status)
    await daemon.quiet()
    for (const name of daemon.list('memory/groups')) expect(name).not.toMatch(/\.\.|\//)
    for (const name of daemon.list('.')) expect(['.golem', 'golem.yaml', 'memory']).toContain(name)
  })

  it('an account that is not there, or does not take webhooks, is not found', async () => {
    for (const path of ['telegram.other', 'local', 'slack.acme', 'discord'])
      expect((await post(path, '{}', {})).status).toBe(404)
    expect((await post('..%2f..', '{}', {})).status).toBe(400)
  })

  it('after all that, both are answered, and nobody forged an answer', async () => {
    const room = new Chat(daemon, tele, tele.group('Lobby', [ann]))
    expect(await room.ask(ann, 'do say fine')).toMatchObject([{ text: 'fine' }])
    const cid = slac.person('Cid')
    const other = new Chat(daemon, slac, slac.group('Lobby', [cid]))
    expect(await other.ask(cid, 'do say fine')).toMatchObject([{ text: 'fine' }])
    expect(JSON.stringify([...tele.calls, ...slac.calls])).not.toContain('forged')
    expect((await daemon.health()).status).toBe('ok')
  })
})

describe('requests in Feishu’s name', () => {
  let daemon: Daemon
  let stage: FeishuSimulator
  let secrets: { encryptKey: string; verificationToken: string }
  beforeAll(async () => {
    stage = await feishu()
    secrets = stage.settings('webhook').webhook as typeof secrets
    daemon = await onPlatforms([{ stage, how: 'webhook' }])
  })

  const post = async (body: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await fetch(`${daemon.url}/webhooks/feishu`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return response.status
  }
  const event = (text: string, token = secrets.verificationToken): string =>
    JSON.stringify({
      schema: '2.0',
      header: { event_id: `ev-${text.length}`, event_type: 'im.message.receive_v1', token },
      event: {
        sender: { sender_id: { open_id: 'ou_mallory' }, sender_type: 'user' },
        message: {
          message_id: `om_${text.length}`,
          create_time: String(Date.now()),
          chat_id: 'oc_forged',
          chat_type: 'p2p',
          message_type: 'text',
          content: JSON.stringify({ text }),
        },
      },
    })
  const sealed = (clear: string, key = secrets.encryptKey): string =>
    JSON.stringify({ encrypt: encrypt(clear, key) })
  const now = (): number => Math.floor(Date.now() / 1_000)
  const sign = (body: string, at = now(), key = secrets.encryptKey): Record<string, string> =>
    signed(key, at, 'nonce', body)
  const sealedAndSigned = (clear: string, at = now()): Promise<number> => {
    const body = sealed(clear)
    return post(body, sign(body, at))
  }
  const DAY = 86_400

  it.each([
    ['plain and unsigned', () => post(event('do say forged'))],
    ['plain, and signed', () => post(event('do say forged'), sign(event('do say forged')))],
    ['encrypted, and unsigned', () => post(sealed(event('do say forged')))],
    [
      'signed with another key',
      () => {
        const body = sealed(event('do say forged'))
        return post(body, sign(body, now(), 'another key'))
      },
    ],
    [
      'encrypted with another key',
      () => {
        const body = sealed(event('do say forged'), 'another key')
        return post(body, sign(body))
      },
    ],
    ['signed for another body', () => post(sealed(event('do say forged')), sign('{}'))],
    ['with another verification token', () => sealedAndSigned(event('do say forged', 'wrong'))],
    ['without a verification token', () => sealedAndSigned('{"schema":"2.0","header":{},"event":{}}')],
    ['signed a day ago', () => sealedAndSigned(event('do say forged'), now() - DAY)],
    ['signed for tomorrow', () => sealedAndSigned(event('do say forged'), now() + DAY)],
    [
      'a challenge with another token',
      () => sealedAndSigned('{"type":"url_verification","challenge":"x","token":"wrong"}'),
    ],
  ])('%s: 401, and nothing is taken', async (_, send) => {
    expect(await send()).toBe(401)
    await daemon.quiet()
    expect(stage.calls.filter(({ effect }) => effect)).toEqual([])
  })

  it.each(['{', 'null', '[]', '"x"', '7', '', '\u0000'])('%j is refused', async (body) => {
    expect(await post(body, sign(body))).toBe(400)
    expect(await sealedAndSigned(body)).toBe(400)
  })

  it.each([
    [
      'an event of nothing',
      (token: string) => ({ schema: '2.0', header: { event_type: 7, token }, event: 7 }),
    ],
    [
      'a message of nothing',
      (token: string) => ({
        schema: '2.0',
        header: { event_id: 'e', event_type: 'im.message.receive_v1', token },
        event: { sender: null, message: { chat_id: '../../up', message_id: '../../x', content: '{' } },
      }),
    ],
    ['an old form', (token: string) => ({ uuid: 'u', token, type: 'event_callback', event: { type: 'x' } })],
  ])('%s is passed over', async (_, body) => {
    expect(await sealedAndSigned(JSON.stringify(body(secrets.verificationToken)))).toBe(200)
  })

  it('a body that is too large is refused', async () => {
    const body = sealed(event('x'.repeat(1_100_000)))
    expect(await post(body, sign(body))).toBe(413)
  })

  it('the address proves itself, what is real is answered, and what is repeated by somebody is not', async () => {
    expect(await stage.verifyWebhook()).toBe(true)
    const ann = stage.person('Ann')
    const room = new Chat(daemon, stage, stage.group('Lobby', [ann]))
    expect(await room.ask(ann, 'do say fine')).toMatchObject([{ text: 'fine' }])
    stage.redeliver(3)
    await room.rest()
    expect(room.own).toHaveLength(1)
    expect(JSON.stringify(stage.calls)).not.toContain('forged')
    for (const name of daemon.list('memory/groups')) expect(name).not.toMatch(/\.\.|\//)
    expect(JSON.stringify(await daemon.health()) + daemon.log).not.toContain(secrets.encryptKey)
  })
})

describe.each(['telegram', 'slack', 'discord', 'feishu'] as const)('files on %s', (platform) => {
  it('one that is too large is not loaded, and the answer comes all the same; odd names stay inside', async () => {
    const stage = await STAGES[platform]()
    const ann = stage.person('Ann')
    const daemon = await onPlatforms([{ stage }])
    const room = new Chat(daemon, stage, stage.group('Lobby', [ann]))
    // On Feishu a file is a message of its own: whoever asks about it replies to it.
    const asked = (text: string, file: { name: string; mime: string; bytes: Uint8Array }) =>
      platform === 'feishu'
        ? room.ask(ann, text, { replyTo: room.say(ann, '', { files: [file] }) })
        : room.ask(ann, text, { files: [file] })
    const huge = {
      name: 'huge.bin',
      mime: 'application/octet-stream',
      bytes: new Uint8Array(60 * 1024 * 1024),
    }
    const [answer] = await asked('do prompt', huge)
    expect(answer?.text).toMatch(/huge\.bin/)
    const odd = { name: '../../etc/pass\nwd $(rm).txt', mime: 'text/plain', bytes: Buffer.from('x') }
    const [named] = await asked('do files', odd)
    expect(named?.text).toMatch(/[0-9a-f]{64}$/)
    expect(named?.text).not.toMatch(/\.\.\/|\n/)
    expect(daemon.alive).toBe(true)
  })
})

it('a clock that is wrong is said to be', async () => {
  const stage = await slack()
  const ann = stage.person('Ann')
  const daemon = await onPlatforms([{ stage, how: 'webhook' }])
  const room = new Chat(daemon, stage, stage.group('Lobby', [ann]))
  stage.skew(-3_600_000)
  room.say(ann, 'do say yes', { mention: true })
  await until(() => /clock is wrong/.test(daemon.log), 'nothing was said of the clock')
  stage.skew(0)
})
