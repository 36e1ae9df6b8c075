import { expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const voice = (room: TestRoom, text = '') =>
  room.say(text, { id: 'v', files: [{ id: 'f1', name: 'note.ogg', mime: 'audio/ogg' }] })
const note = (room: TestRoom, message: number, text = 'the build is broken') =>
  COMMANDS.noteTranscript(room.room, { message, file: 'f1', text })

it('is shown from then on, once, and a run that comes again is told of it', () => {
  const room = new TestRoom()
  const { message = 0 } = voice(room)
  note(room, message)
  note(room, message)
  room.say('@Golem what was that?', { id: 'q', replyTo: { id: 'v' } })
  const turn = room.next()
  expect(turn.lines.map(({ text }) => text)).toEqual([
    '[voice note, transcribed: the build is broken]',
    'what was that?',
  ])
  expect(turn.files).toMatchObject([{ message, file: { id: 'f1' }, transcript: 'the build is broken' }])
})

it('goes when its message goes', () => {
  const room = new TestRoom()
  const { message = 0 } = voice(room, 'listen')
  note(room, message)
  room.remove('v')
  note(room, message, 'late')
  expect(room.room.sql('SELECT * FROM transcripts').all()).toEqual([])
  expect(JSON.stringify(room.room.sql('SELECT * FROM messages').all())).not.toContain('broken')
})

it('is found and read as part of what was said, whether it was indexed before or is later', () => {
  for (const early of [true, false]) {
    const room = new TestRoom()
    const { message = 0 } = voice(room, early ? 'listen' : '')
    const conversation = 'local:lobby'
    const find = (words: string) =>
      COMMANDS.searchTranscript(room.room, conversation, words, 5).map(({ text }) => text)
    if (early) expect(find('broken build')).toEqual([])
    note(room, message)
    const words = `${early ? 'listen\n' : ''}[voice note, transcribed: the build is broken]`
    expect(find('broken build')).toEqual([words])
    expect(COMMANDS.readTranscript(room.room, conversation, null, 5).map(({ text }) => text)).toEqual([words])
  }
})

it('stays when the words that were sent with it are edited', () => {
  const room = new TestRoom()
  const { message = 0 } = voice(room, 'listen')
  note(room, message)
  room.edit('v', 'please listen')
  room.say('@Golem what was that?', { id: 'q', replyTo: { id: 'v' } })
  const words = 'please listen\n[voice note, transcribed: the build is broken]'
  expect(room.next().lines[0]?.text).toBe(words)
  expect(COMMANDS.searchTranscript(room.room, 'local:lobby', 'broken', 5).map(({ text }) => text)).toEqual([
    words,
  ])
})
