/** What the bot does in the rooms: the chat server's side of `perform`. */
import { createHash } from 'node:crypto'
import { BOT_ID, type In, type Out, Refused } from '../protocol.js'
import type { Context, MessageRow } from './context.js'
import { addMark, erase, insertMessage, json, keyed, rememberKey, threadRoot } from './people-say.js'
import { enter } from './rooms.js'
import { messageView } from './views.js'

/** A post or an upload. The same key is the same post: it is never said twice. */
export function botPost(ctx: Context, input: In<'botPost'>): Out<'botPost'> {
  const known = keyed(ctx, 'out', input.key)
  if (known !== undefined) return { id: String(known.message), at: known.at, fresh: false }
  const room = ctx.openRoom(input.room)
  const thread = input.thread === undefined ? null : threadRoot(ctx, room.id, input.thread)
  enter(ctx, room, { id: BOT_ID, name: input.name, kind: 'bot' }, input.at)
  const row = insertMessage(ctx, {
    room: room.id,
    thread,
    author: BOT_ID,
    agent: input.agent ?? null,
    text: input.text,
    mentions: json(input.mentions),
    buttons: json(input.buttons),
    reply_to: quoted(ctx, room.id, input.replyTo),
    silent: Number(input.silent),
    at: input.at,
  })
  if (input.file !== undefined) {
    const { id, name, mime, bytes } = input.file
    ctx.run(
      'insert into files (id, room, message, name, mime, bytes, at) values (?, ?, ?, ?, ?, ?, ?)',
      id,
      room.id,
      row.id,
      name,
      mime,
      bytes,
      input.at,
    )
  }
  rememberKey(ctx, 'out', input.key, hashOf(input), row.id, input.at)
  ctx.publish('message', room.id, row.id)
  return { id: String(row.id), at: input.at, fresh: true }
}

export function botEdit(ctx: Context, input: In<'botEdit'>): Out<'botEdit'> {
  ctx.openRoom(input.room)
  const row = ctx.liveMessage(input.room, input.message)
  if (row.author !== BOT_ID) throw notTheBots(row)
  const mentions = json(input.mentions)
  const buttons = json(input.buttons)
  const agent = input.agent ?? row.agent
  if (
    row.text === input.text &&
    row.mentions === mentions &&
    row.buttons === buttons &&
    row.agent === agent
  ) {
    return { message: messageView(ctx, row) }
  }
  ctx.run(
    'update messages set text = ?, mentions = ?, buttons = ?, agent = ?, edited = ?, rev = rev + 1 where id = ?',
    input.text,
    mentions,
    buttons,
    agent,
    input.at,
    row.id,
  )
  ctx.publish('edit', input.room, row.id)
  return { message: messageView(ctx, ctx.message(input.room, input.message)) }
}

/** Deleting what is deleted already is done. */
export function botDelete(ctx: Context, input: In<'botDelete'>): Out<'botDelete'> {
  ctx.openRoom(input.room)
  const row = ctx.message(input.room, input.message)
  if (row.author !== BOT_ID) throw notTheBots(row)
  return { files: row.deleted !== 0 ? [] : erase(ctx, input.room, row) }
}

/** One mark of the bot on a message: a new one takes the place of the one before. */
export function botMark(ctx: Context, input: In<'botMark'>): Out<'botMark'> {
  const room = ctx.openRoom(input.room)
  const row = ctx.liveMessage(room.id, input.message)
  const removed = ctx.run(
    'delete from reactions where message = ? and person = ? and emoji <> ?',
    row.id,
    BOT_ID,
    input.emoji,
  ).changes
  const added = addMark(ctx, row.id, input.emoji, BOT_ID, input.at)
  if (added || removed > 0) ctx.publish('reaction', room.id, row.id)
  return { message: messageView(ctx, row) }
}

export function posted(ctx: Context, input: In<'posted'>): Out<'posted'> {
  const known = keyed(ctx, 'out', input.key)
  return known === undefined ? null : { id: String(known.message), at: known.at }
}

/** A quoted message that is gone, or stands elsewhere, must not keep the answer from being read. */
function quoted(ctx: Context, room: string, id: string | undefined): number | null {
  if (id === undefined) return null
  const row = ctx.get<{ id: number }>('select id from messages where id = ? and room = ?', Number(id), room)
  return row?.id ?? null
}

function hashOf(input: In<'botPost'>): string {
  return createHash('sha256')
    .update(JSON.stringify([input.room, input.thread, input.text]))
    .digest('base64url')
}

function notTheBots(row: MessageRow): Refused {
  return new Refused('not-yours', `the message ${row.id} was not written by the bot`)
}
