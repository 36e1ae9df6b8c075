/** The local rooms' HTTP API. */
import { type ChatMessage, fromLocal } from '../model/message.js'
import { ApiError, request } from './http.js'
import type { LocalFile, LocalMessage, LocalPerson, LocalRoom } from './wire.js'

interface Author {
  id: string
  name: string
}

const PAGE = 60

const path = (room: string, ...rest: readonly string[]) =>
  `/api/local/rooms/${[room, ...rest].map(encodeURIComponent).join('/')}`

const withSignal = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

export async function rooms(signal?: AbortSignal): Promise<readonly LocalRoom[]> {
  return (await request<{ rooms: LocalRoom[] }>('/api/local/rooms', withSignal(signal))).rooms
}

export function makeRoom(room: { title: string; kind: 'group' | 'dm' }): Promise<LocalRoom> {
  return request('/api/local/rooms', { method: 'POST', json: room })
}

export async function people(signal?: AbortSignal): Promise<readonly LocalPerson[]> {
  return (await request<{ people: LocalPerson[] }>('/api/local/people', withSignal(signal))).people
}

export interface Page {
  messages: ChatMessage[]
  more: boolean
}

/** The newest messages, or those before one; of all the room, or of one thread. Oldest first. */
export async function messages(
  room: string,
  range: { before?: string; thread?: string },
  signal?: AbortSignal,
): Promise<Page> {
  const query = new URLSearchParams({ limit: String(PAGE), ...range })
  const page = await request<{ messages: LocalMessage[]; more: boolean }>(
    `${path(room, 'messages')}?${query}`,
    withSignal(signal),
  )
  return { messages: page.messages.map(fromLocal), more: page.more }
}

export async function message(room: string, id: string, signal?: AbortSignal): Promise<ChatMessage> {
  return fromLocal(await request<LocalMessage>(path(room, 'messages', id), withSignal(signal)))
}

export interface Saying {
  key: string
  author: Author
  text: string
  thread: string | null
  replyTo: string | null
  files: readonly string[]
  mentions: readonly { id: string; name: string }[]
}

/** Says it. Resolves with the message's id; `late` is the daemon's sentence when it is stored but waits for the core. */
export async function say(room: string, what: Saying): Promise<{ id: string; late: string | null }> {
  const { thread, replyTo, ...json } = what
  try {
    const posted = await request<{ id: string }>(path(room, 'messages'), {
      method: 'POST',
      json: { ...json, ...(thread === null ? {} : { thread }), ...(replyTo === null ? {} : { replyTo }) },
    })
    return { id: posted.id, late: null }
  } catch (error) {
    if (error instanceof ApiError && error.stored !== null) return { id: error.stored, late: error.message }
    throw error
  }
}

export async function amend(
  room: string,
  id: string,
  change: { author: Author; text: string; mentions: Saying['mentions'] },
): Promise<ChatMessage> {
  return fromLocal(await request<LocalMessage>(path(room, 'messages', id), { method: 'PATCH', json: change }))
}

export async function retract(room: string, id: string, author: Author): Promise<ChatMessage> {
  return fromLocal(
    await request<LocalMessage>(path(room, 'messages', id), { method: 'DELETE', json: { author } }),
  )
}

export async function react(
  room: string,
  id: string,
  emoji: string,
  author: Author,
  on: boolean,
): Promise<ChatMessage> {
  return fromLocal(
    await request<LocalMessage>(path(room, 'messages', id, 'reactions', emoji), {
      method: on ? 'PUT' : 'DELETE',
      json: { author },
    }),
  )
}

export async function press(room: string, id: string, value: string, author: Author): Promise<void> {
  await request(path(room, 'messages', id, 'press'), { method: 'POST', json: { author, value } })
}

export function upload(room: string, file: File): Promise<LocalFile> {
  return request(`${path(room, 'files')}?${new URLSearchParams({ name: file.name })}`, {
    method: 'POST',
    body: file,
    headers: { 'content-type': file.type || 'application/octet-stream' },
  })
}

export const fileUrl = (id: string): string => `/api/local/files/${encodeURIComponent(id)}`
