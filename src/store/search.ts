/**
 * Full-text search. Words are cut by one tokenizer (Latin words stemmed, CJK in pairs), in the index and in a question
 * alike. The transcript is indexed when somebody searches, and in portions when much has come together: not with every message.
 */
import type { KnowledgeDocument, KnowledgeHit, TranscriptHit } from '../messaging/store.js'
import { tokens } from '../messaging/text/score.js'
import { all, type Db, one } from './db.js'

/** Lines that may wait for the index, and how many are indexed at a time beyond them: a small part of a busy commit. */
const BACKLOG = 500
const PORTION = 64

function cursor(db: Db): number {
  return Number(one<{ value: string }>(db.sql("SELECT value FROM meta WHERE key = 'indexed'"))?.value ?? 0)
}

/** Indexes a portion, when much has come together. */
export function indexBacklog(db: Db): void {
  const row = one<{ id: number | null }>(db.sql('SELECT max(id) AS id FROM messages'))
  if ((row?.id ?? 0) - cursor(db) > BACKLOG) indexTranscript(db, PORTION)
}

/** Indexes what is not indexed yet, oldest first. */
export function indexTranscript(db: Db, most = -1): void {
  const from = cursor(db)
  const rows = all<{ id: number; kind: string; text: string | null }>(
    db.sql('SELECT id, kind, text FROM messages WHERE id > ? ORDER BY id LIMIT ?'),
    from,
    most,
  )
  if (rows.length === 0) return
  const insert = db.sql('INSERT INTO messages_fts (rowid, tokens) VALUES (?, ?)')
  for (const row of rows)
    if (row.text !== null && row.kind !== 'skipped') insert.run(row.id, tokens(row.text).join(' '))
  db.sql(
    "INSERT INTO meta (key, value) VALUES ('indexed', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  ).run(String(rows.at(-1)?.id ?? from))
}

/** Takes a line's words out of the index; the next search reads its new ones. */
export function unindex(db: Db, id: number): void {
  if (id > cursor(db)) return
  db.sql('DELETE FROM messages_fts WHERE rowid = ?').run(id)
}

/** Puts an edited line's new words into the index, if it was there. */
export function reindex(db: Db, id: number, text: string): void {
  if (id > cursor(db)) return
  db.sql('DELETE FROM messages_fts WHERE rowid = ?').run(id)
  db.sql('INSERT INTO messages_fts (rowid, tokens) VALUES (?, ?)').run(id, tokens(text).join(' '))
}

function match(query: string): string | null {
  const words = [...new Set(tokens(query))].slice(0, 32)
  return words.length === 0 ? null : words.map((word) => `"${word.replaceAll('"', '')}"`).join(' OR ')
}

export function searchTranscript(
  db: Db,
  conversation: string,
  query: string,
  limit: number,
): TranscriptHit[] {
  indexTranscript(db)
  const wanted = match(query)
  if (wanted === null) return []
  return all<{
    id: number
    author_name: string
    at: number
    text: string
    rank: number
    native: string | null
  }>(
    db.sql(
      `SELECT m.id, m.native, m.author_name, m.at, m.text, bm25(messages_fts) AS rank
       FROM messages_fts f JOIN messages m ON m.id = f.rowid
       WHERE messages_fts MATCH ? AND m.conversation = ? AND m.deleted_at IS NULL AND m.text IS NOT NULL
       ORDER BY rank LIMIT ?`,
    ),
    wanted,
    conversation,
    limit,
  ).map(hit)
}

export function readTranscript(
  db: Db,
  conversation: string,
  before: number | null,
  limit: number,
): TranscriptHit[] {
  return all<{ id: number; author_name: string; at: number; text: string; native: string | null }>(
    db.sql(
      `SELECT id, native, author_name, at, text FROM messages
       WHERE conversation = ? AND at < ? AND text IS NOT NULL AND deleted_at IS NULL AND kind <> 'skipped'
       ORDER BY id DESC LIMIT ?`,
    ),
    conversation,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  )
    .reverse()
    .map((row) => hit({ ...row, rank: 0 }))
}

function hit(row: {
  id: number
  native: string | null
  author_name: string
  at: number
  text: string
  rank: number
}): TranscriptHit {
  return {
    id: row.native ?? `#${row.id}`,
    author: row.author_name,
    at: row.at,
    text: row.text,
    score: -row.rank,
  }
}

/** Replaces the knowledge (skills and documents) as a whole. */
export function indexKnowledge(db: Db, documents: readonly KnowledgeDocument[]): void {
  db.sql('DELETE FROM knowledge').run()
  db.sql('DELETE FROM knowledge_fts').run()
  documents.forEach((document, index) => {
    const id = index + 1
    db.sql('INSERT INTO knowledge (id, source, title, text) VALUES (?, ?, ?, ?)').run(
      id,
      document.source,
      document.title,
      document.text,
    )
    db.sql('INSERT INTO knowledge_fts (rowid, title, tokens) VALUES (?, ?, ?)').run(
      id,
      tokens(document.title).join(' '),
      tokens(document.text).join(' '),
    )
  })
}

export function searchKnowledge(db: Db, query: string, limit: number): KnowledgeHit[] {
  const wanted = match(query)
  if (wanted === null) return []
  return all<KnowledgeDocument & { rank: number }>(
    db.sql(
      `SELECT k.source, k.title, k.text, bm25(knowledge_fts, 4.0, 1.0) AS rank
       FROM knowledge_fts f JOIN knowledge k ON k.id = f.rowid WHERE knowledge_fts MATCH ? ORDER BY rank LIMIT ?`,
    ),
    wanted,
    limit,
  ).map(({ rank, ...document }) => ({ ...document, score: -rank }))
}
