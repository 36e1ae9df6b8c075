/** A file as a form. https://docs.discord.com/developers/reference#uploading-files */
import { readFile, stat } from 'node:fs/promises'
import type { FormData } from 'undici'
import { PlatformFailure, type Upload } from '../../src/messaging/contract.js'
import type { Fields } from './shape.js'
import type { Undici } from './web.js'

/** @throws PlatformFailure where the file cannot go */
export async function formOf(
  undici: Undici,
  op: Upload,
  message: Fields,
  maxBytes: number,
): Promise<FormData> {
  const name = fileName(op.name)
  const refused = (sentence: string, cause?: unknown): PlatformFailure =>
    new PlatformFailure({ kind: 'invalid', field: 'file' }, `the file ${name} ${sentence}`, { cause })
  const size = await stat(op.path).then(
    (found) => (found.isFile() ? found.size : 0),
    (error: unknown) => {
      throw refused('is not there any more', error)
    },
  )
  if (size === 0) throw refused('is empty')
  if (size > maxBytes) throw refused(`has ${size} bytes, Discord takes ${maxBytes}`)
  // At most ten megabytes: held for as long as the request takes.
  const bytes = await readFile(op.path).catch((error: unknown) => {
    throw refused('cannot be read', error)
  })
  const form = new undici.FormData()
  form.set('payload_json', JSON.stringify({ ...message, attachments: [{ id: 0, filename: name }] }))
  form.set('files[0]', new Blob([bytes]), name)
  return form
}

function fileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return name.replace(/[\0-\x1f\x7f"\\/]/g, '_').slice(-200) || 'file'
}
