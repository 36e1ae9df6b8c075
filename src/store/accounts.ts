/** Several accounts of Golem's in one native chat: who they are, what they have heard, and what they count together. */
import { type Account, type AccountsHere, accountsBeside, type OtherAccount } from '../messaging/accounts.js'
import type { Author, BotIdentity, InboundChange, InboundMessage } from '../messaging/contract.js'
import type { Decision } from '../messaging/decision.js'
import { speaksHere } from '../messaging/gates/account.js'
import { all, type Db, one, parse, type Room } from './db.js'
import type { ChatRow } from './rows.js'
import { findNative } from './state.js'

/** By how much the times of one message may differ as two accounts are told of them, in milliseconds. */
const SAME_TIME = 1_000
/** A post is on its way for so long at most, in milliseconds. */
const UNSENT = 60_000

export function noteAccount(db: Db, connection: string, self: BotIdentity): void {
  if (self.id === '') return
  db.sql(
    `INSERT INTO accounts (connection, id, name, aliases) VALUES (?, ?, ?, ?)
     ON CONFLICT (connection) DO UPDATE SET id = excluded.id, name = excluded.name, aliases = excluded.aliases
     WHERE id <> excluded.id OR name <> excluded.name OR aliases <> excluded.aliases`,
  ).run(connection, self.id, self.name, JSON.stringify(self.aliases ?? []))
}

/** An account was taken out of a chat, or came back. */
export function noteOwnMoves(room: Room, chat: ChatRow, self: BotIdentity, event: InboundChange): void {
  const isOwn = ({ id }: { id: string }): boolean => id === self.id
  const gone = event.left?.some(isOwn) ? 1 : event.joined?.some(isOwn) ? 0 : chat.gone
  if (gone !== chat.gone) room.sql('UPDATE chats SET gone = ? WHERE key = ?').run(gone, chat.key)
}

/** It hears something there: so it is there. */
export function noteHere(room: Room, chat: ChatRow): void {
  if (chat.gone !== 0) room.sql('UPDATE chats SET gone = 0 WHERE key = ?').run(chat.key)
}

type Beside = Pick<ChatRow, 'key' | 'connection' | 'sees'>

/** The same native chat, as other accounts of the platform know it. A direct chat is nobody else's. */
function besides(room: Room, chat: Pick<ChatRow, 'key' | 'connection' | 'native' | 'kind'>): Beside[] {
  const accounts = accountsBeside(room.policy.accounts, chat.connection)
  if (accounts.length < 2 || chat.kind === 'dm') return []
  return all<Beside>(
    room.sql(
      `SELECT key, connection, sees FROM chats
       WHERE native = ? AND kind = 'group' AND gone = 0 AND key <> ? AND connection IN (SELECT value FROM json_each(?))`,
    ),
    chat.native,
    chat.key,
    JSON.stringify(accounts.map(({ connection }) => connection)),
  )
}

interface Known {
  id: string
  name: string
  aliases: string
}

function known(room: Room, connection: string): Known | undefined {
  return one<Known>(room.sql('SELECT id, name, aliases FROM accounts WHERE connection = ?'), connection)
}

const idsOf = (account: Known | undefined): string[] =>
  account === undefined ? [] : [account.id, ...parse<string[]>(account.aliases, [])]

/** What a team's account is called: by the agent that takes what nobody else was named for. */
function nameOf(room: Room, { agent }: Account): string {
  return agent ?? room.policy.agents.find(({ orchestrator }) => orchestrator)?.name ?? room.policy.name
}

/** @returns the name of the agent that speaks through another account of Golem's; null: it is a stranger */
export function speakerOf(room: Room, connection: string, author: Author): string | null {
  if (author.kind !== 'bot') return null
  for (const account of accountsBeside(room.policy.accounts, connection)) {
    if (account.connection === connection || !idsOf(known(room, account.connection)).includes(author.id))
      continue
    // An account of the team bears the name of whoever speaks, where the platform shows it.
    const shown = room.policy.agents.find(({ name }) => name === author.name)
    return account.agent ?? shown?.name ?? nameOf(room, account)
  }
  return null
}

/** Nothing where no agent has an account of its own on the platform. */
export function accountsHere(
  room: Room,
  chat: ChatRow,
  message: InboundMessage,
): { accounts?: AccountsHere } {
  const beside = accountsBeside(room.policy.accounts, chat.connection)
  const own = beside.find(({ connection }) => connection === chat.connection)
  if (own === undefined) return {}
  const here = besides(room, chat)
  const taker = takerOf(beside, [...here, chat], chat)
  const others = beside
    .filter((account) => account !== own)
    .map((account): OtherAccount => {
      const self = known(room, account.connection)
      const isHere = here.some(({ connection }) => connection === account.connection)
      const names = account.sameIds || !isHere ? [] : [nameOf(room, account), ...(self ? [self.name] : [])]
      return { agent: account.agent, name: nameOf(room, account), ids: idsOf(self), names, here: isHere }
    })
  const named = (connection: string): string | null => {
    const account = beside.find((one) => one.connection === connection)
    return account === undefined ? null : nameOf(room, account)
  }
  return {
    accounts: {
      agent: own.agent,
      takes: taker === chat.connection,
      hears: own.hears,
      taker: taker === chat.connection ? null : named(taker),
      others,
      speaker: speakerOf(room, chat.connection, message.author),
      repliedTo: repliedTo(room, here, others, message, named),
      thread: lastInThread(room, chat, here, message, named),
      heard: heardBy(room, here, message),
    },
  }
}

/**
 * One account takes what calls nobody: the first in golem.yaml that is in the chat and shown everything there, the
 * team's before those of single agents.
 */
function takerOf(beside: readonly Account[], here: readonly Beside[], own: Beside): string {
  const able = here.filter(({ sees }) => sees === 'all')
  const among = (able.length > 0 ? able : here).map(({ connection }) => connection)
  const candidates = beside.filter(({ connection }) => among.includes(connection))
  return (candidates.find(({ agent }) => agent === null) ?? candidates[0])?.connection ?? own.connection
}

function repliedTo(
  room: Room,
  here: readonly Beside[],
  others: readonly OtherAccount[],
  { replyTo }: InboundMessage,
  named: (connection: string) => string | null,
): string | null {
  if (replyTo === undefined) return null
  const author = replyTo.author
  const said = author?.kind === 'bot' ? others.find(({ ids }) => ids.includes(author.id)) : undefined
  if (said !== undefined) return said.name
  // Where the platform does not say whose it was.
  if (author !== undefined) return null
  const theirs = here.find(({ key }) => findNative(room, key, replyTo.id)?.ours)
  return theirs === undefined ? null : named(theirs.connection)
}

/** Who of Golem's accounts was the last to answer in the thread, if it was another one. The same for whichever asks. */
function lastInThread(
  room: Room,
  chat: ChatRow,
  here: readonly Beside[],
  { place: { thread } }: InboundMessage,
  named: (connection: string) => string | null,
): string | null {
  if (thread === undefined || here.length === 0) return null
  const lastOf = (key: string): number =>
    one<{ id: number | null }>(
      room.sql(
        "SELECT max(id) AS id FROM messages WHERE chat = ? AND thread = ? AND kind = 'agent' AND author_kind = 'agent'",
      ),
      key,
      thread,
    )?.id ?? 0
  const last = here
    .map(({ key, connection }) => ({ connection, id: lastOf(key) }))
    .reduce((best, next) => (next.id > best.id ? next : best), {
      connection: chat.connection,
      id: lastOf(chat.key),
    })
  return last.connection === chat.connection ? null : named(last.connection)
}

/** The message as another account has heard it. */
function heardBy(room: Room, here: readonly Beside[], message: InboundMessage): AccountsHere['heard'] {
  const woken = message.author.kind === 'bot' ? here.flatMap(({ key }) => wokenBy(room, key, message)) : []
  if (woken.length > 0) return { ran: woken, unaddressed: false }
  const lines = here.flatMap(({ key }) => twinOf(room, key, message) ?? [])
  if (lines.length === 0) return null
  const decisions = lines.flatMap(({ decision }) => parse<Decision | null>(decision, null) ?? [])
  const run = decisions.filter(({ verdict }) => verdict === 'run')
  return {
    ran: run.flatMap(({ responders, addressed }) => (addressed ? responders : [])),
    unaddressed: run.some(({ addressed }) => !addressed),
  }
}

/**
 * Agents that were woken by what another account said, where it was not known yet that they would hear it. Its line may
 * not have its id yet.
 */
function wokenBy(room: Room, key: string, message: InboundMessage): string[] {
  return all<{ agent: string }>(
    room.sql(
      `SELECT t.agent FROM turns t JOIN messages m ON m.id = t.message
       WHERE t.chat = ? AND t.kind = 'wake' AND m.author_kind = 'agent'
         AND (m.native = ? OR (m.native IS NULL AND m.at BETWEEN ? AND ?))`,
    ),
    key,
    message.id,
    message.at - UNSENT,
    message.at + UNSENT,
  ).map(({ agent }) => agent)
}

/** By its id, where the accounts of a platform count the messages of a chat together; else it is not known as the same. */
function twinOf(room: Room, key: string, message: InboundMessage): { decision: string | null } | undefined {
  const same = one<{ decision: string | null; at: number }>(
    room.sql('SELECT decision, at FROM messages WHERE chat = ? AND native = ? AND read_back = 0'),
    key,
    message.id,
  )
  return same !== undefined && Math.abs(same.at - message.at) <= SAME_TIME ? same : undefined
}

/** Keys under which Golem knows this native chat, its own first. */
function keysOf(room: Room, chat: string): string[] {
  if (room.policy.accounts === undefined) return [chat]
  const row = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), chat)
  return row === undefined ? [chat] : [chat, ...besides(room, row).map(({ key }) => key)]
}

/** One more reply by a bot: counted for all accounts of the chat, so that they bound each other. */
export function countBotTurn(room: Room, chat: string, replies: number): void {
  for (const key of keysOf(room, chat))
    room.sql('UPDATE chats SET bot_turns = bot_turns + ? WHERE key = ?').run(replies, key)
}

/** The room has gone quiet, and this was said once. */
export function noteQuiet(room: Room, chat: string): void {
  for (const key of keysOf(room, chat)) room.sql('UPDATE chats SET quiet_noticed = 1 WHERE key = ?').run(key)
}

/** A person spoke: the count starts anew. What another account heard before has done so already. */
export function personSpoke(room: Room, chat: ChatRow, heard: AccountsHere['heard']): void {
  if (heard !== null) return
  for (const key of keysOf(room, chat.key))
    room.sql('UPDATE chats SET bot_turns = 0, quiet_noticed = 0 WHERE key = ?').run(key)
}

/**
 * Which of the agents that an answer names are woken where it was said. The others hear it through another account of the
 * chat, and wake by that.
 */
export function wakesHere(room: Room, chat: string): (agent: string) => boolean {
  const row =
    room.policy.accounts === undefined
      ? undefined
      : one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), chat)
  if (row === undefined) return () => true
  const beside = accountsBeside(room.policy.accounts, row.connection)
  const own = beside.find(({ connection }) => connection === row.connection)
  const here = besides(room, row)
  if (own === undefined || !own.hears || here.length === 0) return () => true
  const takes = takerOf(beside, [...here, row], row) === row.connection
  const others = beside
    .filter(({ connection }) => here.some((one) => one.connection === connection))
    .map(({ agent }) => ({ agent, here: true }))
  return (agent) => speaksHere({ agent: own.agent, takes, others }, agent)
}
