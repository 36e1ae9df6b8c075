import { describe, expect, it } from 'vitest'
import { CHAT_COMMANDS } from '../../src/messaging/contract.js'
import { COMMAND_NAMES } from './commands.js'
import { bench, until } from './harness.fixture.js'
import { telegramSettings } from './settings.js'

const token = '123456789:AAE-token_of-the-test'
const wrong = (settings: unknown) =>
  telegramSettings.safeParse(settings).error?.issues.map(({ path }) => path.join('.'))

describe('settings', () => {
  it('need a token and nothing else', () => {
    expect(telegramSettings.parse({ botToken: token })).toEqual({ botToken: token })
    expect(
      telegramSettings.safeParse({
        botToken: token,
        apiUrl: 'http://127.0.0.1:8081',
        webhook: { url: 'https://golem.example/webhooks/telegram', secret: 'abc_-1' },
        proxy: 'http://proxy.example:3128',
      }).success,
    ).toBe(true)
  })

  it('that cannot be right are refused where they stand', () => {
    expect(wrong({})).toEqual(['botToken'])
    expect(wrong({ botToken: 'abc' })).toEqual(['botToken'])
    expect(wrong({ botToken: `${token} ` })).toEqual(['botToken'])
    expect(wrong({ botToken: token, apiUrl: 'file:///etc/passwd' })).toEqual(['apiUrl'])
    expect(wrong({ botToken: token, proxy: 'socks5://proxy.example' })).toEqual(['proxy'])
    expect(wrong({ botToken: token, webhook: { url: 'https://golem.example/' } })).toEqual(['webhook.secret'])
    expect(wrong({ botToken: token, webhook: { url: 'https://golem.example/', secret: 'a b' } })).toEqual([
      'webhook.secret',
    ])
    expect(wrong({ botToken: token, unknown: 1 })).toEqual([''])
  })
})

describe('an address that is none is told how one begins', () => {
  const webhook = (url: string) => ({ botToken: token, webhook: { url, secret: 's' } })
  const WEBHOOK =
    'must begin with https://, as https://golem.example.com/webhooks/telegram does; it leads to this Golem'
  it.each([
    [webhook('golem.example.com'), WEBHOOK],
    [webhook('golem.example.com:8443/webhooks/telegram'), WEBHOOK],
    [
      { botToken: token, apiUrl: 'localhost:8081' },
      'must begin with https://, as https://api.telegram.org does',
    ],
    [
      { botToken: token, proxy: 'proxy.example.com:3128' },
      'must begin with http:// or https://, as http://proxy.example.com:3128 does',
    ],
  ])('%j', (settings, sentence) => {
    const { error } = telegramSettings.safeParse(settings)
    expect(error?.issues.map(({ message }) => message)).toEqual([sentence])
  })
})

it('an address that is missing is not told how one begins', () => {
  const { error } = telegramSettings.safeParse({ botToken: token, webhook: { secret: 's' } })
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.not.stringContaining('must begin')])
})

describe('the menu of commands', () => {
  it('has those that Golem answers', () => {
    expect([...COMMAND_NAMES].sort()).toEqual([...CHAT_COMMANDS].sort())
  })

  it('is set at connect, in both languages, and missed by nobody', async () => {
    const one = await bench({ connect: false })
    one.sim.fault({ method: 'setMyCommands', times: 1, do: { kind: 'status', status: 500 } })
    await one.connect()
    await until(() => one.host.logged.some(({ message }) => message.includes('command menu')), 'it is noted')
    await one.connection.close(one.clock.now() + 1_000)
    await one.connect()
    const set = () =>
      one.sim.calls.filter(({ method, status }) => method === 'setMyCommands' && status === 200)
    await until(() => set().length === 2, 'both are set')
    expect(set().map(({ params }) => params.language_code)).toEqual([undefined, 'zh'])
  })
})
