/** What hangs on a chat besides its messages and turns, when the chat goes on under another id. */
import { all, type Db } from './db.js'

interface Move {
  from: string
  to: string
  /** Message ids, and so threads, stay what they are. */
  keeps: boolean
}

/** @param mapped a conversation's key under the new chat */
export function followMove(db: Db, move: Move, mapped: (key: string) => string): void {
  const { from, to, keeps } = move
  db.sql('UPDATE OR IGNORE room_texts SET chat = ? WHERE chat = ?').run(to, from)
  db.sql('DELETE FROM room_texts WHERE chat = ?').run(from)
  for (const row of all<{ id: number; conversation: string | null; thread: string | null }>(
    db.sql('SELECT id, conversation, thread FROM schedules WHERE chat = ?'),
    from,
  ))
    db.sql('UPDATE schedules SET chat = ?, conversation = ?, thread = ? WHERE id = ?').run(
      to,
      row.conversation === null ? null : mapped(row.conversation),
      keeps ? row.thread : null,
      row.id,
    )
  db.sql("UPDATE facts SET key = ? WHERE audience = 'chat' AND key = ?").run(to, from)
  for (const { id, conversation } of all<{ id: number; conversation: string }>(
    db.sql('SELECT id, conversation FROM errands WHERE chat = ? AND done_at IS NULL'),
    from,
  ))
    db.sql('UPDATE errands SET chat = ?, conversation = ? WHERE id = ?').run(to, mapped(conversation), id)
  for (const { place } of all<{ place: string }>(
    db.sql('SELECT DISTINCT place FROM model_choices WHERE chat = ?'),
    from,
  )) {
    db.sql('UPDATE OR REPLACE model_choices SET place = ?, chat = ? WHERE place = ?').run(
      mapped(place),
      to,
      place,
    )
  }
  for (const { conversation } of all<{ conversation: string }>(
    db.sql('SELECT DISTINCT conversation FROM usage_days WHERE chat = ?'),
    from,
  )) {
    db.sql(
      `INSERT INTO usage_days (day, conversation, chat, agent, turns, input, output, cached, cost)
       SELECT day, ?, ?, agent, turns, input, output, cached, cost FROM usage_days WHERE conversation = ?
       ON CONFLICT (day, conversation, agent) DO UPDATE SET turns = turns + excluded.turns,
         input = input + excluded.input, output = output + excluded.output, cached = cached + excluded.cached,
         cost = cost + excluded.cost`,
    ).run(mapped(conversation), to, conversation)
    db.sql('DELETE FROM usage_days WHERE conversation = ?').run(conversation)
  }
}
