/**
 * The raw events of the local platform, as its chat server stores them for delivery. Version 1: rows written by an older
 * Golem must still be readable, so fields are only ever added, and each one added is optional.
 */
import { z } from 'zod'

/** Message ids are decimal numbers, increasing over the whole platform. */
const messageId = z.string().regex(/^[1-9][0-9]{0,15}$/)

const person = z.object({
  id: z.string().min(1).max(128),
  name: z.string().min(1).max(256),
  kind: z.enum(['person', 'bot']).default('person'),
})

const file = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(255),
  mime: z.string().max(128).optional(),
  bytes: z.number().int().nonnegative().optional(),
})

const mention = z.object({ id: z.string().min(1).max(128), name: z.string().min(1).max(256) })

const common = {
  v: z.literal(1),
  /** Identity of what happened. Holds the birth mark of the database, so that a recreated one repeats none. */
  event: z.string().min(1).max(200),
  at: z.number().int().nonnegative(),
  room: z.object({
    id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    kind: z.enum(['group', 'dm']),
    title: z.string().max(256),
  }),
  /** Root message of the thread. */
  thread: messageId.optional(),
  author: person,
}

export const localRaw = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.literal('message'),
    id: messageId,
    text: z.string(),
    mentions: z.array(mention).optional(),
    files: z.array(file).optional(),
    replyTo: z.object({ id: messageId, author: person.optional(), text: z.string().optional() }).optional(),
  }),
  z.object({
    ...common,
    type: z.literal('edit'),
    id: messageId,
    text: z.string(),
    mentions: z.array(mention).optional(),
  }),
  z.object({ ...common, type: z.literal('delete'), id: messageId }),
  z.object({
    ...common,
    type: z.literal('reaction'),
    id: messageId,
    emoji: z.string().min(1).max(64),
    added: z.boolean(),
  }),
  z.object({ ...common, type: z.literal('press'), id: messageId, value: z.string().max(2_000) }),
  z.object({ ...common, type: z.literal('room') }),
])

/** One raw event. */
export type LocalRaw = z.infer<typeof localRaw>
export type RawPerson = z.infer<typeof person>
export type RawMention = z.infer<typeof mention>
