/** A chat's memory over HTTP: read, and replaced where it is still what the writer has read. */
import { z } from 'zod'
import { MemoryError } from '../memory/error.js'
import type { GroupMemory } from '../memory/group.js'
import type { Clock } from '../messaging/ambient.js'
import type { Store } from '../messaging/store.js'
import { HttpError } from './error.js'
import type { Parameter, Route } from './routes.js'

export const memorySchema = z.object({
  key: z.string(),
  exists: z.boolean().describe('false: there is no file yet, and this is the form of a new one'),
  text: z.string().describe('the whole Markdown file'),
  hash: z.string().describe('of the text; PUT wants it back'),
  facts: z
    .array(
      z.object({
        audience: z.enum(['chat', 'person', 'connection']),
        text: z.string(),
        by: z.string().describe('who had it kept'),
        at: z.number().int().describe('milliseconds since the epoch'),
      }),
    )
    .describe('what may be shown in this chat besides, oldest first'),
})
export const newMemorySchema = z.strictObject({
  text: z.string().min(1).max(200_000),
  hash: z.string().describe('of the text that was changed'),
})

const KEY: Parameter = {
  name: 'key',
  in: 'path',
  description: 'chatKey of the room, e.g. `local:lobby`',
  schema: { type: 'string' },
}

/** What a client may do something about; everything else is for whoever runs Golem. */
const REFUSED: Partial<Record<MemoryError['code'], HttpError['status']>> = {
  'bad-key': 404,
  conflict: 409,
  full: 413,
  'too-large': 413,
  'wrong-key': 409,
}

/** Paths are for the log, not for clients. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const status = error instanceof MemoryError ? REFUSED[error.code] : undefined
    if (status === undefined || !(error instanceof MemoryError)) throw error
    const { code } = error
    throw new HttpError(status, code === 'bad-key' ? 'unknown-room' : code, WORDS[code] ?? error.message)
  }
}

const WORDS: Partial<Record<MemoryError['code'], string>> = {
  'bad-key': 'There is no room of that key; GET /api/rooms lists them.',
  conflict: 'The memory was changed since it was read: GET it again and change that.',
  full: 'The memory file is full, and its lists are too short to be summarised: send a shorter one.',
  'too-large': 'The memory file is too large to be read.',
  'wrong-key': 'The memory file belongs to another chat: its first line names it.',
}

export interface MemoryRoutesParts {
  memory: Pick<GroupMemory, 'read' | 'put'>
  store: Pick<Store, 'factsOf' | 'rooms'>
  clock: Pick<Clock, 'now'>
}

export function memoryRoutes({ memory, store, clock }: MemoryRoutesParts): readonly Route[] {
  /** Only of rooms that there are: nothing is made for a key that somebody made up. */
  const known = async (key: string): Promise<string> => {
    if ((await store.rooms()).some((room) => room.key === key)) return key
    throw new HttpError(404, 'unknown-room', 'There is no room of that key; GET /api/rooms lists them.')
  }
  const view = async (key: string): Promise<z.output<typeof memorySchema>> => {
    const { text, hash, exists } = await told(memory.read(key))
    return { key, exists, text, hash, facts: await store.factsOf(key, clock.now()) }
  }
  return [
    {
      method: 'get',
      path: '/api/memory/{key}',
      id: 'memory',
      summary: 'What a chat remembers: its Markdown file, and the facts that may be shown there.',
      parameters: [KEY],
      gives: memorySchema,
      async handle({ params }) {
        return { body: await view(await known(params.key ?? '')) }
      },
    },
    {
      method: 'put',
      path: '/api/memory/{key}',
      id: 'putMemory',
      summary: 'Replaces the file, if it is still the one with that hash.',
      parameters: [KEY],
      takes: newMemorySchema,
      gives: memorySchema,
      also: { 409: { description: 'It was changed meanwhile: read it again.' } },
      async handle({ params, json }) {
        const key = await known(params.key ?? '')
        const input = newMemorySchema.safeParse(await json())
        if (!input.success)
          throw new HttpError(400, 'bad-body', 'Send {"text": "…", "hash": "<hash of what you changed>"}.')
        await told(memory.put(key, input.data.text, input.data.hash))
        return { body: await view(key) }
      },
    },
  ]
}
