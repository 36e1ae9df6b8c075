import { expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

it('knows which lines of a chat were edited or deleted, and how they stand now', () => {
  const room = new TestRoom()
  for (const id of ['a', 'b', 'c']) room.say(`line ${id}`, { id })
  const changes = (...ids: string[]) => COMMANDS.lineChanges(room.room, 'local:lobby', ids)
  expect(changes('a', 'b', 'c')).toEqual([])
  room.edit('a', 'another line')
  room.remove('b')
  expect(changes('a', 'b', 'c', 'nobody said it')).toEqual([
    { id: 'a', text: 'another line', at: room.now },
    { id: 'b', text: null, at: room.now },
  ])
  expect(changes('c')).toEqual([])
  expect(COMMANDS.lineChanges(room.room, 'local:another', ['a', 'b'])).toEqual([])
})
