import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, type Message, programAgent, QUICK } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(`name: Golem
${QUICK}agents:
${programAgent('Golem', 'obeys', 'role: orchestrator')}`)
})

const sha = (text: string) => createHash('sha256').update(text).digest('hex')

describe('files that people attach', () => {
  it('reach a program as files of its working folder, byte by byte', async () => {
    const bytes = `a,b\n${'1,2\n'.repeat(20_000)}`
    const csv = await daemon.upload('report.csv', bytes)
    const other = await daemon.upload('资料 1.txt', '你好')
    const [answer] = await daemon.ask('@Golem do files', { files: [csv, other] })
    expect(answer?.text.split('\n')).toEqual([`report.csv ${sha(bytes)}`, `资料 1.txt ${sha('你好')}`])
  })

  it.each(['../../etc/passwd', '.env', 'a/b.txt', '-rf', 'con\u0000.txt'])(
    'a name like %j gets a safe one',
    async (name) => {
      const file = await daemon.upload(name, 'x')
      const [answer] = await daemon.ask('@Golem do files', { files: [file] })
      expect(answer?.text).toMatch(new RegExp(`^[^/\\0.-][^/\\0]* ${sha('x')}$`, 'u'))
    },
  )

  it('two of one name are told apart', async () => {
    const files = [await daemon.upload('same.txt', 'one'), await daemon.upload('same.txt', 'two')]
    const [answer] = await daemon.ask('@Golem do files', { files })
    const lines = answer?.text.split('\n') ?? []
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual([sha('one'), sha('two')])
    expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(2)
  })

  it('an attachment without words waits a moment for them', async () => {
    const room = 'album'
    await daemon.ask('@Golem do say hello', { room })
    const file = await daemon.upload('photo.txt', 'x', room)
    const id = await daemon.say('@Golem', { room, files: [file] })
    await daemon.say('do files', { room })
    await daemon.quiet()
    expect(await daemon.answers(id, room)).toMatchObject([{ text: `photo.txt ${sha('x')}` }])
  })
})

/** Files that Golem has posted since this message. */
async function sent(id: string): Promise<Message['files']> {
  const since = (await daemon.messages()).filter((message) => Number(message.id) > Number(id))
  return since.filter(({ author }) => author.kind === 'self').flatMap(({ files }) => files)
}

describe('files that an agent sends', () => {
  it('are posted with the answer', async () => {
    const id = await daemon.say('@Golem do send report.txt')
    await daemon.quiet()
    expect(await daemon.answers(id)).toMatchObject([{ text: 'sent report.txt' }])
    const [file, ...more] = await sent(id)
    expect(more).toEqual([])
    expect(file).toMatchObject({ name: 'report.txt', bytes: 12 })
    expect(await daemon.download(file?.url ?? '')).toBe('all is well\n')
    expect((await daemon.receipt(id)).turns[0]?.files).toEqual([{ name: 'report.txt' }])
  })

  it.each([
    ['.env', 'hidden files, keys and password files are never sent'],
    ['.secrets/list.txt', 'hidden files, keys and password files are never sent'],
    ['link', 'it is a link out of the working folder'],
    ['/etc/hostname', 'it lies outside the working folder; copy it there first'],
    ['../../golem.db', 'it lies outside the working folder; copy it there first'],
    ['nowhere.txt', 'there is no such file in the working folder'],
  ])('%s is not: one line says why, and the answer comes', async (path, why) => {
    const id = await daemon.say(`@Golem do send ${path}`)
    await daemon.quiet()
    const answers = await daemon.answers(id)
    expect(await sent(id)).toEqual([])
    expect(answers[0]?.text).toBe(`sent ${path}`)
    expect(answers[1]?.text).toContain(why)
    expect((await daemon.receipt(id)).turns[0]?.files).toMatchObject([{ refused: why }])
  })

  it('without a word are the answer, and quote the question', async () => {
    const id = await daemon.say('@Golem do attach')
    await daemon.quiet()
    expect(await daemon.answers(id)).toMatchObject([{ text: '', files: [{ name: 'report.txt' }] }])
    expect((await daemon.receipt(id)).outcome).toBe('answered')
  })

  it('one that is refused does not keep the others back', async () => {
    const id = await daemon.say('@Golem do send .env report.txt')
    await daemon.quiet()
    expect(await sent(id)).toMatchObject([{ name: 'report.txt' }])
  })
})

it('what is larger than a file may be is refused with the limit', async () => {
  const path = '/api/local/rooms/lobby/files?name=big.bin'
  const response = await fetch(`${daemon.url}${path}`, { method: 'POST', body: new Uint8Array(21_000_000) })
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/\d/) } })
})
