import { describe, expect, it } from 'vitest'
import { box, updates } from './harness.fixture.js'

describe('getUpdates', () => {
  it('repeats until the offset moves past, and keeps order and limit', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    for (const text of ['a', 'b', 'c']) telegram.say(chat, ann, text)
    const ids = (await updates(ask)).map(({ update_id }) => Number(update_id))
    expect(ids).toEqual([ids[0], (ids[0] ?? 0) + 1, (ids[0] ?? 0) + 2])
    expect((await updates(ask)).length).toBe(3)
    expect(telegram.acknowledged).toEqual([])
    expect((await ask('getUpdates', { limit: 1, offset: ids[1] })).result).toMatchObject([
      { update_id: ids[1] },
    ])
    expect(telegram.acknowledged).toEqual([String(ids[0])])
    expect(telegram.pending).toBe(2)
    expect((await ask('getUpdates', { offset: -1 })).result).toMatchObject([{ update_id: ids[2] }])
    expect(telegram.pending).toBe(1)
  })

  it('holds a poll until something comes, or its time is over', async () => {
    const { telegram, clock, ask } = await box()
    const ann = telegram.person('Ann')
    let late: unknown = 'held'
    void ask('getUpdates', { timeout: 30 }).then(({ result }) => {
      late = result
    })
    await ask('getMe')
    expect(late).toBe('held')
    await expect
      .poll(() => {
        clock.advance(30_000)
        return late
      })
      .toEqual([])
    const held = ask('getUpdates', { timeout: 30 })
    telegram.say(telegram.dm(ann), ann, 'now')
    expect((await held).result).toMatchObject([{ message: { text: 'now' } }])
  })

  it('sends acknowledged updates again, whatever the offset, until they are handed out and confirmed', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    telegram.say(chat, ann, 'a')
    telegram.say(chat, ann, 'b')
    const next = Number((await updates(ask)).at(-1)?.update_id) + 1
    expect(await updates(ask, next)).toEqual([])
    telegram.redeliver(2)
    expect(telegram.pending).toBe(2)
    expect(await updates(ask, next)).toMatchObject([{ message: { text: 'a' } }, { message: { text: 'b' } }])
    expect(await updates(ask, next)).toEqual([])
    expect(telegram.pending).toBe(0)
  })

  it('holds back and lets go in another order', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    const release = telegram.hold()
    for (const text of ['a', 'b']) telegram.say(chat, ann, text)
    expect(await updates(ask)).toEqual([])
    expect(telegram.pending).toBe(2)
    release((held) => [...held].reverse())
    expect((await updates(ask)).map(({ message }) => message?.text)).toEqual(['b', 'a'])
  })

  it('forgets updates after 24 hours', async () => {
    const { telegram, clock, ask } = await box()
    const ann = telegram.person('Ann')
    telegram.say(telegram.dm(ann), ann, 'a')
    clock.advance(24 * 3600_000 + 1)
    expect(await updates(ask)).toEqual([])
  })

  it('keeps the kinds that were asked for, for updates from then on', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    await ask('getUpdates', { allowed_updates: ['edited_message'] })
    const id = telegram.say(chat, ann, 'a')
    await ask('getUpdates')
    telegram.edit(chat, id, 'b')
    expect(await updates(ask)).toMatchObject([{ edited_message: { text: 'b' } }])
    await ask('getUpdates', { allowed_updates: [] })
    telegram.say(chat, ann, 'c')
    expect(await updates(ask)).toHaveLength(2)
  })
})

describe('tokens, methods, files', () => {
  it('401 for a wrong or revoked token, 404 for what is no method or no token', async () => {
    const { telegram, ask } = await box()
    const get = async (path: string) => {
      const response = await fetch(`${telegram.url}${path}`)
      return [response.status, await response.json()]
    }
    expect(await get('/bot7000000001:wrong/getMe')).toEqual([
      401,
      { ok: false, error_code: 401, description: 'Unauthorized' },
    ])
    expect(await get('/botnothing/getMe')).toEqual([
      404,
      { ok: false, error_code: 404, description: 'Not Found' },
    ])
    expect(await ask('doMagic')).toMatchObject({ status: 404, description: 'Not Found: method not found' })
    const held = ask('getUpdates', { timeout: 30 })
    await ask('getMe')
    telegram.revokeToken()
    expect((await held).status).toBe(401)
    expect((await ask('getMe')).status).toBe(401)
    telegram.revokeToken(false)
    expect((await ask('getMe')).status).toBe(200)
  })

  it('gives a file for an hour, by its token only', async () => {
    const { telegram, clock, ask } = await box()
    const ann = telegram.person('Ann')
    telegram.say(telegram.dm(ann), ann, '', {
      files: [{ name: '../a b.bin', mime: 'text/x', bytes: Buffer.from('hello') }],
    })
    const [update] = await updates(ask)
    const document = update?.message?.document as { file_id: string; file_name: string } | undefined
    expect(document?.file_name).toBe('../a b.bin')
    const { file_path } = (await ask('getFile', { file_id: document?.file_id })).result
    const { botToken } = telegram.settings('socket')
    const url = `${telegram.url}/file/bot${String(botToken)}/${String(file_path)}`
    expect(await (await fetch(url)).text()).toBe('hello')
    expect((await fetch(url.replace(String(botToken), '1:x'))).status).toBe(401)
    clock.advance(3600_001)
    expect((await fetch(url)).status).toBe(404)
    expect((await ask('getFile', { file_id: 'x' })).description).toBe('Bad Request: invalid file_id')
  })
})

describe('faults', () => {
  it('meets calls as it is told, and undoes itself', async () => {
    const { telegram, clock, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    const send = () => ask('sendMessage', { chat_id: chat, text: 'a' })
    telegram.fault({
      method: 'sendMessage',
      after: 1,
      times: 1,
      do: { kind: 'rate-limit', retryAfterMs: 5000 },
    })
    expect((await send()).ok).toBe(true)
    expect(await send()).toMatchObject({ status: 429, parameters: { retry_after: 5 } })
    expect((await send()).ok).toBe(true)
    // With a scope it holds for all that belongs to it, until the time is over.
    telegram.fault({
      method: 'sendMessage',
      times: 1,
      do: { kind: 'rate-limit', retryAfterMs: 5000, scope: 'chat' },
    })
    expect((await send()).status).toBe(429)
    clock.advance(2000)
    expect(await send()).toMatchObject({ status: 429, parameters: { retry_after: 3 } })
    expect((await ask('getMe')).ok).toBe(true)
    clock.advance(3000)
    expect((await send()).ok).toBe(true)
    const undo = telegram.fault({ do: { kind: 'status', status: 502, body: '<html>Bad Gateway</html>' } })
    await expect(send()).rejects.toThrow()
    undo()
    telegram.fault({ times: 1, do: { kind: 'refuse', code: 'CHAT_WRITE_FORBIDDEN' } })
    expect(await send()).toMatchObject({ status: 400, description: 'Bad Request: CHAT_WRITE_FORBIDDEN' })
    telegram.fault({
      times: 1,
      do: { kind: 'refuse', code: 403, description: 'Forbidden: user is deactivated' },
    })
    expect(await send()).toMatchObject({ status: 403, description: 'Forbidden: user is deactivated' })
    telegram.fault({ times: 1, do: { kind: 'revoke' } })
    expect((await send()).status).toBe(401)
  })

  it('cuts before anything happened, or after it all did', async () => {
    const { telegram, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    telegram.fault({ times: 1, do: { kind: 'reset' } })
    await expect(ask('sendMessage', { chat_id: chat, text: 'a' })).rejects.toThrow()
    expect(telegram.seen(chat)).toHaveLength(0)
    telegram.fault({ times: 1, do: { kind: 'silent-success', how: 'cut' } })
    await expect(ask('sendMessage', { chat_id: chat, text: 'b' })).rejects.toThrow()
    expect(telegram.seen(chat)).toHaveLength(1)
    expect(telegram.calls.map(({ status, effect }) => [status, effect])).toEqual([
      [null, false],
      [null, true],
    ])
    telegram.fault({ times: 1, do: { kind: 'hang' } })
    const hung = ask('sendMessage', { chat_id: chat, text: 'c' }).catch(() => 'ended')
    await telegram.until(() => telegram.calls.length === 3, 'the call')
    telegram.cut('close')
    expect(await hung).toBe('ended')
    expect(telegram.seen(chat)).toHaveLength(1)
  })

  it('a half-open connection says nothing any more; a new one does', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const held = ask('getUpdates', { timeout: 30 }).catch(() => 'ended')
    await ask('getMe')
    telegram.cut('half-open')
    telegram.say(telegram.dm(ann), ann, 'a')
    expect(await updates(ask)).toMatchObject([{ message: { text: 'a' } }])
    expect(telegram.pending).toBe(1)
    telegram.cut('close')
    expect(await held).toBe('ended')
  })
})

describe('recording', () => {
  it('holds no token, and plays again in another box', async () => {
    const { telegram, ask, clock } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    telegram.say(chat, ann, 'a')
    clock.advance(1500)
    telegram.say(chat, ann, 'b')
    const { botToken } = telegram.settings('socket')
    await ask('sendMessage', { chat_id: chat, text: `my token is ${String(botToken)}` })
    const recording = telegram.recording()
    expect(recording).not.toContain(String(botToken).split(':')[1])
    expect(recording).toContain('[redacted]')
    const other = await box()
    const played = other.telegram.replay(recording)
    expect(await updates(other.ask)).toMatchObject([{ message: { text: 'a' } }])
    other.clock.advance(1500)
    expect(await played).toBe(2)
    expect(await updates(other.ask)).toMatchObject([
      { message: { text: 'a' } },
      { message: { text: 'b', chat: { id: Number(chat) } } },
    ])
    expect((await other.ask('sendMessage', { chat_id: chat, text: 'answered' })).ok).toBe(true)
  })
})
