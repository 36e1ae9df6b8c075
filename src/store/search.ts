/**
 * Full-text search. Words are cut by one rule (Latin words stemmed, CJK in pairs; see `search-words.ts`), in the index and
 * in a question alike. The transcript is indexed when somebody searches, and in portions when much has come together: not with every message.
 */
import type { KnowledgeDocument, KnowledgeHit, TranscriptHit } from '../messaging/store.js'
import { keywords } from '../messaging/text/score.js'
import { countWords, indexWords, type QueryWord, queryWords } from '../messaging/text/search-words.js'
import { all, type Db, one } from './db.js'
import { withVoice } from './spoken.js'

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
    db.sql('SELECT id, kind, text FROM messages WHERE id > ? ORDER BY id LIMIT ? + 0'),
    from,
    most,
  )
  if (rows.length === 0) return
  const insert = db.sql('INSERT INTO messages_fts (rowid, tokens) VALUES (?, ?)')
  for (const row of rows)
    if (row.text !== null && row.kind !== 'skipped')
      insert.run(row.id, indexWords(withVoice(db, row.id, row.text)).join(' '))
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
  db.sql('INSERT INTO messages_fts (rowid, tokens) VALUES (?, ?)').run(id, indexWords(text).join(' '))
}

/** Lines that are weighed at most: of those that hold every word of a question, and of those that hold one. */
const WITH_ALL = 300
const WITH_ONE = 1_000
const WORDS = 32

/** Words that say what is asked, if there are any, and each of them as the index is asked for it. */
function wordsOf(query: string): QueryWord[] {
  const all = queryWords(query)
  const telling = all.filter(({ word }) => keywords(word).length > 0)
  return (telling.length > 0 ? telling : all).slice(0, WORDS)
}

const term = ({ word, prefix }: QueryWord): string => `"${word.replaceAll('"', '')}"${prefix ? '*' : ''}`

interface Line {
  id: number
  native: string | null
  author_name: string
  at: number
  text: string
  /** With files: one may be a voice note, whose words are the line's as well. */
  filed: 0 | 1
}

const LINE = 'id, native, author_name, at, text, files IS NOT NULL AS filed'

/** The lines with what is said in their voice notes. */
function spoken(db: Db, lines: readonly Line[]): Line[] {
  return lines.map((line) => (line.filed ? { ...line, text: withVoice(db, line.id, line.text) } : line))
}

/**
 * The newest lines that hold every word, and the newest that hold one, are weighed against each other and against nothing
 * else: how often a word stands in other conversations must not change what is found in this one.
 */
export function searchTranscript(
  db: Db,
  conversation: string,
  query: string,
  limit: number,
): TranscriptHit[] {
  indexTranscript(db)
  const words = wordsOf(query)
  if (words.length === 0) return []
  const terms = words.map(term)
  const lines = new Map<number, Line>()
  for (const line of linesWith(db, conversation, terms.join(' AND '), WITH_ALL)) lines.set(line.id, line)
  if (lines.size < limit && terms.length > 1)
    for (const line of linesWith(db, conversation, terms.join(' OR '), WITH_ONE)) lines.set(line.id, line)
  return weighed([...lines.values()], words)
    .slice(0, limit)
    .map(({ line, weight }) => hit(line, weight))
}

function linesWith(db: Db, conversation: string, match: string, most: number): Line[] {
  const lines = all<Line>(
    db.sql(
      `SELECT ${LINE} FROM messages_fts f JOIN messages m ON m.id = f.rowid
       WHERE messages_fts MATCH ? AND m.conversation = ? AND m.deleted_at IS NULL AND m.text IS NOT NULL
       ORDER BY f.rowid DESC LIMIT ? + 0`,
    ),
    match,
    conversation,
    most,
  )
  return spoken(db, lines)
}

/** The best first (BM25, times the share of the words that are met), the newest first among equals. */
function weighed(lines: readonly Line[], words: readonly QueryWord[]): { line: Line; weight: number }[] {
  const counted = lines.map((line) => ({ line, ...countWords(line.text, words) }))
  const usual = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length)
  const rarity = words.map((_, index) => {
    const met = counted.filter(({ counts }) => (counts[index] ?? 0) > 0).length
    return Math.log(1 + (counted.length - met + 0.5) / (met + 0.5))
  })
  return counted
    .map(({ line, counts, length }) => {
      const worth = counts.map(
        (count, index) =>
          ((rarity[index] ?? 0) * count * 2.2) /
          (count + 1.2 * (0.25 + (0.75 * length) / Math.max(1, usual))),
      )
      const share = counts.filter((count) => count > 0).length / words.length
      return { line, weight: share * worth.reduce((sum, one) => sum + one, 0) }
    })
    .sort((a, b) => b.weight - a.weight || b.line.id - a.line.id)
}

export function readTranscript(
  db: Db,
  conversation: string,
  before: number | null,
  limit: number,
): TranscriptHit[] {
  const lines = all<Line>(
    db.sql(
      `SELECT ${LINE} FROM messages
       WHERE conversation = ? AND at < ? AND text IS NOT NULL AND deleted_at IS NULL AND kind <> 'skipped'
       ORDER BY id DESC LIMIT ? + 0`,
    ),
    conversation,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  )
  return spoken(db, lines.reverse()).map((line) => hit(line))
}

function hit(line: Line, score = 0): TranscriptHit {
  return { id: line.native ?? `#${line.id}`, author: line.author_name, at: line.at, text: line.text, score }
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
      indexWords(document.title).join(' '),
      indexWords(document.text).join(' '),
    )
  })
}

export function searchKnowledge(db: Db, query: string, limit: number): KnowledgeHit[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  return all<KnowledgeDocument & { rank: number }>(
    db.sql(
      `SELECT k.source, k.title, k.text, bm25(knowledge_fts, 4.0, 1.0) AS rank
       FROM knowledge_fts f JOIN knowledge k ON k.id = f.rowid WHERE knowledge_fts MATCH ? ORDER BY rank LIMIT ? + 0`,
    ),
    words.map(term).join(' OR '),
    limit,
  ).map(({ rank, ...document }) => ({ ...document, score: -rank }))
}
