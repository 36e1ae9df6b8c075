/** People's files as a model takes them: pictures and PDF as they are, text as data, everything else by name only. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { TurnInput } from '../../../messaging/engine.js'
import { safeName } from '../../../messaging/text/index.js'
import { size } from '../../bytes.js'
import { data } from '../../prompt/frame.js'

/** One picture, in bytes; Anthropic takes 5 MB of base64: https://docs.claude.com/en/docs/build-with-claude/vision */
export const IMAGE_BYTES = 3_750_000
export const PDF_BYTES = 10_000_000
/** All of a turn: Google takes requests of 20 MB: https://ai.google.dev/gemini-api/docs/document-processing */
export const MEDIA_BYTES = 14_000_000
/** Characters of one text file, and of all of a turn. */
export const TEXT_CHARACTERS = 60_000
const TEXT_TOTAL = 120_000
/** A character of UTF-8 has at most four bytes. */
const TEXT_BYTES = TEXT_CHARACTERS * 4

export interface Media {
  name: string
  mediaType: string
  bytes: Uint8Array
}

export interface ModelFiles {
  media: Media[]
  /** Lines for the prompt: contents of text files, and what the model is not given, with the reason. */
  lines: string[]
}

/** Reads what came with a turn. A file that cannot be read or taken is named, and the turn goes on. */
export async function readFiles(files: TurnInput['files']): Promise<ModelFiles> {
  const result: ModelFiles = { media: [], lines: [] }
  const texts: string[] = []
  const refused: string[] = []
  const left = { media: MEDIA_BYTES, text: TEXT_TOTAL }
  for (const { name, path } of files) {
    const found = await readOne(path, left).catch(() => 'it could not be read')
    if (typeof found === 'string') refused.push(...data(`${safeName(name)}: ${found}`))
    else if ('text' in found) texts.push(...data(`${safeName(name)}:`), ...data(found.text))
    else result.media.push({ name: safeName(name), ...found })
  }
  if (texts.length > 0) result.lines.push('--- Text of the files ---', ...texts)
  if (result.media.length > 0)
    result.lines.push('--- Attached, in this order ---', ...result.media.flatMap(({ name }) => data(name)))
  if (refused.length > 0) result.lines.push(NOT_GIVEN, ...refused)
  return result
}

const NOT_GIVEN = '--- Files that you are not given ---'

/** What stands in the prompt for files that the model turned out not to take. */
export function notTaken(media: readonly Media[]): string[] {
  return [NOT_GIVEN, ...media.flatMap(({ name }) => data(`${name}: this model does not take such files`))]
}

type Found = { text: string } | Omit<Media, 'name'> | string

async function readOne(path: string, left: { media: number; text: number }): Promise<Found> {
  // Golem has put it there; a link that somebody put in its place leads nowhere.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size: bytes } = await handle.stat()
    const mediaType = typeOf(await head(handle, 16))
    if (mediaType === null) return await asText(handle, bytes, left)
    const most = mediaType === 'application/pdf' ? PDF_BYTES : IMAGE_BYTES
    if (bytes > most) return `it is larger than ${size(most)}, the most that a model is given`
    if (bytes > left.media) return `with the other files it is more than ${size(MEDIA_BYTES)}`
    left.media -= bytes
    return { mediaType, bytes: await handle.readFile() }
  } finally {
    await handle.close()
  }
}

async function head(handle: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
  return buffer.subarray(0, bytesRead)
}

/** By its first bytes: what a file is called is somebody's word. */
function typeOf(start: Buffer): string | null {
  const text = start.toString('latin1')
  if (text.startsWith('\u0089PNG\r\n')) return 'image/png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return 'image/webp'
  return text.startsWith('%PDF-') ? 'application/pdf' : null
}

async function asText(handle: FileHandle, bytes: number, left: { text: number }): Promise<Found> {
  const start = await head(handle, Math.min(bytes, TEXT_BYTES))
  const text = textOf(start, start.length < bytes)
  if (text === null) return 'models are given pictures (PNG, JPEG, WebP, GIF), PDF and text only'
  if (left.text <= 0) return `the other files have ${TEXT_TOTAL.toLocaleString('en')} characters already`
  const most = Math.min(TEXT_CHARACTERS, left.text)
  const shown = text.slice(0, most)
  left.text -= shown.length
  const isCut = shown.length < text.length || start.length < bytes
  return { text: isCut ? `${shown}\n(It goes on; ${size(bytes)} in all.)` : shown }
}

/** @param cut the last character may have lost its end */
function textOf(bytes: Buffer, cut: boolean): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut })
  } catch {
    return null
  }
}
