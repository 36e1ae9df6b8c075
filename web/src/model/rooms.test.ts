import { describe, expect, it } from 'vitest'
import type { CoreRoom, LocalRoom } from '../api/wire.js'
import { findRooms, groupRooms, joinRooms, plain, platformOf } from './rooms.js'

const local = (id: string, change: Partial<LocalRoom> = {}): LocalRoom => ({
  id,
  kind: 'group',
  title: id.toUpperCase(),
  archived: false,
  at: 1,
  people: 0,
  ...change,
})
const core = (key: string, change: Partial<CoreRoom> = {}): CoreRoom => ({
  key,
  connection: platformOf(key),
  kind: 'group',
  title: null,
  policy: 'mention-only',
  policyNote: null,
  members: ['Golem'],
  messages: 1,
  lastAt: 5,
  running: 0,
  waiting: 0,
  quiet: false,
  ...change,
})

describe('the list of rooms', () => {
  it('joins what the local platform and the core know of a room', () => {
    const rooms = joinRooms(
      [local('lobby'), local('new')],
      [core('local:lobby', { policy: 'smart', running: 1 })],
    )
    expect(rooms.map((room) => [room.key, room.policy, room.running])).toEqual([
      ['local:lobby', 'smart', 1],
      ['local:new', null, 0],
    ])
  })

  it('has a section for every platform, and archived rooms last', () => {
    const rooms = joinRooms(
      [local('old', { archived: true }), local('lobby')],
      [core('slack.acme:C1'), core('irc:x')],
    )
    expect(groupRooms(rooms).map((group) => [group.title, group.rooms.map((room) => room.title)])).toEqual([
      ['Rooms here', ['LOBBY']],
      ['Slack', ['C1']],
      ['irc', ['x']],
      ['Archived', ['OLD']],
    ])
  })

  it('finds by every word, beginnings first', () => {
    const rooms = joinRooms([local('the-lab', { title: 'The Lab' }), local('lab-2', { title: 'Lab 2' })], [])
    expect(findRooms(rooms, 'lab').map((room) => room.title)).toEqual(['Lab 2', 'The Lab'])
    expect(findRooms(rooms, 'LAB the').map((room) => room.title)).toEqual(['The Lab'])
    expect(findRooms(rooms, 'none')).toEqual([])
  })

  it('previews a line without its marks', () => {
    expect(plain('# I am **Golem**,\n- see [docs](https://x.example) `a_b`')).toBe('I am Golem, see docs a_b')
  })
})
