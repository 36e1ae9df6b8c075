import { describe, expect, test } from 'vitest'
import { FakeClock, MemoryLog } from '../../../tests/fixtures/agents/kit.js'
import { claimed, FakeStore, line } from '../../../tests/fixtures/agents/workshop.js'
import type { ClaimedTurn } from '../../messaging/store.js'
import type { FetchedFile } from '../files/incoming.js'
import { type Heard, hear, NOTES_PER_TURN } from './hear.js'
import { TranscribeError, type Transcriber } from './transcriber.js'

const NOTE = { name: 'note.ogg', path: '/w/note.ogg', mime: 'audio/ogg', index: 0 }

function ear(say: (name: string) => string = () => 'the build is broken') {
  const asked: string[] = []
  const transcriber: Transcriber = {
    async transcribe({ name }) {
      asked.push(name)
      return say(name)
    },
  }
  return { transcriber, asked }
}

async function run(
  transcriber: Transcriber | undefined,
  files: FetchedFile[] = [{ ...NOTE }],
  turn: Partial<ClaimedTurn> = {},
): Promise<Heard & { files: FetchedFile[]; store: FakeStore; log: MemoryLog }> {
  const store = new FakeStore()
  const log = new MemoryLog()
  const heard = await hear({
    turn: claimed({
      files: files.map(({ name }) => ({ message: 1, file: { id: `id-${name}`, name } })),
      lines: [line('')],
      ...turn,
    }),
    incoming: { files, missing: [] },
    transcriber,
    store,
    signal: new AbortController().signal,
    clock: new FakeClock(),
    log,
    redact: (text) => text.replaceAll('swordfish', '[redacted]'),
  })
  return { ...heard, files, store, log }
}
const texts = ({ turn }: Heard) => turn.lines.map(({ text }) => text)

describe('a voice note', () => {
  test('is shown as words in the line it came with, is kept, and is on the receipt', async () => {
    const heard = await run(ear(() => 'the swordfish is broken').transcriber)
    expect(texts(heard)).toEqual(['[voice note, transcribed: the [redacted] is broken]'])
    expect(heard.store.heard).toEqual([{ message: 1, file: 'id-note.ogg', text: 'the [redacted] is broken' }])
    expect(heard.calls).toMatchObject([{ name: 'transcribe', ok: true, note: 'note.ogg: 24 characters' }])
  })

  test('comes after the words beside it; without any words of its own it says so', async () => {
    expect(texts(await run(ear().transcriber, undefined, { lines: [line('listen')] }))).toEqual([
      'listen\n[voice note, transcribed: the build is broken]',
    ])
    expect(texts(await run(ear(() => '').transcriber))).toEqual(['[voice note, transcribed: no words]'])
  })

  test('whose line is not shown stands beside its file', async () => {
    const heard = await run(ear().transcriber, undefined, { lines: [line('that one', { message: 2 })] })
    expect(texts(heard)).toEqual(['that one'])
    expect(heard.files[0]?.remark).toBe('[voice note, transcribed: the build is broken]')
  })

  test('that was written down before is not written down again', async () => {
    const { transcriber, asked } = ear()
    const ref = { message: 1, file: { id: 'id', name: 'note.ogg' }, transcript: 'known' }
    const again = await run(transcriber, undefined, { files: [ref], lines: [line('[…known]')] })
    expect(texts(again)).toEqual(['[…known]'])
    const quoted = await run(transcriber, undefined, { files: [ref], lines: [line('x', { message: 2 })] })
    expect(quoted.files[0]?.remark).toBe('[voice note, transcribed: known]')
    expect([asked, quoted.calls]).toEqual([[], []])
  })

  test('that cannot be written down costs no turn: the agent and the receipt are told why', async () => {
    const told = ear(() => {
      throw new TranscribeError('it took longer than 60 s')
    })
    const heard = await run(told.transcriber)
    expect(heard.files[0]?.remark).toBe('not transcribed: it took longer than 60 s')
    expect(heard.calls).toMatchObject([{ ok: false, note: 'note.ogg: it took longer than 60 s' }])
    expect([texts(heard), heard.store.heard]).toEqual([[''], []])
    const broken = ear(() => {
      throw new Error('/secret/path')
    })
    expect(JSON.stringify((await run(broken.transcriber)).calls)).not.toContain('/secret')
  })
})

test('only what sounds is listened to, by its type, else by its name', async () => {
  const { transcriber, asked } = ear()
  await run(transcriber, [
    { name: 'a.ogg', path: '/w/a.ogg', mime: 'audio/ogg; codecs=opus', index: 0 },
    { name: 'b.pdf', path: '/w/b.pdf', mime: 'application/pdf', index: 1 },
    { name: 'c.mp3', path: '/w/c.mp3', index: 2 },
    { name: 'd.txt', path: '/w/d.txt', index: 3 },
    { name: 'e.mp4', path: '/w/e.mp4', mime: 'video/mp4', index: 4 },
  ])
  expect(asked).toEqual(['a.ogg', 'c.mp3'])
})

test('a few of a turn are; with nobody to listen, none', async () => {
  const many = Array.from({ length: NOTES_PER_TURN + 2 }, (_, index) => ({
    ...NOTE,
    name: `${index}.ogg`,
    index,
  }))
  const { transcriber, asked } = ear()
  await run(transcriber, many)
  expect(asked).toHaveLength(NOTES_PER_TURN)
  expect(await run(undefined)).toMatchObject({ calls: [] })
})
