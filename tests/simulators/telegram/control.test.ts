/** The control API, driven by HTTP as a person or another program would. */
import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { box, updates } from './harness.fixture.js'

async function driven() {
  const made = await box()
  const drive = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${made.telegram.url}/_sim/${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    return { status: response.status, body: (await response.json()) as never }
  }
  return { ...made, drive }
}

describe('/_sim/', () => {
  it('takes JSON also from a client that calls it a form, as curl does', async () => {
    const { telegram } = await driven()
    const body = JSON.stringify({ name: '小明' })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`${telegram.url}/_sim/people`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ name: '小明' })
    expect(telegram.people().map(({ name }) => name)).toContain('小明')
  })

  it('does by HTTP what people do', async () => {
    const { telegram, ask, drive } = await driven()
    const ann = (await drive('POST', 'people', { name: 'Ann' })).body as { id: string }
    const chat = ((await drive('POST', 'chats', { title: 'Team', people: ['Ann'] })).body as { id: string })
      .id
    const path = `chats/${encodeURIComponent(chat)}/messages`
    const { id } = (await drive('POST', path, { person: ann.id, text: 'hi', mention: true })).body as {
      id: string
    }
    await drive('PATCH', `${path}/${id}`, { text: 'hi there' })
    await drive('POST', `${path}/${id}/reactions`, { person: 'Ann', emoji: '👍' })
    await ask('sendMessage', {
      chat_id: chat,
      text: 'pick',
      reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] },
    })
    const answer = telegram.seen(chat)[1]?.id
    await drive('POST', `${path}/${answer}/presses`, { person: 'Ann', value: 'y' })
    const file = { name: 'a.txt', mime: 'text/plain', base64: Buffer.from('hey').toString('base64') }
    await drive('POST', path, { person: 'Ann', text: '', files: [file], replyTo: id })
    expect((await drive('GET', path)).body).toMatchObject([
      { text: 'hi there', edited: true, reactions: [{ emoji: '👍' }] },
      { text: 'pick', buttons: [{ label: 'Yes', value: 'y' }] },
      { files: [{ name: 'a.txt', bytes: 3 }], replyTo: id },
    ])
    await drive('DELETE', `${path}/${id}`)
    expect((await drive('GET', path)).body).toHaveLength(2)
    expect((await updates(ask)).map((update) => Object.keys(update)[1])).toEqual([
      'message',
      'edited_message',
      'callback_query',
      'message',
    ])
    expect((await drive('GET', 'calls?last=1')).body).toMatchObject([{ method: 'getUpdates' }])
    expect((await drive('GET', 'state')).body).toMatchObject({
      platform: 'telegram',
      pending: 4,
      chats: [{ id: chat, title: 'Team' }],
    })
  })

  it('puts faults in force, moves the clock, repeats, cuts', async () => {
    const { telegram, clock, ask, drive } = await driven()
    const { id } = (await drive('POST', 'faults', { method: 'getMe', do: { kind: 'refuse', code: 403 } }))
      .body as { id: string }
    expect((await ask('getMe')).status).toBe(403)
    expect((await drive('GET', 'faults')).body).toMatchObject([{ id, rule: { method: 'getMe' } }])
    await drive('DELETE', 'faults')
    expect((await ask('getMe')).status).toBe(200)
    const before = clock.now()
    await drive('POST', 'clock', { advance: 5000 })
    expect(clock.now()).toBe(before + 5000)
    const ann = telegram.person('Ann')
    telegram.say(telegram.dm(ann), ann, 'a')
    await ask('getUpdates', { offset: 999_999_999 })
    await ask('getUpdates', { offset: 999_999_999 })
    await drive('POST', 'redeliver', {})
    expect(telegram.pending).toBe(1)
    expect(await (await fetch(`${telegram.url}/_sim/recording`)).text()).toContain('"kind":"delivery"')
    expect(await drive('POST', 'cut', { how: 'close' })).toMatchObject({ status: 200 })
  })

  it('says how often each fault was met, and which are used up', async () => {
    const { ask, drive } = await driven()
    const refuse = { kind: 'refuse', code: 403 }
    const rules = [
      { method: 'getMe', times: 1, do: refuse, onMeet: 'no program of the caller' },
      { method: 'getMe', do: refuse },
      { method: 'getChat', do: refuse },
    ]
    for (const rule of rules) await drive('POST', 'faults', rule)
    for (let n = 0; n < 3; n++) expect((await ask('getMe')).status).toBe(403)
    expect((await drive('GET', 'faults')).body).toEqual([
      { id: '1', rule: { method: 'getMe', times: 1, do: refuse }, met: 1, usedUp: true },
      { id: '2', rule: { method: 'getMe', do: refuse }, met: 2, usedUp: false },
      { id: '3', rule: { method: 'getChat', do: refuse }, met: 0, usedUp: false },
    ])
    expect((await drive('GET', 'state')).body).toMatchObject({ faults: 2 })
    expect((await drive('DELETE', 'faults/1')).body).toEqual({ dropped: 1 })
    expect((await drive('DELETE', 'faults/1')).status).toBe(404)
    expect((await drive('DELETE', 'faults')).body).toEqual({ dropped: 2 })
  })

  it('keeps no more used up faults than somebody would read', async () => {
    const { ask, drive } = await driven()
    for (let n = 0; n < 110; n++) {
      await drive('POST', 'faults', { method: 'getMe', times: 1, do: { kind: 'refuse', code: 403 } })
      await ask('getMe')
    }
    const listed = (await drive('GET', 'faults')).body as { id: string }[]
    expect([listed.length, listed[0]?.id, listed.at(-1)?.id]).toEqual([100, '11', '110'])
  })

  it('has what only this platform has', async () => {
    const { telegram, drive } = await driven()
    const ann = telegram.person('Ann')
    const { id: forum } = (await drive('POST', 'forum', { title: 'F', people: [ann.id] })).body as {
      id: string
    }
    const { id: topic } = (await drive('POST', 'topic', { chat: forum, person: 'Ann', name: 'T' })).body as {
      id: string
    }
    expect(telegram.say(forum, ann, 'x', { thread: topic })).toBeTruthy()
    const { id: group } = (await drive('POST', 'basic-group', { title: 'G', people: ['Ann'] })).body as {
      id: string
    }
    const { id: moved } = (await drive('POST', 'migrate', { chat: group, person: 'Ann' })).body as {
      id: string
    }
    expect(moved).toMatch(/^-100/)
  })

  it.each([
    ['GET', 'nothing', undefined, 404, 'not_found'],
    ['POST', 'people', {}, 400, 'missing_field'],
    ['POST', 'chats/5/messages', { person: 'Ann', text: 'x' }, 404, 'no_such_chat'],
    ['POST', 'chats', { title: 'x', people: ['Nobody'] }, 404, 'no_such_person'],
    ['POST', 'faults', { do: { kind: 'explode' } }, 400, 'bad_fault'],
    ['POST', 'faults', { do: { kind: 'delay' } }, 400, 'bad_fault'],
    ['POST', 'cut', { how: 'softly' }, 400, 'bad_how'],
    ['POST', 'clock', { advance: -1 }, 400, 'bad_advance'],
    ['POST', 'clock', [1], 400, 'bad_body'],
  ])('%s %s %j is refused', async (method, path, body, status, code) => {
    const { drive } = await driven()
    expect(await drive(method, path, body)).toMatchObject({
      status,
      body: { error: { code, message: expect.any(String) } },
    })
  })

  it('is for this machine only: no foreign host, no foreign page', async () => {
    const { telegram } = await driven()
    const status = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const request = httpRequest(`${telegram.url}/_sim/state`, { headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.on('error', reject)
        request.end()
      })
    expect(await status({})).toBe(200)
    expect(await status({ host: 'evil.example' })).toBe(403)
    expect(await status({ origin: 'http://evil.example' })).toBe(403)
    expect(await status({ origin: telegram.url })).toBe(200)
  })

  it('shows a page, and tells it of changes', async () => {
    const { telegram } = await driven()
    const page = await fetch(`${telegram.url}/_sim/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('A platform in a box')
    const change = fetch(`${telegram.url}/_sim/changes`)
    await fetch(`${telegram.url}/_sim/state`)
    telegram.dm(telegram.person('Ann'))
    expect((await change).status).toBe(200)
  })
})
