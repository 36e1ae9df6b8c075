/** Reading: pages of a room, history for the core, the log, and what still waits for the core. */
import { type Delivery, type In, type LogEvent, type Out, Refused } from '../protocol.js'
import type { Context, MessageRow } from './context.js'
import { messageRaw, messageView } from './views.js'

const NEWEST = Number.MAX_SAFE_INTEGER

export function messages(ctx: Context, input: In<'messages'>): Out<'messages'> {
  ctx.room(input.room)
  const { rows, more } = page(ctx, input, '')
  return { messages: rows.map((row) => messageView(ctx, row)), more }
}

/** Without a thread: what was said in the room itself. Deleted messages say nothing. */
export function history(ctx: Context, input: In<'history'>): Out<'history'> {
  const room = ctx.room(input.room)
  const { rows } = page(ctx, { ...input, thread: input.thread ?? 'none' }, 'and deleted = 0')
  return rows.map((row) => messageRaw(ctx, room, row))
}

/** Oldest first. With `after` the page that follows it, else the newest page (before `before`). */
function page(
  ctx: Context,
  input: Omit<In<'messages'>, 'room'> & { room: string },
  extra: string,
): { rows: MessageRow[]; more: boolean } {
  const forward = input.after !== undefined
  const thread = input.thread
  const inThread =
    thread === undefined ? '' : thread === 'none' ? 'and thread is null' : 'and (thread = ? or id = ?)'
  const rows = ctx.all<MessageRow>(
    `select * from messages where room = ? and id > ? and id < ? ${inThread} ${extra}
     order by id ${forward ? 'asc' : 'desc'} limit ?`,
    input.room,
    Number(input.after ?? 0),
    Number(input.before ?? NEWEST),
    ...(thread === undefined || thread === 'none' ? [] : [Number(thread), Number(thread)]),
    input.limit + 1,
  )
  const more = rows.length > input.limit
  if (more) rows.pop()
  return { rows: forward ? rows : rows.reverse(), more }
}

export function message(ctx: Context, input: In<'message'>): Out<'message'> {
  return messageView(ctx, ctx.message(input.room, input.message))
}

export function log(ctx: Context, input: In<'log'>): Out<'log'> {
  const rows = ctx.all<{ id: number; type: LogEvent['type']; room: string; message: number | null }>(
    'select id, type, room, message from log where id > ? order by id limit ?',
    input.after,
    input.limit,
  )
  const ends = ctx.get<{ oldest: number | null; head: number | null }>(
    'select min(id) oldest, max(id) head from log',
  )
  const events = rows.flatMap((row) => {
    const data = ctx.logData(row.room, row.message)
    return data === undefined ? [] : [{ id: row.id, type: row.type, room: row.room, data }]
  })
  return { events, oldest: ends?.oldest ?? 1, head: ends?.head ?? 0 }
}

export function delivered(ctx: Context, input: In<'delivered'>): null {
  for (const seq of input.seqs) ctx.run('delete from deliveries where seq = ?', seq)
  return null
}

export function undelivered(ctx: Context, input: In<'undelivered'>): Delivery[] {
  const rows = ctx.all<{ seq: number; raw: string }>(
    'select seq, raw from deliveries where room = ? and seq > ? order by seq limit ?',
    input.room,
    input.after,
    input.limit,
  )
  return rows.map((row) => ({ seq: row.seq, room: input.room, raw: JSON.parse(row.raw) }))
}

// ---- files -------------------------------------------------------------------------------------------------------

/** Uploads that wait for their message; more are refused until some are sent or a day has passed. */
const MOST_LOOSE = 500

export function addFile(ctx: Context, input: In<'addFile'>): Out<'addFile'> {
  ctx.openRoom(input.room)
  const loose = ctx.get<{ n: number }>('select count(*) n from files where message is null and at > 0')
  if ((loose?.n ?? 0) >= MOST_LOOSE) {
    throw new Refused(
      'too-many',
      `${MOST_LOOSE} uploaded files wait for a message: send some before uploading more`,
    )
  }
  ctx.run(
    'insert into files (id, room, name, mime, bytes, at) values (?, ?, ?, ?, ?, ?)',
    input.id,
    input.room,
    input.name,
    input.mime,
    input.bytes,
    input.at,
  )
  return { id: input.id, name: input.name, mime: input.mime, bytes: input.bytes }
}

export function file(ctx: Context, input: In<'file'>): Out<'file'> {
  const row = ctx.get<Out<'file'>>(
    'select id, room, name, mime, bytes from files where id = ? and (message is not null or at > 0)',
    input.id,
  )
  if (row === undefined) throw new Refused('unknown-file', `there is no file ${input.id}`)
  return row
}

export function probe(ctx: Context, { bytes }: In<'probe'>): null {
  if (bytes === 0) ctx.run(`delete from meta where key = 'probe'`)
  else ctx.run(`insert or replace into meta values ('probe', ?)`, 'x'.repeat(bytes))
  return null
}

export function forgetFiles(ctx: Context, input: In<'forgetFiles'>): null {
  for (const id of input.ids) ctx.run('delete from files where id = ? and message is null', id)
  return null
}
