/**
 * Uploads: the bytes go into Feishu's store, which nobody sees; the message that shows them is a second request. So
 * whatever fails before it "surely did not happen". The message carries the key of its operation like every other post.
 * https://open.feishu.cn/document/server-docs/im-v1/file/create, …/im-v1/image/create
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { PlatformFailure, type Upload } from '../../src/messaging/contract.js'
import type { Api, Form } from './api.js'
import { CallFailed } from './failures.js'
import { IMAGE_BYTES, UPLOAD_BYTES, UPLOAD_MS } from './limits.js'
import { type Fields, text } from './shape.js'

/** A message's type and content, as they are sent. */
export interface Content {
  type: string
  content: Fields
}

/** Bytes there; the message that shows them. */
export async function uploaded(api: Api, op: Upload, signal: AbortSignal): Promise<Content> {
  const bytes = await sizeOf(op)
  const image = bytes <= IMAGE_BYTES && (await isImage(op))
  try {
    if (image) {
      const form = formOf(op, bytes, 'image', { image_type: 'message' })
      const key = text((await api.upload('im/v1/images', form, signal, UPLOAD_MS)).image_key)
      if (key === undefined) throw new CallFailed('unanswered', 'im/v1/images')
      return { type: 'image', content: { image_key: key } }
    }
    const form = formOf(op, bytes, 'file', { file_type: kindOf(op.name), file_name: op.name })
    const key = text((await api.upload('im/v1/files', form, signal, UPLOAD_MS)).file_key)
    if (key === undefined) throw new CallFailed('unanswered', 'im/v1/files')
    return { type: 'file', content: { file_key: key } }
  } catch (error) {
    // Nobody has seen anything yet: a doubt about the bytes is none.
    if (error instanceof CallFailed && error.code === 'unanswered')
      throw new CallFailed('unreachable', error.call, { ...error.details, cause: error })
    throw error
  }
}

async function sizeOf(op: Upload): Promise<number> {
  let size: number
  try {
    const found = await stat(op.path)
    if (!found.isFile()) throw new Error('not a file')
    size = found.size
  } catch (error) {
    throw refused(`${op.name} cannot be read`, error)
  }
  if (size === 0) throw refused(`${op.name} is empty; Feishu takes no empty file`)
  if (size > UPLOAD_BYTES)
    throw refused(`${op.name} has ${size} bytes, more than the ${UPLOAD_BYTES} that Feishu takes`)
  return size
}

const refused = (sentence: string, cause?: unknown): PlatformFailure =>
  new PlatformFailure(
    { kind: 'invalid', field: 'file' },
    sentence,
    cause === undefined ? undefined : { cause },
  )

/** What a file begins with, where Feishu shows it as a picture. Its name alone may lie. */
const PICTURES: readonly string[] = ['89504e470d0a1a0a', 'ffd8ff', '474946383761', '474946383961', '424d']

async function isImage({ path, name }: Upload): Promise<boolean> {
  if (!/\.(?:png|jpe?g|gif|bmp|webp)$/i.test(name)) return false
  const file = await open(path, 'r')
  try {
    const head = Buffer.alloc(16)
    await file.read(head, 0, 16, 0)
    const written = head.toString('hex')
    const webp = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'
    return webp || PICTURES.some((begin) => written.startsWith(begin))
  } finally {
    await file.close()
  }
}

/** The kinds that Feishu opens by itself. A voice or video message has other rules: those go as files. */
const KINDS: Readonly<Record<string, string>> = {
  pdf: 'pdf',
  doc: 'doc',
  docx: 'doc',
  xls: 'xls',
  xlsx: 'xls',
  ppt: 'ppt',
  pptx: 'ppt',
}

function kindOf(name: string): string {
  return KINDS[/\.([a-z]{3,4})$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'stream'
}

/** The form is written by hand: so the file is read while it is sent, and its length is known before. */
function formOf(op: Upload, bytes: number, field: string, values: Readonly<Record<string, string>>): Form {
  const boundary = `golem-${randomUUID()}`
  const head = Object.entries(values).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${oneLine(value)}\r\n`,
  )
  // https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data: how names are escaped.
  const called = oneLine(op.name).replaceAll('"', '%22')
  const begin = Buffer.from(
    `${head.join('')}--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${called}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  )
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield begin
    // A file that grows meanwhile is sent as it was.
    yield* createReadStream(op.path, { end: bytes - 1 })
    yield end
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: begin.length + bytes + end.length,
    stream: stream(),
  }
}

const oneLine = (value: string): string => value.replace(/[\r\n]+/g, ' ')
