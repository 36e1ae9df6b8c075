/** The messages of each room: pages asked for, live changes put in, both into one run. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { transcript } from '../api/core.js'
import { messages, message as oneMessage } from '../api/local.js'
import { EMPTY, prepend, type RoomLog, take } from '../model/log.js'
import { type ChatMessage, fromTranscript } from '../model/message.js'
import { localId } from '../model/route.js'

const PAGE = 60
/** How often another platform's room is asked for, in ms: its messages come by no stream. */
const POLL = 2_500

export const logKey = (room: string) => ['log', room] as const

/** Live changes of late. A page that was asked for before one of them must not undo it. */
const recent: { room: string; message: ChatMessage; order: number }[] = []
const RECENT = 400
let order = 0

export function takeLive(client: QueryClient, room: string, message: ChatMessage): void {
  recent.push({ room, message, order: ++order })
  if (recent.length > RECENT) recent.splice(0, recent.length - RECENT)
  client.setQueryData<RoomLog>(logKey(room), (log) => log && take(log, message))
}

/** Fetches a message that the stream may not have brought yet. */
export async function fetchInto(client: QueryClient, local: string, id: string): Promise<void> {
  const room = `local:${local}`
  const log = client.getQueryData<RoomLog>(logKey(room))
  // The first message makes a room: what was asked before it was there has failed.
  if (log === undefined) return client.invalidateQueries({ queryKey: logKey(room) })
  if (log.messages.some((one) => one.id === id)) return
  takeLive(client, room, await oneMessage(local, id))
}

async function newest(room: string, known: RoomLog | undefined, signal: AbortSignal): Promise<RoomLog> {
  const local = localId(room)
  if (local === null) {
    const rows = await transcript(room, { limit: PAGE }, signal)
    const page: RoomLog = { messages: fromTranscript(rows), more: rows.length >= PAGE }
    return joined(known, page)
  }
  const since = order
  const page = joined(known, await messages(local, {}, signal))
  return recent
    .filter((one) => one.order > since && one.room === room)
    .reduce((log, one) => take(log, one.message), page)
}

/** Keeps older pages that were read before, where the new page reaches them. */
function joined(known: RoomLog | undefined, page: RoomLog): RoomLog {
  const first = page.messages[0]
  if (known === undefined || first === undefined) return page
  const at = known.messages.findIndex((one) => one.id === first.id)
  return at <= 0 ? page : { messages: [...known.messages.slice(0, at), ...page.messages], more: known.more }
}

export function useLog(room: string) {
  const client = useQueryClient()
  return useQuery({
    queryKey: logKey(room),
    queryFn: ({ signal }) => newest(room, client.getQueryData<RoomLog>(logKey(room)), signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: localId(room) === null ? POLL : false,
  })
}

/** Reads the page before the oldest known message. */
export async function readOlder(client: QueryClient, room: string): Promise<void> {
  const log = client.getQueryData<RoomLog>(logKey(room)) ?? EMPTY
  const first = log.messages[0]
  if (!log.more || first === undefined) return
  const local = localId(room)
  let page: { messages: ChatMessage[]; more: boolean }
  if (local === null) {
    const rows = await transcript(room, { before: first.number, limit: PAGE })
    page = { messages: fromTranscript(rows), more: rows.length >= PAGE }
  } else {
    page = await messages(local, { before: first.id })
  }
  client.setQueryData<RoomLog>(logKey(room), (now) => now && prepend(now, page.messages, page.more))
}

/** Reads back until a message is there. False: it is not in this room, or too far back. */
export async function readBackTo(client: QueryClient, room: string, id: string): Promise<boolean> {
  for (let pages = 0; pages < 20; pages++) {
    const log = client.getQueryData<RoomLog>(logKey(room))
    if (log === undefined) return false
    if (log.messages.some((one) => one.id === id)) return true
    if (!log.more) return false
    await readOlder(client, room)
  }
  return false
}
