/** What the smart gate is shown of a conversation: its end, and who talks in the chat. */
import type { RoomSettings } from '../messaging/roster.js'
import type { RecentLine, Talk } from '../messaging/state.js'
import { all, type Db } from './db.js'

/** Lines are few: what was said before them is no longer what is spoken of. */
const LINES = 4
const LINE_CHARACTERS = 500
/** Names in a very large chat: those who were seen last. */
const PEOPLE = 200

/** Nothing where no gate asks for it. */
export function talkOf(
  db: Db,
  chat: string,
  conversation: string,
  settings: Pick<RoomSettings, 'groupPolicy' | 'smartGate'>,
): { talk?: Talk } {
  if (settings.groupPolicy !== 'smart' || settings.smartGate === 'off') return {}
  const lines = all<RecentLine>(
    db.sql(
      `SELECT kind, author_name AS name, substr(coalesce(shown, text, ''), 1, ${LINE_CHARACTERS}) AS text, at
       FROM messages WHERE chat = ? AND conversation = ? AND kind IN ('person', 'agent', 'bot') AND deleted_at IS NULL
       ORDER BY id DESC LIMIT ${LINES}`,
    ),
    chat,
    conversation,
  ).reverse()
  const people = all<{ name: string }>(
    db.sql(
      `SELECT name FROM people WHERE chat = ? AND kind = 'person' ORDER BY seen_at DESC LIMIT ${PEOPLE}`,
    ),
    chat,
  ).map(({ name }) => name)
  return { talk: { lines, people } }
}
