/** `/mcp`: the tools of a running turn, for programs on this machine. Who may is decided behind it, by the turn's token. */
import { hostName, isLoopback } from './address.js'
import { checkType, limitBody } from './body.js'
import { HttpError } from './error.js'

export const MCP_PATH = '/mcp'
/** A tool's arguments are at most as long as a message. */
const MCP_BYTES = 512 * 1024

export type Mcp = (request: Request) => Promise<Response>

/**
 * @param peer address the request comes from
 * @throws HttpError for what does not come from a program on this machine
 */
export async function answerMcp(mcp: Mcp, incoming: Request, peer: string): Promise<Response> {
  const { headers, method } = incoming
  if (!isLoopback(peer))
    throw new HttpError(403, 'loopback-only', 'The tools of turns are for programs on this machine.')
  const host = hostName(headers.get('host') ?? '')
  if (host === null || !isLoopback(host))
    throw new HttpError(403, 'foreign-host', 'The tools of turns are reached by a loopback address only.')
  // No page has any business here, not even one of ours.
  if (headers.has('origin') || headers.has('sec-fetch-site'))
    throw new HttpError(403, 'foreign-origin', 'Web pages may not use the tools of turns.')
  if (method === 'POST') checkType(method, headers)
  const { request, check } = limitBody(incoming, MCP_BYTES)
  try {
    return await mcp(request)
  } finally {
    check()
  }
}
