/** Rooms and people. */
import { randomBytes } from 'node:crypto'
import { BOT_ID, type In, type Out, type PersonView, PLATFORM_ID, Refused } from '../protocol.js'
import type { RawPerson } from '../raw.js'
import type { Context, RoomRow } from './context.js'
import { person, rawCommon, roomView } from './views.js'

/** A script that invents a room a second must not fill the list for ever. */
export const MOST_ROOMS = 10_000
const DAY = 24 * 60 * 60 * 1_000
/** Idempotency keys outlive every retry: the core remembers an event for 30 days. */
const KEYS_KEPT = 35 * DAY

/** At connect: the first rooms, the bot's name, and what an earlier life left behind. */
export function prepare(ctx: Context, input: In<'prepare'>): Out<'prepare'> {
  for (const room of input.rooms) {
    const known = ctx.get('select 1 from rooms where id = ?', room.id)
    if (known === undefined) announce(ctx, insertRoom(ctx, room.id, room.title, 'group', input.at), input.at)
  }
  remember(ctx, { id: BOT_ID, name: input.bot, kind: 'bot' })
  ctx.run('delete from keys where at < ?', input.at - KEYS_KEPT)
  const stale = ctx.all<{ id: string }>(
    'select id from files where message is null and at < ? limit 1000',
    input.at - DAY,
  )
  return {
    head: ctx.get<{ id: number | null }>('select max(id) id from log')?.id ?? 0,
    waiting: ctx.all<{ room: string }>('select distinct room from deliveries').map((row) => row.room),
    staleFiles: stale.map((row) => row.id),
  }
}

export function makeRoom(ctx: Context, input: In<'makeRoom'>): Out<'makeRoom'> {
  const id = input.id ?? `${input.kind === 'dm' ? 'dm' : 'room'}-${randomBytes(5).toString('hex')}`
  const known = ctx.get<RoomRow>('select * from rooms where id = ?', id)
  if (known !== undefined) {
    // Asking twice for the same room is a retry; asking for another one under its id is a mistake.
    const same = known.kind === input.kind && (input.title === undefined || input.title === known.title)
    if (!same)
      throw new Refused('room-exists', `there is already a room ${id}, titled ${JSON.stringify(known.title)}`)
    return { room: roomView(ctx, known), made: false }
  }
  const room = insertRoom(ctx, id, input.title ?? id, input.kind, input.at)
  announce(ctx, room, input.at)
  return { room: roomView(ctx, room), made: true }
}

/** The core hears of a room before anybody has spoken in it, so that it can say who is in it. */
function announce(ctx: Context, room: RoomRow, at: number): void {
  ctx.deliver({ ...rawCommon(ctx, room, null, BOT_ID, ctx.occurrence('room'), at), type: 'room' })
}

export function insertRoom(
  ctx: Context,
  id: string,
  title: string,
  kind: 'group' | 'dm',
  at: number,
): RoomRow {
  const count = ctx.get<{ n: number }>('select count(*) n from rooms')?.n ?? 0
  if (count >= MOST_ROOMS) {
    throw new Refused('too-many', `there are ${count} rooms already: use one of them`)
  }
  ctx.run('insert into rooms (id, kind, title, at) values (?, ?, ?, ?)', id, kind, title, at)
  ctx.publish('room', id)
  return ctx.room(id)
}

export function changeRoom(ctx: Context, input: In<'changeRoom'>): Out<'changeRoom'> {
  const before = ctx.room(input.id)
  const title = input.title ?? before.title
  const archived = input.archived === undefined ? before.archived : Number(input.archived)
  if (title === before.title && archived === before.archived) return { room: roomView(ctx, before) }
  ctx.run('update rooms set title = ?, archived = ? where id = ?', title, archived, input.id)
  ctx.publish('room', input.id)
  const room = ctx.room(input.id)
  if (title === before.title) return { room: roomView(ctx, room) }
  remember(ctx, input.author)
  const raw = rawCommon(ctx, room, null, input.author.id, ctx.occurrence('room'), input.at)
  return { room: roomView(ctx, room), delivery: ctx.deliver({ ...raw, type: 'room' }) }
}

export function listRooms(ctx: Context): Out<'rooms'> {
  return ctx.all<RoomRow>('select * from rooms order by at, id').map((row) => roomView(ctx, row))
}

export function listPeople(ctx: Context, input: In<'people'>): PersonView[] {
  if (input.room === undefined) {
    const rows = ctx.all<{ id: string }>('select id from people where id <> ? order by name, id', PLATFORM_ID)
    return rows.map((row) => person(ctx, row.id))
  }
  ctx.room(input.room)
  const rows = ctx.all<{ person: string }>(
    'select person from members where room = ? order by rowid',
    input.room,
  )
  return rows.map((row) => person(ctx, row.person))
}

/** Names follow their people: the newest name is the name everywhere. */
export function remember(ctx: Context, who: RawPerson): void {
  const known = ctx.get<{ name: string; kind: string }>('select name, kind from people where id = ?', who.id)
  if (known?.name === who.name && known.kind === who.kind) return
  ctx.run('insert or replace into people (id, name, kind) values (?, ?, ?)', who.id, who.name, who.kind)
}

/** Somebody does something in a room, and so belongs to it. A direct conversation belongs to the first one. */
export function enter(ctx: Context, room: RoomRow, who: RawPerson, at: number): void {
  if (room.kind === 'dm' && who.id !== BOT_ID) {
    const owner = ctx.get<{ person: string }>(
      'select person from members where room = ? and person not in (?, ?) limit 1',
      room.id,
      BOT_ID,
      who.id,
    )
    if (owner !== undefined) {
      throw new Refused(
        'not-yours',
        `${room.id} is the direct conversation of somebody else: make one of your own`,
      )
    }
  }
  remember(ctx, who)
  ctx.run('insert or ignore into members (room, person, at) values (?, ?, ?)', room.id, who.id, at)
}
