import { z } from 'zod'
import { ToolError } from '../../messaging/engine.js'
import type { TranscriptHit } from '../../messaging/store.js'
import { safeName } from '../../messaging/text/index.js'
import { defineTool } from './tool.js'

const query = z.string().trim().min(1).max(400).describe('words to look for')
const limit = (most: number, usual: number) =>
  z.number().int().min(1).max(most).default(usual).describe('how many at most')

export const historySearch = defineTool({
  name: 'history_search',
  description:
    'Search everything that was said in this conversation before, best first. Any two characters of Chinese, Japanese or Korean that stand together are found.',
  args: z.strictObject({ query, limit: limit(20, 8) }),
  writes: false,
  async run(args, { store, turn }) {
    // The question itself holds its words best of all.
    const asked = new Set(turn.lines.flatMap((line) => (line.new ? [line.native ?? `#${line.message}`] : [])))
    const found = await store.searchTranscript(turn.conversation, args.query, args.limit + asked.size)
    const hits = found.filter(({ id }) => !asked.has(id)).slice(0, args.limit)
    return { result: { messages: hits.map(shown) }, note: countOf(hits.length) }
  },
})

export const historyRead = defineTool({
  name: 'history_read',
  description:
    'Read this conversation backwards, beyond the lines you were shown. Pass the `at` of the oldest line you have as `before` to go on.',
  args: z.strictObject({
    before: z.string().trim().max(40).optional().describe('ISO 8601 time; only lines before it'),
    limit: limit(50, 20),
  }),
  writes: false,
  async run(args, { store, turn }) {
    const before = args.before === undefined ? null : Date.parse(args.before)
    if (Number.isNaN(before)) {
      throw new ToolError('history_read was not carried out: write before as 2026-03-01T10:00:00Z.')
    }
    const hits = await store.readTranscript(turn.conversation, before, args.limit)
    return { result: { messages: hits.map(shown) }, note: countOf(hits.length) }
  },
})

export const knowledgeSearch = defineTool({
  name: 'knowledge_search',
  description:
    'Search what Golem was given to know: the texts of its skills and FAQ. Name the source when you use it.',
  args: z.strictObject({ query, limit: limit(30, 5) }),
  writes: false,
  async run(args, { store }) {
    const hits = await store.searchKnowledge(args.query, args.limit)
    return {
      result: { passages: hits.map(({ source, title, text }) => ({ source, title, text })) },
      note: countOf(hits.length),
    }
  },
})

function shown(hit: TranscriptHit): object {
  return { id: hit.id, author: safeName(hit.author), at: new Date(hit.at).toISOString(), text: hit.text }
}

function countOf(count: number): string {
  return count === 0 ? 'nothing found' : `${count} found`
}
