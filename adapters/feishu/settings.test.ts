import { describe, expect, it } from 'vitest'
import { feishuSettings, originOf } from './settings.js'

const good = { appId: 'cli_a1b2c3d4e5f60718', appSecret: 's3cret' }
const webhook = { encryptKey: 'k', verificationToken: 't' }
const complaints = (settings: unknown): string => {
  const parsed = feishuSettings.safeParse(settings)
  return parsed.success
    ? ''
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n')
}

describe('settings', () => {
  it('takes an app, and says where it lives', () => {
    expect(feishuSettings.parse(good)).toEqual({ ...good, domain: 'feishu' })
    expect(complaints({ ...good, domain: 'lark', webhook, proxy: 'http://proxy.example:3128' })).toBe('')
    expect(originOf('feishu')).toBe('https://open.feishu.cn')
    expect(originOf('lark')).toBe('https://open.larksuite.com')
    const { domain } = feishuSettings.parse({ ...good, domain: 'http://127.0.0.1:9000/' })
    expect(originOf(domain)).toBe('http://127.0.0.1:9000')
  })

  it.each([
    [{ ...good, appId: 'cli_test' }, 'looks like cli_a1b2c3d4e5f60718'],
    [{ ...good, appId: 's3cret' }, 'Credentials & Basic Info'],
    [{ ...good, appSecret: 'cli_a1b2c3d4e5f60718' }, 'write it as appId'],
    [{ ...good, domain: 'feishu.cn' }, '`feishu`, `lark`, or an address'],
    [{ ...good, webhook: { encryptKey: 'k' } }, 'verificationToken'],
    [{ ...good, webhook: { ...webhook, encryptKey: '' } }, 'encryptKey'],
    [{ ...good, proxy: 'socks5://x' }, 'http://proxy.example:3128'],
    [{ ...good, apiUrl: 'http://x' }, 'apiUrl'],
  ])('%j: %s', (settings, sentence) => {
    expect(complaints(settings)).toContain(sentence)
  })

  it('a complaint repeats no secret', () => {
    expect(complaints({ appId: 's3cret', appSecret: 'cli_s3cret0123' })).not.toContain('s3cret')
  })
})
