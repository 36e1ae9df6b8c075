/** Bodies, queries and answers of the local rooms' HTTP API. Routes check with them, OpenAPI is made from them. */
import { z } from 'zod'
import { roomId } from './settings.js'
import { MOST_FILES, MOST_TEXT } from './sizes.js'

const MOST_NAME = 100

/** Line breaks, control characters and direction overrides can forge what a reader sees: they become blanks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORGING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g

/** Text as the database can keep it: half characters and NUL are replaced. */
export function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD')
}

const cleanName = (max: number) =>
  z
    .string()
    .max(max)
    .transform((name) => wellFormed(name).replace(FORGING, ' ').replace(/\s+/g, ' ').trim().normalize('NFC'))
    .pipe(z.string().min(1, 'must not be empty'))

const personId = z
  .string()
  .max(MOST_NAME)
  .transform((id) => wellFormed(id).trim().normalize('NFC'))
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .refine(
        (id) => !id.startsWith('@'),
        'an id that begins with @ belongs to the platform: write the name without @',
      )
      .refine((id) => id.search(FORGING) === -1, 'must not hold control characters'),
  )

/** A name alone is its own id. */
const author = z
  .union([
    cleanName(MOST_NAME)
      .pipe(personId)
      .transform((name) => ({ id: name, name, kind: 'person' as const })),
    z.strictObject({
      id: personId,
      name: cleanName(MOST_NAME),
      kind: z
        .enum(['person', 'bot'])
        .default('person')
        .describe('`bot`: an automated account, not a person.'),
    }),
  ])
  .describe('Who does it: a name (which is then also the id), or `{id, name}`.')

export const messageId = z.string().regex(/^[1-9][0-9]{0,15}$/, 'a message id is a decimal number')
const text = z
  .string()
  .max(MOST_TEXT, `at most ${MOST_TEXT} characters: send longer text as a file`)
  .transform(wellFormed)
  .describe('Markdown.')
const someText = text.refine((value) => value.trim() !== '', 'must not be empty')
const mentions = z
  .array(z.strictObject({ id: z.string().min(1).max(MOST_NAME), name: cleanName(MOST_NAME) }))
  .max(100)
  .default([])
  .describe('Native mentions: whom an `@name` in the text means. The bot is `@golem`.')
const title = cleanName(MOST_NAME)
const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'an idempotency key is 1-200 visible ASCII characters')
  .describe(
    'Your own key: the same request sent again is not said again. Also as the header `Idempotency-Key`.',
  )
const emoji = z
  .string()
  .transform((value) => wellFormed(value).normalize('NFC'))
  .pipe(z.string().regex(/^[^\s\p{Cc}]{1,32}$/u, 'an emoji, or a short word without blanks'))

export const params = { room: roomId, message: messageId, emoji, file: z.string().regex(/^[a-f0-9]{32}$/) }

export const bodies = {
  makeRoom: z.strictObject({
    id: roomId.optional().describe('Default: one is made up.'),
    title: title.optional().describe('Default: the id.'),
    kind: z
      .enum(['group', 'dm'])
      .default('group')
      .describe('`dm`: one person and the bot; every message addresses it.'),
  }),
  changeRoom: z
    .strictObject({
      title: title.optional(),
      archived: z.boolean().optional().describe('An archived room can be read, not written in.'),
      author: author.optional(),
    })
    .refine((body) => body.title !== undefined || body.archived !== undefined, 'give a title, or archived'),
  say: z
    .strictObject({
      author,
      text: text.default(''),
      replyTo: messageId.optional().describe('The quoted message.'),
      thread: messageId.optional().describe('Root message of the thread to write in.'),
      files: z.array(params.file).max(MOST_FILES).default([]).describe('Ids of uploaded files.'),
      mentions,
      key: key.optional(),
    })
    .refine((body) => body.text.trim() !== '' || body.files.length > 0, {
      path: ['text'],
      message: 'must not be empty',
    }),
  amend: z.strictObject({ author, text: someText, mentions }),
  author: z.strictObject({ author }),
  press: z.strictObject({ author, value: z.string().min(1).max(2_000) }),
}
export const idempotencyKey = key

const whole = (max: number, fallback: number) => z.coerce.number().int().min(1).max(max).default(fallback)
// A query may hold what is none of ours (a proxy's, a cache's): that is passed over, in bodies it is refused.
export const queries = {
  messages: z.object({
    before: messageId.optional().describe('Only older than this message.'),
    after: messageId.optional().describe('Only newer than this message; the oldest of them first.'),
    thread: z
      .union([z.literal('none'), messageId])
      .optional()
      .describe('One thread, or `none`: what stands in none.'),
    limit: whole(200, 50),
  }),
  people: z.object({ room: roomId.optional() }),
  author: z.object({ author: author.optional() }),
  upload: z.object({ name: z.string().max(1_000).optional().describe('File name, for a raw body.') }),
  events: z.object({
    rooms: z
      .string()
      .transform((list) => list.split(',').filter((id) => id !== ''))
      .pipe(z.array(roomId).min(1).max(200))
      .optional()
      .describe('Ids with commas between; default all rooms.'),
    as: z.string().min(1).max(MOST_NAME).optional().describe('Your person id: notes for you alone come too.'),
    lastEventId: z.coerce.number().int().min(0).optional().describe('As the header `Last-Event-ID`.'),
  }),
  none: z.object({}),
}

// ---- answers -----------------------------------------------------------------------------------------------------

const person = z.object({ id: z.string(), name: z.string(), kind: z.enum(['person', 'bot', 'self']) })
const fileView = z.object({
  id: z.string(),
  name: z.string(),
  mime: z.string(),
  bytes: z.number().int(),
  url: z.string().describe('Where its bytes are.'),
})
const message = z.object({
  id: z.string(),
  room: z.string(),
  thread: z.string().optional().describe('Root message of its thread.'),
  author: person,
  agent: z.string().optional().describe('The agent that speaks, in a post of the bot.'),
  text: z.string().describe('Markdown; empty when deleted.'),
  mentions: z.array(z.object({ id: z.string(), name: z.string() })),
  at: z.number().int().describe('Milliseconds since 1970.'),
  edited: z.number().int().optional().describe('When it was last edited.'),
  deleted: z.boolean(),
  silent: z.boolean(),
  replyTo: z
    .object({ id: z.string(), author: person, excerpt: z.string(), deleted: z.boolean() })
    .optional()
    .describe('The quoted message.'),
  reactions: z.array(
    z.object({ emoji: z.string(), people: z.array(z.object({ id: z.string(), name: z.string() })) }),
  ),
  buttons: z.array(
    z.object({
      label: z.string(),
      value: z.string(),
      style: z.enum(['default', 'primary', 'danger']).optional(),
    }),
  ),
  files: z.array(fileView),
  receipt: z.string().describe('Where its receipt is.'),
})
const room = z.object({
  id: z.string(),
  key: z.string().describe('Its chat key.'),
  kind: z.enum(['group', 'dm']),
  title: z.string(),
  archived: z.boolean(),
  at: z.number().int(),
  people: z.number().int(),
  last: z
    .object({ id: z.string(), at: z.number().int(), author: z.string(), excerpt: z.string() })
    .optional(),
})

export const localSchemas = {
  LocalPerson: person,
  LocalFile: fileView,
  LocalMessage: message,
  LocalRoom: room,
  LocalRooms: z.object({ rooms: z.array(room) }),
  LocalMessages: z.object({
    messages: z.array(message).describe('Oldest first.'),
    more: z.boolean().describe('There are more in the direction that was asked for.'),
  }),
  LocalPeople: z.object({ people: z.array(person) }),
  LocalPosted: z.object({
    id: z.string(),
    room: z.string(),
    receipt: z.string().describe('Where the receipt of this message is.'),
  }),
  LocalPressed: z.object({ id: z.string(), value: z.string() }),
  LocalError: z.object({
    error: z.object({ code: z.string(), message: z.string() }),
    id: z.string().optional().describe('The message, when it was stored and only its delivery has to wait.'),
    room: z.string().optional(),
    receipt: z.string().optional(),
  }),
}
export type LocalSchemaName = keyof typeof localSchemas
