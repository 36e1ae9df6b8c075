/** What the platforms' webhooks have in common: a body of bounded size, and refusals in one shape. */

/** The body's bytes, or null when they are more than `max`. Then the rest is not read. */
export async function bodyWithin(request: Request, max: number): Promise<Buffer | null> {
  if (Number(request.headers.get('content-length') ?? 0) > max) return null
  if (request.body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let bytes = 0
  // To leave the loop is to cancel the stream.
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > max) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function refuse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message } }, { status, headers })
}
