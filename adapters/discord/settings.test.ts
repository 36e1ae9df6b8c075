import { describe, expect, it } from 'vitest'
import { discordSettings } from './settings.js'

const parse = (settings: object) => discordSettings.safeParse(settings)
const problem = (settings: object): string =>
  parse(settings)
    .error?.issues.map(({ message }) => message)
    .join() ?? ''

describe('settings', () => {
  it('a token is enough', () => {
    expect(parse({ botToken: 'MTE4.abc.def' }).data).toEqual({
      botToken: 'MTE4.abc.def',
      apiUrl: 'https://discord.com/api',
      registerCommands: true,
    })
  })

  it('what is mistaken for the token is named', () => {
    expect(problem({ botToken: 'Bot MTE4.abc.def' })).toContain('without "Bot "')
    expect(problem({ botToken: '1187204481620426842' })).toContain('application id')
    expect(problem({ botToken: 'ab'.repeat(32) })).toContain('public key')
    expect(problem({ botToken: 'MTE4.abc\n.def' })).toContain('blanks')
    expect(problem({ botToken: '' })).not.toBe('')
  })

  it('addresses are addresses, unknown keys are none', () => {
    expect(problem({ botToken: 'a.b.c', apiUrl: 'discord.com' })).toContain('https://discord.com/api')
    expect(problem({ botToken: 'a.b.c', proxy: 'socks5://x' })).toContain('http://proxy')
    expect(problem({ botToken: 'a.b.c', token: 'x' })).toContain('token')
  })
})
