/** What a bot may put into a message. https://docs.discord.com/developers/resources/message#create-message */
import type { UploadedFile } from '../../kit/body.js'
import type { Hub } from '../hub.js'
import { isSnowflake } from '../ids.js'
import type { Allowed } from '../text/mentions.js'
import type { Attachment, Fields, Message } from '../world.js'
import { checkComponents } from './components.js'
import { apiError, invalid, missing, notSnowflake, tooLong } from './errors.js'

const MOST = { content: 2_000, embeds: 10, files: 10, mentions: 100 }
/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const EMBED = {
  title: 256,
  description: 4_096,
  fields: 25,
  name: 256,
  value: 1_024,
  footer: 2_048,
  author: 256,
}
const EMBEDS_TOTAL = 6_000
const UPLOAD_MAX = 10 * 1024 * 1024
const REQUEST_MAX = 25 * 1024 * 1024

/** What a bot may set: SUPPRESS_EMBEDS, EPHEMERAL, SUPPRESS_NOTIFICATIONS, IS_VOICE_MESSAGE, IS_COMPONENTS_V2. */
const SETTABLE = (1 << 2) | (1 << 6) | (1 << 12) | (1 << 13) | (1 << 15)
const COMPONENTS_V2 = 1 << 15

/** Characters as Discord counts them, code points: https://github.com/discord/discord-api-docs/issues/1315 */
export const lengthOf = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

export interface Content {
  content?: string
  embeds?: Fields[]
  components?: Fields[]
  attachments?: Attachment[]
  flags?: number
  allowed?: Allowed
  poll?: Fields
  tts?: boolean
}

/** @param old the message that is edited; absent: a new one. @throws ApiError */
export function readContent(
  hub: Hub,
  body: Fields,
  files: Readonly<Record<string, UploadedFile>>,
  old?: Message,
): Content {
  const content = readText(body.content)
  const embeds = readEmbeds(body.embeds)
  const flags = readFlags(body.flags)
  const isV2 = (((flags ?? 0) | (old?.flags ?? 0)) & COMPONENTS_V2) !== 0
  const components = checkComponents(body.components, isV2)
  if (isV2 && ((content ?? '') !== '' || (embeds ?? []).length > 0))
    throw invalid(
      'content',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      'The content field cannot be used when using MessageFlags.IS_COMPONENTS_V2',
    )
  const attachments = readFiles(hub, body, files, old)
  const allowed = readAllowed(body.allowed_mentions)
  const poll = readPoll(hub, body.poll)
  return {
    ...(content !== undefined && { content }),
    ...(embeds !== undefined && { embeds }),
    ...(components !== undefined && { components }),
    ...(attachments !== undefined && { attachments }),
    ...(flags !== undefined && { flags }),
    ...(allowed !== undefined && { allowed }),
    ...(poll !== undefined && { poll }),
    ...(body.tts === true && { tts: true }),
  }
}

/** @throws ApiError when there would be nothing to see */
export function checkNotEmpty(
  content: Content,
  more: { old?: Message; stickers?: unknown; forward?: boolean } = {},
): void {
  const { old } = more
  const has = (list: readonly unknown[] | undefined) => (list?.length ?? 0) > 0
  const isThere =
    (content.content ?? old?.content ?? '') !== '' ||
    has(content.embeds ?? old?.embeds) ||
    has(content.components ?? old?.components) ||
    has(content.attachments ?? old?.attachments) ||
    content.poll !== undefined ||
    more.forward === true ||
    (Array.isArray(more.stickers) && more.stickers.length > 0)
  if (!isThere) throw apiError(50006)
}

/** Blanks around it go. */
function readText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return ''
  if (typeof value !== 'string' && typeof value !== 'number')
    throw invalid('content', 'STRING_TYPE_CONVERT', 'Could not convert to string.')
  const text = String(value).trim()
  if (lengthOf(text) > MOST.content) throw tooLong('content', MOST.content)
  return text
}

function readFlags(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw invalid('flags', 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`)
  return value & SETTABLE
}

function readEmbeds(value: unknown): Fields[] | undefined {
  if (value === undefined) return undefined
  if (value === null) return []
  if (!Array.isArray(value))
    throw invalid('embeds', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
  if (value.length > MOST.embeds)
    throw invalid('embeds', 'BASE_TYPE_MAX_LENGTH', `Must be ${MOST.embeds} or fewer in length.`)
  let total = 0
  const check = (path: string, text: unknown, most: number) => {
    if (text === undefined || text === null) return
    const length = lengthOf(String(text))
    if (length > most) throw tooLong(path, most)
    total += length
  }
  const embeds = value.map((one: unknown, at) => {
    const embed: Fields = { type: 'rich', ...(one as Fields) }
    const path = `embeds.${at}`
    check(`${path}.title`, embed.title, EMBED.title)
    check(`${path}.description`, embed.description, EMBED.description)
    check(`${path}.footer.text`, (embed.footer as Fields | undefined)?.text, EMBED.footer)
    check(`${path}.author.name`, (embed.author as Fields | undefined)?.name, EMBED.author)
    const fields = (embed.fields ?? []) as Fields[]
    if (fields.length > EMBED.fields) throw tooLong(`${path}.fields`, EMBED.fields)
    for (const [index, field] of fields.entries()) {
      if ((field.name ?? '') === '') throw missing(`${path}.fields.${index}.name`)
      if ((field.value ?? '') === '') throw missing(`${path}.fields.${index}.value`)
      check(`${path}.fields.${index}.name`, field.name, EMBED.name)
      check(`${path}.fields.${index}.value`, field.value, EMBED.value)
    }
    return embed
  })
  if (total > EMBEDS_TOTAL)
    throw invalid('embeds', 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${EMBEDS_TOTAL}`)
  return embeds
}

/** https://docs.discord.com/developers/resources/message#allowed-mentions-object */
export function readAllowed(value: unknown): Allowed | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid('allowed_mentions', 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType')
  const { parse, users, roles, replied_user } = value as Fields
  const list = (given: unknown, path: string): string[] => {
    if (given === undefined || given === null) return []
    if (!Array.isArray(given))
      throw invalid(
        `allowed_mentions.${path}`,
        'LIST_TYPE_CONVERT',
        'Only iterables may be used in a ListType',
      )
    if (given.length > MOST.mentions) throw tooLong(`allowed_mentions.${path}`, MOST.mentions)
    return given.map(String)
  }
  const kinds = list(parse, 'parse')
  for (const [at, kind] of kinds.entries()) {
    if (!['users', 'roles', 'everyone'].includes(kind))
      throw invalid(
        `allowed_mentions.parse.${at}`,
        'BASE_TYPE_CHOICES',
        "Value must be one of ('users', 'roles', 'everyone').",
      )
  }
  const ids = { users: list(users, 'users'), roles: list(roles, 'roles') }
  for (const kind of ['users', 'roles'] as const) {
    const bad = ids[kind].find((id) => !isSnowflake(id))
    if (bad !== undefined) throw notSnowflake(`allowed_mentions.${kind}.${ids[kind].indexOf(bad)}`, bad)
    if (kinds.includes(kind) && ids[kind].length > 0)
      throw invalid(
        'allowed_mentions',
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      )
  }
  return {
    parse: new Set(kinds),
    users: new Set(ids.users),
    roles: new Set(ids.roles),
    repliedUser: replied_user === true,
  }
}

/** Uploaded ones, and of an edited message those that are named again. https://docs.discord.com/developers/reference#uploading-files */
function readFiles(
  hub: Hub,
  body: Fields,
  files: Readonly<Record<string, UploadedFile>>,
  old: Message | undefined,
): Attachment[] | undefined {
  const named = body.attachments
  if (named !== undefined && named !== null && !Array.isArray(named))
    throw invalid('attachments', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
  const about = (named ?? []) as Fields[]
  const uploads = Object.entries(files)
  if (named === undefined && uploads.length === 0) return undefined
  checkSizes(hub, uploads)
  const kept = (old?.attachments ?? []).filter(
    ({ id }) => named === undefined || about.some((one) => String(one.id) === id),
  )
  const added = uploads.map(([field, file]) => {
    const index = /^files?\[?(\d+)\]?$/.exec(field)?.[1]
    const one = about.find(({ id }) => String(id) === index)
    return {
      id: hub.world.nextId(),
      name: fileName(typeof one?.filename === 'string' ? one.filename : file.name),
      mime: file.mime,
      bytes: file.bytes,
      ...(typeof one?.description === 'string' && { description: one.description }),
      ...(typeof one?.duration_secs === 'number' && { seconds: one.duration_secs }),
    }
  })
  for (const [at, { id }] of about.entries()) {
    const isThere =
      kept.some((file) => file.id === String(id)) ||
      uploads.some(([field]) => field.includes(`[${String(id)}]`))
    if (!isThere)
      throw invalid(
        `attachments.${at}.id`,
        'MESSAGE_ATTACHMENT_NOT_FOUND',
        `Attachment data at index ${at} has no file`,
      )
  }
  return [...kept, ...added]
}

function checkSizes(hub: Hub, uploads: readonly (readonly [string, UploadedFile])[]): void {
  if (uploads.length > MOST.files)
    throw invalid('attachments', 'BASE_TYPE_MAX_LENGTH', `Must be ${MOST.files} or fewer in length.`)
  const most = hub.options.uploadMax ?? UPLOAD_MAX
  const all = uploads.reduce((sum, [, { bytes }]) => sum + bytes.length, 0)
  if (all > Math.max(REQUEST_MAX, most) || uploads.some(([, { bytes }]) => bytes.length > most))
    throw apiError(40005)
}

/** Blanks become underscores, and what is no part of a name goes. */
const fileName = (name: string): string => name.replace(/\s+/g, '_').replace(/[/\\<>:"|?*]/g, '') || 'unknown'

/** https://docs.discord.com/developers/resources/poll#poll-create-request-object */
function readPoll(hub: Hub, value: unknown): Fields | undefined {
  if (value === undefined || value === null) return undefined
  const { question, answers, duration, allow_multiselect } = value as Fields
  if (!Array.isArray(answers) || answers.length === 0) throw missing('poll.answers')
  if (typeof (question as Fields | undefined)?.text !== 'string') throw missing('poll.question.text')
  const hours = typeof duration === 'number' ? duration : 24
  return {
    question,
    answers: answers.map((answer: Fields, at) => ({ answer_id: at + 1, poll_media: answer.poll_media })),
    expiry: new Date(hub.clock.now() + hours * 3_600_000).toISOString(),
    allow_multiselect: allow_multiselect === true,
    layout_type: 1,
    results: { is_finalized: false, answer_counts: [] },
  }
}
