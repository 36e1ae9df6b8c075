/** A prompt as blocks of the protocol: its text, then the files that came with it. */
import { readFile, stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { TurnInput } from '../../../messaging/engine.js'

/** An image of more than this is named, not shown. */
const IMAGE_BYTES = 5_000_000
const IMAGES = 8
const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

export type Block =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string; uri: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string; size?: number }

/** @param images whether the agent takes them */
export async function blocksOf(text: string, files: TurnInput['files'], images: boolean): Promise<Block[]> {
  let shown = 0
  const blocks: Block[] = [{ type: 'text', text }]
  for (const file of files) {
    const bytes = (await stat(file.path).catch(() => null))?.size
    if (bytes === undefined) continue
    const isImage = images && shown < IMAGES && bytes <= IMAGE_BYTES && IMAGE_TYPES.includes(file.mime ?? '')
    if (isImage) shown += 1
    blocks.push(await (isImage ? image(file) : link(file, bytes)))
  }
  return blocks
}

async function image({ path, mime = '' }: TurnInput['files'][number]): Promise<Block> {
  const data = await readFile(path)
  return { type: 'image', data: data.toString('base64'), mimeType: mime, uri: pathToFileURL(path).href }
}

async function link({ path, name, mime }: TurnInput['files'][number], size: number): Promise<Block> {
  const uri = pathToFileURL(path).href
  return { type: 'resource_link', uri, name, ...(mime === undefined ? {} : { mimeType: mime }), size }
}
