/**
 * Writes a `Response` to a socket. Our own, because what breaks half-way must end the connection and reach our log:
 * never the client, who would read an inner error's text, and never the console, which may be read by a program.
 */
import type { ServerResponse } from 'node:http'

/** Resolves when the client can take more, or has gone. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.once('drain', done)
    outgoing.once('close', done)
  })
}

function headersOf(response: Response): [string, string | string[]][] {
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie') as [
    string,
    string | string[],
  ][]
  const cookies = response.headers.getSetCookie()
  return cookies.length === 0 ? headers : [...headers, ['set-cookie', cookies]]
}

/**
 * @param broke told when the body's source fails. The client gets its answer where it has not seen anything yet, else
 *   sees the connection end.
 */
export async function send(
  response: Response,
  outgoing: ServerResponse,
  broke: (error: unknown) => Response,
): Promise<void> {
  const { body } = response
  outgoing.statusCode = response.status
  if (!outgoing.headersSent && !outgoing.destroyed)
    for (const [name, value] of headersOf(response)) outgoing.setHeader(name, value)
  if (body === null) {
    outgoing.end()
    return
  }
  const reader = body.getReader()
  const gone = () => void reader.cancel().catch(() => {}) // its source failed while stopping: nobody is left to tell
  if (outgoing.destroyed) {
    gone()
    return
  }
  outgoing.once('close', gone)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) outgoing.flushHeaders()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || outgoing.destroyed) break
      if (!outgoing.write(value)) await drained(outgoing)
    }
    outgoing.end()
  } catch (error) {
    outgoing.off('close', gone)
    const instead = broke(error)
    if (outgoing.headersSent) outgoing.destroy()
    else {
      for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
      await send(instead, outgoing, broke)
    }
  } finally {
    outgoing.off('close', gone)
  }
}
