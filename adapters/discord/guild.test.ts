import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Guild, overwritesOf, personOf } from './guild.js'

const VIEW = '1024'
const ADMIN = '8'
const BOT = '900'

const guildOf = (roles: readonly object[] = []): Guild => {
  const guild = new Guild('1')
  guild.describe(
    {
      id: '1',
      name: 'Acme',
      owner_id: '10',
      member_count: 3,
      roles: [{ id: '1', name: '@everyone', permissions: VIEW }, ...roles],
      members: [
        { user: { id: '10', username: 'owner' }, roles: [] },
        { user: { id: '11', username: 'ann', global_name: 'Ann' }, nick: 'Annie', roles: ['2'] },
        { user: { id: '12', username: 'bob' }, roles: [] },
      ],
    },
    true,
  )
  return guild
}
const seeing = (guild: Guild, overwrites: readonly object[]): string[] =>
  [...guild.people(overwritesOf({ permission_overwrites: overwrites }))].map(([id]) => id)

describe('who sees a channel', () => {
  const roles = [{ id: '2', name: 'devs', permissions: '0' }]

  it.each<[string, readonly object[], readonly string[]]>([
    ['everybody', [], ['10', '11', '12']],
    [
      'a role',
      [
        { id: '1', deny: VIEW, allow: '0' },
        { id: '2', allow: VIEW, deny: '0' },
      ],
      ['10', '11'],
    ],
    [
      'a person',
      [
        { id: '1', deny: VIEW, allow: '0' },
        { id: '12', allow: VIEW, deny: '0' },
      ],
      ['10', '12'],
    ],
    ['all but one', [{ id: '12', deny: VIEW, allow: '0' }], ['10', '11']],
    ['what does not concern it', [{ id: '1', deny: '2048', allow: '0' }], ['10', '11', '12']],
  ])('%s', (_, overwrites, expected) => {
    expect(seeing(guildOf(roles), overwrites)).toEqual(expected)
  })

  it('an administrator sees everything', () => {
    const guild = guildOf([{ id: '2', name: 'admins', permissions: ADMIN }])
    expect(seeing(guild, [{ id: '1', deny: VIEW, allow: '0' }])).toEqual(['10', '11'])
  })
})

describe('a guild', () => {
  it('knows the role that stands for the bot, and no other', () => {
    const guild = guildOf([
      { id: '3', name: 'Golem', permissions: '0', managed: true, tags: { bot_id: BOT } },
      { id: '4', name: 'Golem', permissions: '0', managed: true, tags: { bot_id: '901' } },
      { id: '5', name: 'Golem', permissions: '0', managed: false, tags: { bot_id: BOT } },
    ])
    expect(guild.rolesOf(BOT)).toEqual(['3'])
    guild.forgetRole('3')
    expect(guild.rolesOf(BOT)).toEqual([])
  })

  it('is whole where everybody came with it', () => {
    expect(guildOf().isWhole).toBe(true)
    const guild = new Guild('1')
    guild.describe({ id: '1', member_count: 300, large: true, members: [], roles: [] }, true)
    expect(guild.isWhole).toBe(false)
  })

  it('bears anything', () => {
    fc.assert(
      fc.property(fc.object(), fc.anything(), (data, roles) => {
        const guild = new Guild('1')
        guild.describe({ ...data, roles, members: roles }, true)
        guild.learn(data, data)
        expect([...guild.people([])].length).toBeLessThanOrEqual(1)
      }),
    )
  })
})

it('people are called by nickname, display name, user name, and by the others as well', () => {
  expect(personOf({ username: 'ann', global_name: 'Ann' }, { nick: 'Annie' })).toEqual({
    name: 'Annie',
    aliases: ['Ann', 'ann'],
  })
  expect(personOf({ username: 'bob', bot: true })).toEqual({ name: 'bob', bot: true, aliases: ['bob'] })
  expect(personOf({})).toBeUndefined()
})
