/** Upload and download over HTTP. */
import { FileTooLarge, safeFileName, safeMime } from './files.js'
import { bodyChunks, HttpError, jsonResponse, readAll } from './http.js'
import { type ChatServer, write } from './server.js'
import { MOST_FILE_BYTES } from './sizes.js'

/** What multipart adds around one file. */
const MULTIPART_OVERHEAD = 64 * 1024

export async function uploadFile(
  server: ChatServer,
  request: Request,
  room: string,
  queryName: string | undefined,
): Promise<Response> {
  await server.db.call('room', { id: room })
  const type = request.headers.get('content-type') ?? ''
  const source = type.toLowerCase().startsWith('multipart/form-data')
    ? await onePart(request, type)
    : { chunks: bodyChunks(request, MOST_FILE_BYTES), name: queryName ?? headerName(request) ?? 'file', type }
  const id = server.files.newId()
  const name = safeFileName(source.name)
  try {
    const bytes = await server.files.save(id, source.chunks, MOST_FILE_BYTES)
    if (bytes === 0) throw new HttpError(400, 'empty-file', 'the file is empty')
    const input = { id, room, name, mime: safeMime(source.type, name), bytes, at: server.clock.now() }
    const file = await write(server, 'addFile', input)
    return jsonResponse(201, server.present.file(file))
  } catch (error) {
    await server.files.remove([id]).catch(() => {})
    throw uploadError(error)
  }
}

export async function serveFile(server: ChatServer, id: string): Promise<Response> {
  const file = await server.db.call('file', { id })
  let stream: ReadableStream<Uint8Array>
  try {
    stream = await server.files.read(id)
  } catch {
    throw new HttpError(
      404,
      'unknown-file',
      `the bytes of the file ${id} are not in the data folder any more`,
    )
  }
  const plain = file.name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  return new Response(stream, {
    headers: {
      'content-type': file.mime,
      'content-length': String(file.bytes),
      'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${percent(file.name)}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    },
  })
}

async function onePart(request: Request, type: string) {
  const body = await readAll(request, MOST_FILE_BYTES + MULTIPART_OVERHEAD)
  let form: FormData
  try {
    form = await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch {
    throw new HttpError(400, 'malformed-form', 'the body is no multipart/form-data')
  }
  const files = [...form.values()].filter((value) => typeof value !== 'string')
  const file = files[0]
  if (file === undefined || files.length > 1) {
    throw new HttpError(400, 'one-file', `send one file a request, not ${files.length}`)
  }
  return { chunks: file.stream() as AsyncIterable<Uint8Array>, name: file.name, type: file.type }
}

function headerName(request: Request): string | undefined {
  const header = request.headers.get('x-file-name')
  if (header === null) return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return header
  }
}

function uploadError(error: unknown): unknown {
  if (error instanceof FileTooLarge) {
    return new HttpError(413, 'too-large', `a file may have ${MOST_FILE_BYTES} bytes at most`)
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS' || code === 'EACCES') {
    const message = `the file could not be stored (${code}): free disk space or check the data folder, then send it again`
    return new HttpError(503, 'storage', message)
  }
  return error
}

/** RFC 8187. */
function percent(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
