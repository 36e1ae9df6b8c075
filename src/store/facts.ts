/** Facts as rows: kept for an audience, shown where everybody who reads along belongs to it, erased with their source. */
import type { Member } from '../messaging/contract.js'
import {
  type Audience,
  FACT_CHARACTERS,
  FACTS_CHARACTERS,
  FACTS_PER_AUDIENCE,
  type FactForgotten,
  type FactKept,
  type FactRefusal,
  type FactWall,
  factLine,
  factSameness,
  LISTED_FOR,
  mayShow,
  type Readers,
  type ShownFact,
} from '../messaging/facts.js'
import { chatKeyOf } from '../messaging/keys.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { keywords } from '../messaging/text/score.js'
import { all, type Db, one, type Room } from './db.js'
import { settingsOf, whereabouts } from './moves.js'
import type { ChatRow, MessageRow, TurnRow } from './rows.js'

export interface FactRow extends FactWall {
  id: number
  text: string
  by_id: string
  by_name: string
  at: number
}

// ---- what is shown ----------------------------------------------------------------------------------------------

/** What a turn of this chat is told, and whether more could be if it were known who reads along. */
export function factsFor(db: Db, chat: ChatRow, now: number): Pick<ClaimedTurn, 'facts' | 'unlisted'> {
  const { rows, readers } = factsIn(db, chat, now)
  const facts = rows.map(shown)
  const unlisted =
    !readers.listed && chat.outsiders === 0 && has(db, { ...readers, audience: 'connection', key: '' })
  return { ...(facts.length > 0 && { facts }), ...(unlisted && { unlisted }) }
}

export function factsOf(db: Db, chatKey: string, now: number): ShownFact[] {
  const chat = chatOf(db, whereabouts(db, chatKey).key)
  return chat === undefined ? [] : factsIn(db, chat, now).rows.map(shown)
}

/** Those that may be shown in a chat, the oldest first. */
export function factsIn(db: Db, chat: ChatRow, now: number): { rows: FactRow[]; readers: Readers } {
  const readers = readersOf(db, chat, now)
  const rows = all<FactRow>(
    db.sql(
      `SELECT * FROM facts WHERE connection = ? AND forgotten_at IS NULL
         AND (audience, key) IN (VALUES ('chat', ?), ('person', ?), ('connection', '')) ORDER BY at, id`,
    ),
    chat.connection,
    chat.key,
    readers.people[0] ?? '',
  )
  return { rows: rows.filter((row) => mayShow(row, readers)), readers }
}

function readersOf(db: Db, chat: ChatRow, now: number): Readers {
  const people =
    chat.kind === 'dm'
      ? all<{ id: string }>(
          db.sql("SELECT id FROM people WHERE chat = ? AND kind = 'person' ORDER BY id LIMIT 2"),
          chat.key,
        )
      : []
  return {
    connection: chat.connection,
    chatKey: chat.key,
    dm: chat.kind === 'dm',
    people: people.map(({ id }) => id),
    listed: chat.outsiders === 0 && chat.listed_at !== null && now - chat.listed_at < LISTED_FOR,
  }
}

const shown = ({ audience, text, by_name, at }: FactRow): ShownFact => ({ audience, text, by: by_name, at })

function has(db: Db, { connection, audience, key }: FactWall): boolean {
  return (
    one(
      db.sql(
        'SELECT 1 FROM facts WHERE connection = ? AND audience = ? AND key = ? AND forgotten_at IS NULL LIMIT 1',
      ),
      connection,
      audience,
      key,
    ) !== undefined
  )
}

function chatOf(db: Db, key: string): ChatRow | undefined {
  return one<ChatRow>(db.sql('SELECT * FROM chats WHERE key = ?'), key)
}

// ---- who reads along --------------------------------------------------------------------------------------------

export function noteListed(db: Db, connection: string, chat: string, at: number): void {
  const { key } = whereabouts(db, chatKeyOf(connection, chat))
  db.sql('UPDATE chats SET listed_at = ? WHERE key = ? AND outsiders = 0').run(at, key)
}

/**
 * Somebody is seen in a chat. Whoever is not of the organisation marks it for ever, even when they leave: what they have
 * read there stays read. Anybody new makes the list that is known a list of the past.
 */
export function noteReader(db: Db, chat: string, member: Member, isNew: boolean): void {
  if (member.outside === true)
    db.sql('UPDATE chats SET outsiders = 1, listed_at = NULL WHERE key = ? AND outsiders = 0').run(chat)
  else if (isNew)
    db.sql('UPDATE chats SET listed_at = NULL WHERE key = ? AND listed_at IS NOT NULL').run(chat)
}

// ---- keeping ----------------------------------------------------------------------------------------------------

export function rememberFact(
  room: Room,
  wanted: { turn: number; text: string; audience: Audience | null; at: number },
): FactKept {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), wanted.turn)
  if (turn?.state !== 'running') return refuse('This turn has ended.')
  const root = one<MessageRow>(room.sql('SELECT * FROM messages WHERE id = ?'), turn.message)
  const chat = chatOf(room, turn.chat)
  if (turn.requester_id === null || root?.kind !== 'person' || turn.hop > 0 || chat === undefined)
    return refuse('Facts are kept for a person who asks for it, in a message of their own.')
  if (root.deleted_at !== null) return refuse('The message that asked for it was deleted.')
  const audience = wanted.audience ?? ownAudience(chat)
  if (audience !== ownAudience(chat)) return refuse(NOT_FROM_HERE[audience])
  return keepHere(room, chat, {
    text: wanted.text,
    by: { id: turn.requester_id, name: turn.requester_name ?? '' },
    agent: turn.agent,
    message: turn.message,
    turn: turn.id,
    at: wanted.at,
  })
}

const NOT_FROM_HERE: Record<Audience, string> = {
  chat: 'What is said in a direct message stays with that person: only the audience person is to be had here.',
  person: 'What is said here is for the people of this chat: only the audience chat is to be had here.',
  connection:
    'You cannot make something known to the whole organisation. An owner of this room can, with the command /memory workspace and the sentence.',
}

const ownAudience = (chat: ChatRow): Audience => (chat.kind === 'dm' ? 'person' : 'chat')

/** For those whom it was said to: the person a direct chat is with, or the people of the chat. */
export function keepHere(db: Db, chat: ChatRow, fact: Omit<NewFact, keyof FactWall>): FactKept {
  const audience = ownAudience(chat)
  const key = audience === 'person' ? fact.by.id : chat.key
  const wall = { connection: chat.connection, audience, key }
  // Where it would not be shown, its being known already would tell what is not to be seen here.
  return mayShow(wall, readersOf(db, chat, fact.at))
    ? keep(db, { ...fact, ...wall })
    : refuse('Nothing can be kept here for one person: others read along.', 'others')
}

export interface NewFact extends FactWall {
  text: string
  by: { id: string; name: string }
  agent: string | null
  message: number | null
  turn: number | null
  at: number
}

/** Once for each audience: what is known already is not said twice. Full is said, not made room for in silence. */
export function keep(db: Db, fact: NewFact): FactKept {
  const text = factLine(fact.text)
  const { audience } = fact
  if (text === '') return refuse('There is nothing to remember in that: say it in words.', 'empty')
  const length = [...text].length
  if (length > FACT_CHARACTERS)
    return refuse(
      `A fact has at most ${FACT_CHARACTERS} characters, this one has ${length}: say it shorter.`,
      'too-long',
    )
  const rows = rowsOf(db, fact)
  const known = rows.find((row) => factSameness(row.text) === factSameness(text))
  if (known) return { status: 'known', audience, text: known.text }
  const size = rows.reduce((sum, row) => sum + row.text.length, text.length)
  if (rows.length >= FACTS_PER_AUDIENCE || size > FACTS_CHARACTERS)
    return refuse(
      `There is no room for another fact here (${rows.length} facts, ${size - text.length} characters; at most ${FACTS_PER_AUDIENCE} and ${FACTS_CHARACTERS}): one that is out of date has to be forgotten first.`,
      'full',
    )
  db.sql(
    `INSERT INTO facts (connection, audience, key, text, by_id, by_name, agent, message, turn, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    fact.connection,
    audience,
    fact.key,
    text,
    fact.by.id,
    fact.by.name,
    fact.agent,
    fact.message,
    fact.turn,
    fact.at,
  )
  return { status: 'kept', audience, text }
}

function rowsOf(db: Db, { connection, audience, key }: FactWall): FactRow[] {
  return all<FactRow>(
    db.sql(
      'SELECT * FROM facts WHERE connection = ? AND audience = ? AND key = ? AND forgotten_at IS NULL ORDER BY id',
    ),
    connection,
    audience,
    key,
  )
}

const refuse = (
  why: string,
  code: FactRefusal = 'not-here',
): { status: 'refused'; why: string; code: FactRefusal } => ({ status: 'refused', code, why })

// ---- forgetting -------------------------------------------------------------------------------------------------

export function forgetFact(room: Room, wanted: { turn: number; text: string; at: number }): FactForgotten {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), wanted.turn)
  const chat = turn && chatOf(room, turn.chat)
  if (turn?.state !== 'running' || chat === undefined) return refuse('This turn has ended.')
  if (turn.requester_id === null || turn.hop > 0)
    return refuse('Facts are forgotten for a person who asks for it.')
  const found = findFacts(room, chat, wanted.text, wanted.at)
  const words = new Set(found.map((row) => factSameness(row.text)))
  if (words.size === 0) return refuse('No fact that is shown here says this.')
  if (words.size > 1)
    return { ...refuse('Several facts say this.'), candidates: found.map(({ text }) => text) }
  const mine = found.filter((row) => mayForget(room, chat, row, turn.requester_id ?? ''))
  if (mine.length === 0)
    return refuse('Only who had it kept, or an owner of this room, can have it forgotten.')
  for (const { id } of mine) erase(room, id, wanted.at)
  return { status: 'forgotten', text: mine[0]?.text ?? '' }
}

/** Facts shown in a chat that say this, else those that hold it; a letter or two would be held by almost any. */
export function findFacts(db: Db, chat: ChatRow, words: string, now: number): FactRow[] {
  const wanted = factSameness(factLine(words))
  const { rows } = factsIn(db, chat, now)
  const same = rows.filter((row) => factSameness(row.text) === wanted)
  const least = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(wanted)
    ? 2
    : 3
  if (same.length > 0 || [...wanted].length < least) return same
  return rows.filter((row) => factSameness(row.text).includes(wanted))
}

/** Who had it kept; and an owner of the room, but not of what is one person's. */
export function mayForget(room: Room, chat: ChatRow, fact: FactRow, person: string): boolean {
  if (fact.by_id === person) return true
  if (fact.audience === 'person') return fact.key === person
  return (settingsOf(room, chat.key).owners ?? []).includes(person)
}

export function erase(db: Db, id: number, at: number): void {
  db.sql("UPDATE facts SET text = '', forgotten_at = ? WHERE id = ?").run(at, id)
}

/** Facts that were taken from a message, or from a turn that answered it. */
function factsFrom(db: Db, message: number): { id: number; text: string }[] {
  return all<{ id: number; text: string }>(
    db.sql(
      `SELECT id, text FROM facts WHERE message = ? AND forgotten_at IS NULL
       UNION SELECT f.id, f.text FROM turn_messages tm JOIN facts f ON f.turn = tm.turn
       WHERE tm.message = ? AND f.forgotten_at IS NULL`,
    ),
    message,
    message,
  )
}

/** A message was deleted: what was remembered of it goes with it. */
export function eraseFactsFrom(db: Db, message: number, at: number): void {
  for (const { id } of factsFrom(db, message)) erase(db, id, at)
}

/** A message was edited: a fact that has words of it which do not stand there any more goes with them. */
export function followEdit(db: Db, message: number, before: string, after: string, at: number): void {
  const facts = factsFrom(db, message)
  if (facts.length === 0) return
  const [had, has] = [new Set(keywords(before)), new Set(keywords(after))]
  for (const { id, text } of facts)
    if (keywords(text).some((word) => had.has(word) && !has.has(word))) erase(db, id, at)
}
