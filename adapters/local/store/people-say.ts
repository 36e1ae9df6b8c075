/** What people do with messages: say, edit, delete, react, press. Each in one step with the event that tells the core. */
import { BOT_ID, type In, type Out, Refused } from '../protocol.js'
import type { RawPerson } from '../raw.js'
import type { Context, MessageRow, RoomRow } from './context.js'
import { enter, insertRoom } from './rooms.js'
import { messageRaw, messageView, rawCommon } from './views.js'

/** Different emoji on one message; one more is refused. */
const MOST_EMOJI = 50

export function say(ctx: Context, input: In<'say'>): Out<'say'> {
  if (input.once !== undefined) {
    const known = repeated(ctx, input)
    if (known !== undefined) return known
  }
  const room = ctx.get('select 1 from rooms where id = ?', input.room)
    ? ctx.openRoom(input.room)
    : insertRoom(ctx, input.room, input.room, 'group', input.at)
  enter(ctx, room, input.author, input.at)
  const target = input.replyTo === undefined ? undefined : ctx.message(room.id, input.replyTo)
  const row = insertMessage(ctx, {
    room: room.id,
    thread: input.thread === undefined ? (target?.thread ?? null) : threadRoot(ctx, room.id, input.thread),
    author: input.author.id,
    agent: null,
    text: input.text,
    mentions: json(input.mentions),
    buttons: null,
    reply_to: target?.id ?? null,
    silent: 0,
    at: input.at,
  })
  attach(ctx, room.id, row.id, input.files)
  if (input.once !== undefined) rememberKey(ctx, 'in', input.once.key, input.once.hash, row.id, input.at)
  const delivery = ctx.deliver(messageRaw(ctx, room, row))
  ctx.publish('message', room.id, row.id)
  return { message: messageView(ctx, row), fresh: true, delivery }
}

function repeated(ctx: Context, input: In<'say'>): Out<'say'> | undefined {
  const once = input.once
  const known = once && keyed(ctx, 'in', once.key)
  if (once === undefined || known === undefined) return undefined
  if (known.hash !== once.hash) {
    throw new Refused('key-reused', `the idempotency key ${once.key} was used before, for another message`)
  }
  const row = ctx.message(input.room, String(known.message))
  const waiting = ctx.get<{ seq: number; raw: string }>(
    'select seq, raw from deliveries where room = ? and event = ?',
    row.room,
    `${ctx.birth}:message:${row.id}`,
  )
  return {
    message: messageView(ctx, row),
    fresh: false,
    ...(waiting && { delivery: { seq: waiting.seq, room: row.room, raw: JSON.parse(waiting.raw) } }),
  }
}

export function amend(ctx: Context, input: In<'amend'>): Out<'amend'> {
  const { room, row } = own(ctx, input)
  const mentions = json(input.mentions)
  if (row.text === input.text && row.mentions === mentions) return { message: messageView(ctx, row) }
  ctx.run(
    'update messages set text = ?, mentions = ?, edited = ?, rev = rev + 1 where id = ?',
    input.text,
    mentions,
    input.at,
    row.id,
  )
  ctx.publish('edit', room.id, row.id)
  const event = `${ctx.birth}:edit:${row.id}:${row.rev + 1}`
  return {
    message: messageView(ctx, ctx.message(room.id, input.message)),
    delivery: ctx.deliver({
      ...rawCommon(ctx, room, row, input.author.id, event, input.at),
      type: 'edit',
      id: String(row.id),
      text: input.text,
      ...(input.mentions.length > 0 && { mentions: input.mentions }),
    }),
  }
}

export function retract(ctx: Context, input: In<'retract'>): Out<'retract'> {
  const room = ctx.room(input.room)
  const row = ctx.message(room.id, input.message)
  if (row.author !== input.author.id) throw notYours(row)
  if (row.deleted !== 0) return { message: messageView(ctx, row), files: [] }
  const files = erase(ctx, room.id, row)
  const event = `${ctx.birth}:delete:${row.id}`
  return {
    message: messageView(ctx, ctx.message(room.id, input.message)),
    files,
    delivery: ctx.deliver({
      ...rawCommon(ctx, room, row, input.author.id, event, input.at),
      type: 'delete',
      id: String(row.id),
    }),
  }
}

export function mark(ctx: Context, input: In<'mark'>): Out<'mark'> {
  const room = ctx.openRoom(input.room)
  const row = ctx.liveMessage(room.id, input.message)
  enter(ctx, room, input.author, input.at)
  const changed = input.added
    ? addMark(ctx, row.id, input.emoji, input.author.id, input.at)
    : ctx.run(
        'delete from reactions where message = ? and emoji = ? and person = ?',
        row.id,
        input.emoji,
        input.author.id,
      ).changes > 0
  if (!changed) return { message: messageView(ctx, row) }
  ctx.publish('reaction', room.id, row.id)
  return {
    message: messageView(ctx, row),
    delivery: ctx.deliver({
      ...rawCommon(ctx, room, row, input.author.id, ctx.occurrence('reaction'), input.at),
      type: 'reaction',
      id: String(row.id),
      emoji: input.emoji,
      added: input.added,
    }),
  }
}

export function press(ctx: Context, input: In<'press'>): Out<'press'> {
  const room = ctx.openRoom(input.room)
  const row = ctx.liveMessage(room.id, input.message)
  const message = messageView(ctx, row)
  if (!message.buttons.some((button) => button.value === input.value)) {
    throw new Refused('unknown-button', `the message ${row.id} has no such button (any more)`)
  }
  enter(ctx, room, input.author, input.at)
  return {
    message,
    delivery: ctx.deliver({
      ...rawCommon(ctx, room, row, input.author.id, ctx.occurrence('press'), input.at),
      type: 'press',
      id: String(row.id),
      value: input.value,
    }),
  }
}

// ---- shared with the bot's side ----------------------------------------------------------------------------------

export function insertMessage(
  ctx: Context,
  row: Omit<MessageRow, 'id' | 'edited' | 'rev' | 'deleted'>,
): MessageRow {
  const { id } = ctx.run(
    `insert into messages (room, thread, author, agent, text, mentions, buttons, reply_to, silent, at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.room,
    row.thread,
    row.author,
    row.agent,
    row.text,
    row.mentions,
    row.buttons,
    row.reply_to,
    row.silent,
    row.at,
  )
  return { ...row, id, edited: null, rev: 0, deleted: 0 }
}

/** Threads are one level deep: a thread on a reply is the thread of its root. */
export function threadRoot(ctx: Context, room: string, thread: string): number {
  const root = ctx.message(room, thread)
  return root.thread ?? root.id
}

/** The message stays as a mark that something stood here; nothing of what it said stays. Returns the files to remove. */
export function erase(ctx: Context, room: string, row: MessageRow): string[] {
  const files = ctx.all<{ id: string }>('select id from files where message = ?', row.id)
  ctx.run(
    `update messages set text = '', mentions = null, buttons = null, deleted = 1, rev = rev + 1 where id = ?`,
    row.id,
  )
  ctx.run('delete from reactions where message = ?', row.id)
  // Loose and of year zero: found again at the next start if the process dies before the bytes are gone.
  ctx.run('update files set message = null, at = 0 where message = ?', row.id)
  ctx.publish('delete', room, row.id)
  return files.map((file) => file.id)
}

export function addMark(ctx: Context, message: number, emoji: string, who: string, at: number): boolean {
  const known = ctx.get('select 1 from reactions where message = ? and emoji = ?', message, emoji)
  if (known === undefined) {
    const count = ctx.get<{ n: number }>(
      'select count(distinct emoji) n from reactions where message = ? and person <> ?',
      message,
      BOT_ID,
    )
    if ((count?.n ?? 0) >= MOST_EMOJI && who !== BOT_ID) {
      throw new Refused('too-many', `a message carries at most ${MOST_EMOJI} different reactions`)
    }
  }
  const sql = 'insert or ignore into reactions (message, emoji, person, at) values (?, ?, ?, ?)'
  return ctx.run(sql, message, emoji, who, at).changes > 0
}

export function keyed(ctx: Context, scope: 'in' | 'out', key: string) {
  return ctx.get<{ hash: string; message: number; at: number }>(
    'select hash, message, at from keys where scope = ? and key = ?',
    scope,
    key,
  )
}

export function rememberKey(
  ctx: Context,
  scope: 'in' | 'out',
  key: string,
  hash: string,
  message: number,
  at: number,
): void {
  ctx.run(
    'insert into keys (scope, key, hash, message, at) values (?, ?, ?, ?, ?)',
    scope,
    key,
    hash,
    message,
    at,
  )
}

export function json(items: readonly unknown[]): string | null {
  return items.length === 0 ? null : JSON.stringify(items)
}

function attach(ctx: Context, room: string, message: number, files: readonly string[]): void {
  for (const [pos, id] of files.entries()) {
    const { changes } = ctx.run(
      'update files set message = ?, pos = ? where id = ? and room = ? and message is null and at > 0',
      message,
      pos,
      id,
      room,
    )
    if (changes !== 1) {
      throw new Refused(
        'unknown-file',
        `no file ${id} was uploaded to the room ${room}, or a message has it already`,
      )
    }
  }
}

function own(
  ctx: Context,
  input: { room: string; message: string; author: RawPerson },
): {
  room: RoomRow
  row: MessageRow
} {
  const room = ctx.openRoom(input.room)
  const row = ctx.message(room.id, input.message)
  if (row.author !== input.author.id) throw notYours(row)
  return { room, row: ctx.liveMessage(room.id, input.message) }
}

function notYours(row: MessageRow): Refused {
  return new Refused('not-yours', `the message ${row.id} was written by somebody else`)
}
