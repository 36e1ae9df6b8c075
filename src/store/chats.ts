/** Chats, conversations and people: made when first needed, changed only where something changed. */
import type { Inbound, Member } from '../messaging/contract.js'
import { chatKeyOf } from '../messaging/keys.js'
import { all, type Db, one, parse } from './db.js'
import { noteReader } from './facts.js'
import { whereabouts } from './moves.js'
import type { ChatRow, ConversationRow } from './rows.js'

export function touchChat(
  db: Db,
  connection: string,
  event: Pick<Inbound, 'place'> & { chat?: { kind: 'dm' | 'group'; title?: string } },
  now: number,
): ChatRow {
  const { key, native } = whereabouts(db, chatKeyOf(connection, event.place.chat))
  const known = one<ChatRow>(db.sql('SELECT * FROM chats WHERE key = ?'), key)
  const kind = event.chat?.kind ?? known?.kind ?? 'group'
  const title = event.chat?.title ?? known?.title ?? null
  if (known === undefined) {
    db.sql(
      'INSERT INTO chats (key, connection, native, kind, title, created_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(key, connection, native ?? event.place.chat, kind, title, now, now)
    return one<ChatRow>(db.sql('SELECT * FROM chats WHERE key = ?'), key) as ChatRow
  }
  if (known.kind !== kind || known.title !== title)
    db.sql('UPDATE chats SET kind = ?, title = ? WHERE key = ?').run(kind, title, key)
  return { ...known, kind, title }
}

/** @param gap whether something may have been said in it before; see `ConversationRow` */
export function touchConversation(
  db: Db,
  key: string,
  chat: string,
  thread: string | null,
  gap = 0,
): ConversationRow {
  const known = one<ConversationRow>(db.sql('SELECT * FROM conversations WHERE key = ?'), key)
  if (known) return known
  db.sql('INSERT INTO conversations (key, chat, thread, gap) VALUES (?, ?, ?, ?)').run(key, chat, thread, gap)
  return { key, chat, thread, owner: null, owner_at: null, ctx: 0, fresh_from: 0, answered: 0, gap }
}

/** The next place in a conversation's context. */
export function nextCtx(db: Db, conversation: string): number {
  return (
    db.sql('UPDATE conversations SET ctx = ctx + 1 WHERE key = ? RETURNING ctx').get(conversation) as {
      ctx: number
    }
  ).ctx
}

export function notePerson(db: Db, chat: string, member: Member, now: number): void {
  const { changes } = db
    .sql(
      `INSERT INTO people (chat, id, name, kind, aliases, seen_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (chat, id) DO UPDATE SET name = excluded.name, kind = excluded.kind,
       aliases = coalesce(excluded.aliases, aliases), seen_at = excluded.seen_at
     WHERE name <> excluded.name OR kind <> excluded.kind OR coalesce(excluded.aliases, aliases) IS NOT aliases`,
    )
    .run(
      chat,
      member.id,
      member.name,
      member.kind,
      member.aliases ? JSON.stringify(member.aliases) : null,
      now,
    )
  noteReader(db, chat, member, changes > 0)
}

export function forgetPerson(db: Db, chat: string, id: string): void {
  db.sql('DELETE FROM people WHERE chat = ? AND id = ?').run(chat, id)
}

export function people(db: Db, chat: string): Member[] {
  return all<{ id: string; name: string; kind: Member['kind']; aliases: string | null }>(
    db.sql('SELECT id, name, kind, aliases FROM people WHERE chat = ? ORDER BY name, id'),
    chat,
  ).map(({ aliases, ...member }) => ({ ...member, aliases: parse<string[]>(aliases, []) }))
}
