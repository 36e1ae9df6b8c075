/** Rows -> what people and the core are shown. */
import {
  BOT_ID,
  type ButtonView,
  type FileView,
  type MessageView,
  type PersonView,
  type RoomView,
} from '../protocol.js'
import type { LocalRaw, RawMention, RawPerson } from '../raw.js'
import type { Context, MessageRow, RoomRow } from './context.js'

const EXCERPT = 140
/** What the core is shown of a quoted message: enough to know what "this" is. */
const QUOTE = 1_000

/** The first words on one line; never half a character. */
export function excerpt(text: string, max = EXCERPT): string {
  const line = text
    .slice(0, max * 4)
    .replace(/\s+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`
}

export function person(ctx: Context, id: string): PersonView {
  const row = ctx.get<{ name: string; kind: 'person' | 'bot' }>(
    'select name, kind from people where id = ?',
    id,
  )
  return { id, name: row?.name ?? id, kind: id === BOT_ID ? 'self' : (row?.kind ?? 'person') }
}

export function filesOf(ctx: Context, message: number): FileView[] {
  return ctx.all<FileView>('select id, name, mime, bytes from files where message = ? order by pos', message)
}

export function messageView(ctx: Context, row: MessageRow): MessageView {
  const deleted = row.deleted !== 0
  const view: MessageView = {
    id: String(row.id),
    room: row.room,
    author: person(ctx, row.author),
    text: row.text,
    mentions: parse<RawMention>(row.mentions),
    at: row.at,
    deleted,
    silent: row.silent !== 0,
    reactions: deleted ? [] : reactionsOf(ctx, row.id),
    buttons: parse<ButtonView>(row.buttons),
    files: deleted ? [] : filesOf(ctx, row.id),
  }
  if (row.thread !== null) view.thread = String(row.thread)
  if (row.agent !== null) view.agent = row.agent
  if (row.edited !== null) view.edited = row.edited
  const target = row.reply_to === null ? undefined : targetOf(ctx, row.reply_to)
  if (target !== undefined) {
    view.replyTo = {
      id: String(target.id),
      author: person(ctx, target.author),
      excerpt: excerpt(target.text),
      deleted: target.deleted !== 0,
    }
  }
  return view
}

export function roomView(ctx: Context, row: RoomRow): RoomView {
  const people = ctx.get<{ n: number }>('select count(*) n from members where room = ?', row.id)?.n ?? 0
  const last = ctx.get<MessageRow>(
    'select * from messages where room = ? and deleted = 0 order by id desc limit 1',
    row.id,
  )
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    archived: row.archived !== 0,
    at: row.at,
    people,
    ...(last && {
      last: {
        id: String(last.id),
        at: last.at,
        author: last.agent ?? person(ctx, last.author).name,
        excerpt: excerpt(last.text),
      },
    }),
  }
}

/** The message as the core reads it, the same for its first delivery and for history. */
export function messageRaw(ctx: Context, room: RoomRow, row: MessageRow): LocalRaw {
  const mentions = parse<RawMention>(row.mentions)
  const files = filesOf(ctx, row.id)
  const target = row.reply_to === null ? undefined : targetOf(ctx, row.reply_to)
  return {
    ...rawCommon(ctx, room, row, row.author, `${ctx.birth}:message:${row.id}`, row.at),
    type: 'message',
    id: String(row.id),
    text: row.text,
    ...(mentions.length > 0 && { mentions }),
    ...(files.length > 0 && { files }),
    ...(target && {
      replyTo: {
        id: String(target.id),
        author: rawPerson(ctx, target.author, target.agent),
        text: target.text.length <= QUOTE ? target.text : excerpt(target.text, QUOTE),
      },
    }),
  }
}

/** What every raw event holds. `row` is the message it is about. */
export function rawCommon(
  ctx: Context,
  room: RoomRow,
  row: Pick<MessageRow, 'thread' | 'agent' | 'author'> | null,
  author: string,
  event: string,
  at: number,
) {
  return {
    v: 1 as const,
    event,
    at,
    room: { id: room.id, kind: room.kind, title: room.title },
    ...(row !== null && row.thread !== null && { thread: String(row.thread) }),
    author: rawPerson(ctx, author, row?.author === author ? row.agent : null),
  }
}

function rawPerson(ctx: Context, id: string, agent: string | null): RawPerson {
  const view = person(ctx, id)
  return { id, name: agent ?? view.name, kind: view.kind === 'person' ? 'person' : 'bot' }
}

function targetOf(ctx: Context, id: number): MessageRow | undefined {
  return ctx.get<MessageRow>('select * from messages where id = ?', id)
}

function reactionsOf(ctx: Context, message: number): MessageView['reactions'] {
  const rows = ctx.all<{ emoji: string; person: string }>(
    'select emoji, person from reactions where message = ? order by rowid',
    message,
  )
  const byEmoji = new Map<string, { id: string; name: string }[]>()
  for (const row of rows) {
    const people = byEmoji.get(row.emoji) ?? []
    people.push({ id: row.person, name: person(ctx, row.person).name })
    byEmoji.set(row.emoji, people)
  }
  return [...byEmoji].map(([emoji, people]) => ({ emoji, people }))
}

function parse<Item>(json: string | null): Item[] {
  return json === null ? [] : (JSON.parse(json) as Item[])
}
