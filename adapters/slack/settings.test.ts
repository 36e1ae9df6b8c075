import { describe, expect, it } from 'vitest'
import { slackSettings } from './settings.js'

const botToken = 'xoxb-1'
const complaints = (settings: unknown): string => {
  const parsed = slackSettings.safeParse(settings)
  return parsed.success
    ? ''
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n')
}

describe('settings', () => {
  it('takes either way of hearing, and both', () => {
    expect(slackSettings.parse({ botToken, appToken: 'xapp-1' })).toEqual({
      botToken,
      appToken: 'xapp-1',
      apiUrl: 'https://slack.com/api/',
      joinPublicChannels: false,
    })
    expect(complaints({ botToken, signingSecret: 's' })).toBe('')
    expect(complaints({ botToken, signingSecret: 's', appToken: 'xapp-1' })).toBe('')
  })

  it.each([
    [{ botToken }, 'add appToken (xapp-…, for Socket Mode) or signingSecret'],
    [{ botToken: 'xapp-1', appToken: 'xapp-1' }, 'write it as appToken'],
    [{ botToken: 'xoxp-1', appToken: 'xapp-1' }, 'Bot User OAuth Token'],
    [{ botToken, appToken: 'xoxb-1' }, 'write it as botToken'],
    [
      { botToken, appToken: 'xapp-1', apiUrl: 'slack.com' },
      'apiUrl: must begin with https://, as https://slack.com/api/ does',
    ],
    [
      { botToken, appToken: 'xapp-1', proxy: 'proxy.example:3128' },
      'proxy: must begin with http:// or https://, as http://proxy.example:3128 does',
    ],
    [{ botToken, appToken: 'xapp-1', proxy: 'socks5://x' }, 'http://proxy.example:3128'],
    [{ botToken, appToken: 'xapp-1', webhook: {} }, 'webhook'],
  ])('%j: %s', (settings, sentence) => {
    expect(complaints(settings)).toContain(sentence)
  })

  it('a complaint repeats no token', () => {
    expect(complaints({ botToken: 'xapp-1-secret', appToken: 'xoxb-secret' })).not.toContain('secret')
  })
})
