/** Request bodies as platforms take them: JSON, forms, multipart. */

/** A file of a multipart body. */
export interface UploadedFile {
  name: string
  mime: string
  bytes: Buffer
}

export interface FormBody {
  fields: Record<string, string>
  files: Record<string, UploadedFile>
}

/** The body is not what its content type says. */
export class BadBody extends Error {}

/** Fields of an `application/x-www-form-urlencoded` text, or of a query. A name given twice: its last value. */
export function readForm(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** @throws BadBody */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadBody('The body is not JSON')
  }
}

const LINE = Buffer.from('\r\n')
const BLANK_LINE = Buffer.from('\r\n\r\n')

/**
 * A `multipart/form-data` body (RFC 7578). Written by hand because clients differ in what they put between
 * `form-data` and `name`, and the runtime's own reader takes one form of it only.
 *
 * @throws BadBody
 */
export function readMultipart(body: Buffer, contentType: string): FormBody {
  const boundary = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType)
  if (!boundary) throw new BadBody('The multipart body has no boundary')
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`)
  const form: FormBody = { fields: {}, files: {} }
  let at = body.indexOf(mark)
  if (at < 0) throw new BadBody('The multipart body has no part')
  while (true) {
    const start = at + mark.length
    if (body.subarray(start, start + 2).toString('latin1') === '--') return form
    const next = body.indexOf(Buffer.concat([LINE, mark]), start)
    if (next < 0) throw new BadBody('The multipart body does not end')
    readPart(body.subarray(start + LINE.length, next), form)
    at = next + LINE.length
  }
}

function readPart(part: Buffer, form: FormBody): void {
  const end = part.indexOf(BLANK_LINE)
  if (end < 0) throw new BadBody('A part of the multipart body has no header')
  const head = part.subarray(0, end).toString('utf8')
  const bytes = Buffer.from(part.subarray(end + BLANK_LINE.length))
  const name = parameter(head, 'name')
  if (name === undefined) throw new BadBody('A part of the multipart body has no name')
  const fileName = parameter(head, 'filename')
  if (fileName === undefined) {
    form.fields[name] = bytes.toString('utf8')
    return
  }
  const mime = /^content-type:\s*([^\r\n]+)/im.exec(head)?.[1]?.trim() ?? 'application/octet-stream'
  form.files[name] = { name: fileName, mime, bytes }
}

/** A parameter of `Content-Disposition`; `filename*=UTF-8''…` (RFC 5987) comes before `filename`. */
function parameter(head: string, name: string): string | undefined {
  const line = /^content-disposition:[^\r\n]*/im.exec(head)?.[0] ?? ''
  const extended = new RegExp(`[;\\s]${name}\\*=UTF-8''([^;\\s]+)`, 'i').exec(line)?.[1]
  if (extended !== undefined) return decodeURIComponent(extended)
  // Some clients write a quote inside the quotes as it is: the closing one is that before `;` or the line's end.
  const plain = new RegExp(`[;\\s]${name}=(?:"((?:[^\\\\]|\\\\.)*?)"(?=\\s*(?:;|$))|([^;"][^;]*))`, 'i').exec(
    line,
  )
  if (!plain) return undefined
  return (plain[1] ?? plain[2]?.trim() ?? '').replace(/\\(["\\])/g, '$1').replace(/%22/g, '"')
}
