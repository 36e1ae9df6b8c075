import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, start } from './harness.fixture.js'

const outside = mkdtempSync(join(tmpdir(), 'golem-outside-'))
const webRoot = join(outside, 'web')
const PAGE =
  '<!doctype html><title>Golem</title><script type="module" src="/assets/index-BkQ3x9Yz.js"></script>'
let golem: Harness

beforeAll(async () => {
  mkdirSync(join(webRoot, 'assets'), { recursive: true })
  writeFileSync(join(outside, 'secret.txt'), 'secret')
  writeFileSync(join(webRoot, 'index.html'), PAGE)
  writeFileSync(join(webRoot, '.env'), 'SECRET=1')
  writeFileSync(join(webRoot, 'icon.svg'), '<svg/>')
  writeFileSync(join(webRoot, 'assets', 'index-BkQ3x9Yz.js'), 'export {}')
  symlinkSync(join(outside, 'secret.txt'), join(webRoot, 'linked.txt'))
  golem = await start({ webRoot, token: 'a-token-the-page-does-not-need' })
})
afterAll(() => golem.close())

const page = { headers: { accept: 'text/html,*/*' } }

describe('the built console', () => {
  it('is served without a token and asked for anew each time', async () => {
    const response = await golem.get('/', page)
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('cache-control'),
    ]).toEqual([200, 'text/html; charset=utf-8', 'no-cache'])
    expect(await response.text()).toBe(PAGE)
  })

  it('lets no script run that is not a file of ours, and nobody frame it', async () => {
    const policy = (await golem.get('/', page)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; ")
    expect(/script-src[^;]*unsafe/.test(policy)).toBe(false)
    expect(policy).toContain("frame-ancestors 'none'")
  })

  it('serves hashed assets for ever', async () => {
    const response = await golem.get('/assets/index-BkQ3x9Yz.js')
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('cache-control'),
    ]).toEqual([200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'])
  })

  it('says 304 to who has it already', async () => {
    const etag = (await golem.get('/icon.svg')).headers.get('etag') ?? ''
    const again = await golem.get('/icon.svg', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('gives the page for addresses inside it, but not for missing files or programs', async () => {
    expect(await (await golem.get('/rooms/local%3Alobby', page)).text()).toBe(PAGE)
    expect((await golem.get('/assets/gone-AAAAAAAA.js', page)).status).toBe(404)
    expect((await golem.get('/rooms/x', { headers: { accept: 'application/json' } })).status).toBe(404)
    expect((await golem.get('/api/x', page)).status).toBe(401)
  })

  it('never leaves its folder nor shows hidden files', async () => {
    for (const path of [
      '/linked.txt',
      '/.env',
      '/%2eenv',
      '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
      '/assets',
      '/%2fetc%2fpasswd',
    ]) {
      const response = await golem.get(path)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(await response.text()).not.toMatch(/secret/i)
    }
  })
})

it('not built: a plain page says how to build it, and a build is seen without a restart', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'golem-empty-'))
  const bare = await start({ webRoot: join(empty, 'web') })
  const before = await bare.get('/', page)
  expect([before.status, await before.text()]).toEqual([503, expect.stringContaining('npm run build')])
  mkdirSync(join(empty, 'web'))
  writeFileSync(join(empty, 'web', 'index.html'), PAGE)
  expect(await (await bare.get('/', page)).text()).toBe(PAGE)
  await bare.close()
})
