/** Parameters of a call: from JSON, a form or multipart, where numbers, flags and objects may come as text. */
import type { UploadedFile } from '../kit/body.js'
import { badRequest } from './errors.js'
import type { Button } from './world.js'

type Fields = Readonly<Record<string, unknown>>

export class Params {
  readonly #fields: Fields
  readonly #files: Readonly<Record<string, UploadedFile>>

  constructor(fields: Fields, files: Readonly<Record<string, UploadedFile>> = {}) {
    this.#fields = fields
    this.#files = files
  }

  has(name: string): boolean {
    const value = this.#fields[name]
    return (value !== undefined && value !== null && value !== '') || name in this.#files
  }

  text(name: string): string {
    const value = this.#fields[name]
    if (value === undefined || value === null) return ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  int(name: string): number | undefined {
    if (!this.has(name)) return undefined
    const number = Number(this.#fields[name])
    return Number.isSafeInteger(number) ? number : undefined
  }

  flag(name: string): boolean {
    const value = this.#fields[name]
    return value === true || value === 1 || /^(true|yes|1)$/i.test(String(value))
  }

  /** @throws ApiError when it is text that is not JSON */
  json(name: string): unknown {
    const value = this.#fields[name]
    if (typeof value !== 'string') return value
    if (value === '') return undefined
    try {
      return JSON.parse(value)
    } catch {
      throw badRequest(`can't parse ${name.replaceAll('_', ' ')} JSON object`)
    }
  }

  /** @throws ApiError when it is there and no object */
  object(name: string): Fields | undefined {
    const value = this.json(name)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'object' && !Array.isArray(value)) return value as Fields
    throw badRequest(`object expected as ${name.replaceAll('_', ' ')}`)
  }

  /** @throws ApiError when it is there and no array */
  list(name: string): readonly unknown[] | undefined {
    const value = this.json(name)
    if (value === undefined || value === null) return undefined
    if (Array.isArray(value)) return value
    throw badRequest(`can't parse ${name.replaceAll('_', ' ')}: Expected an Array`)
  }

  /** The uploaded file behind a field: a part of that name, or `attach://part`. */
  upload(value: unknown, name: string): UploadedFile | undefined {
    if (typeof value === 'string' && value.startsWith('attach://')) return this.#files[value.slice(9)]
    return this.#files[name]
  }

  /** Other fields, with the same files: an item of an album. */
  of(fields: Fields): Params {
    return new Params(fields, this.#files)
  }

  /** As it is logged: what was text and is JSON as JSON, files as name and size. */
  log(): Record<string, unknown> {
    const logged: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(this.#fields)) logged[name] = readable(name, value)
    for (const [name, { name: file, bytes }] of Object.entries(this.#files)) {
      logged[name] = { file, bytes: bytes.length }
    }
    return logged
  }
}

function readable(name: string, value: unknown): unknown {
  if (name === 'secret_token') return '[redacted]'
  // Never what people wrote, though it may look like JSON.
  if (typeof value !== 'string' || name === 'text' || name === 'caption' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/** Longest `callback_data`: https://core.telegram.org/bots/api#inlinekeyboardbutton */
const DATA_BYTES = 64

/** An inline keyboard; undefined when there is none, null when it is there and empty: it is taken away. */
export function keyboard(params: Params): readonly (readonly Button[])[] | null | undefined {
  const markup = params.object('reply_markup')
  const rows = markup?.inline_keyboard
  if (markup === undefined || !('inline_keyboard' in markup)) return undefined
  if (!Array.isArray(rows))
    throw badRequest('can\'t parse inline keyboard: Field "inline_keyboard" must be of type Array')
  const read = rows.map((row: unknown) => {
    if (!Array.isArray(row))
      throw badRequest("can't parse inline keyboard: expected an Array of Arrays of InlineKeyboardButton")
    return row.map(button)
  })
  const kept = read.filter((row) => row.length > 0)
  return kept.length > 0 ? kept : null
}

function button(given: unknown): Button {
  const one = (typeof given === 'object' && given !== null ? given : {}) as Fields
  if (typeof one.text !== 'string') {
    throw badRequest('can\'t parse inline keyboard button: Can\'t find field "text"')
  }
  if (one.text.trim() === '')
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
  if (typeof one.url === 'string') return { text: one.text, url: one.url }
  if (typeof one.callback_data !== 'string') {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
  }
  const bytes = Buffer.byteLength(one.callback_data)
  if (bytes < 1 || bytes > DATA_BYTES) throw badRequest('BUTTON_DATA_INVALID')
  return { text: one.text, data: one.callback_data }
}
