/** Joins the stream of the local rooms to what the page has asked for. */
import type { QueryClient } from '@tanstack/react-query'
import { openStream, type StreamState } from '../api/stream.js'
import type { LocalMessage, LocalRoom } from '../api/wire.js'
import { fromLocal, shownName } from '../model/message.js'
import { takeLive } from './logs.js'
import { type Store, store } from './store.js'

export const connection: Store<StreamState> = store<StreamState>({ phase: 'connecting' })

export interface Typing {
  room: string
  thread: string | null
  name: string
  /** It is over by then, even if nobody says so. */
  until: number
}
export const typing = store<readonly Typing[]>([])

/** A note that only the person whom the page speaks as may see. */
export interface Whisper {
  id: number
  room: string
  text: string
}
export const whispers = store<readonly Whisper[]>([])

/** The newest message said by somebody, to be read out. */
export const announced = store<{ room: string; text: string } | null>(null)

const TYPING_LIFE = 30_000
let last: string | null = null
let whisperId = 1

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function takeTyping(data: unknown): void {
  if (!isRecord(data) || typeof data.room !== 'string') return
  const room = `local:${data.room}`
  const thread = typeof data.thread === 'string' ? data.thread : null
  const name = typeof data.who === 'string' ? data.who : 'Golem'
  const others = typing.get().filter((one) => one.room !== room || one.thread !== thread || one.name !== name)
  typing.set(
    data.on === false ? others : [...others, { room, thread, name, until: Date.now() + TYPING_LIFE }],
  )
}

function takeWhisper(data: unknown): void {
  if (!isRecord(data) || typeof data.room !== 'string' || typeof data.text !== 'string') return
  const note = { id: whisperId++, room: `local:${data.room}`, text: data.text }
  whispers.set((old) => [...old, note].slice(-5))
}

function takeMessage(client: QueryClient, type: string, view: LocalMessage): void {
  const room = `local:${view.room}`
  const message = fromLocal(view)
  takeLive(client, room, message)
  if (type !== 'message') return
  client.setQueryData<readonly LocalRoom[]>(['local-rooms'], (rooms) =>
    rooms?.map((one) =>
      one.id === view.room
        ? {
            ...one,
            last: { id: view.id, at: view.at, author: shownName(message), excerpt: view.text.slice(0, 120) },
          }
        : one,
    ),
  )
  // An answer ends the typing; a status post is part of it.
  if (view.author.kind === 'self' && !view.silent) {
    typing.set((old) => old.filter((one) => one.room !== room || one.thread !== message.thread))
  }
  announced.set({ room, text: `${shownName(message)}: ${message.text.slice(0, 300)}` })
}

/** Asks anew for what the stream does not carry, at most every 150 ms. */
function refresher(client: QueryClient): () => void {
  let timer: number | undefined
  return () => {
    if (timer !== undefined) return
    timer = window.setTimeout(() => {
      timer = undefined
      void client.invalidateQueries({ queryKey: ['rooms'] })
      void client.invalidateQueries({ queryKey: ['queue'] })
      void client.invalidateQueries({ queryKey: ['receipt'] })
      void client.invalidateQueries({ queryKey: ['people'] })
    }, 150)
  }
}

/** Opens the stream as this person. Returns its own undo. */
export function goLive(client: QueryClient, speaker: string): () => void {
  const refresh = refresher(client)
  const reload = () => {
    void client.invalidateQueries({ queryKey: ['log'] })
    void client.invalidateQueries({ queryKey: ['local-rooms'] })
    refresh()
  }
  const sweep = window.setInterval(() => {
    const now = Date.now()
    if (typing.get().some((one) => one.until <= now))
      typing.set((old) => old.filter((one) => one.until > now))
  }, 1_000)
  const close = openStream({
    url: `/api/local/events?${new URLSearchParams({ as: speaker })}`,
    last,
    onId: (id) => {
      last = id
    },
    onState: (state) => connection.set(state),
    onReopened: refresh,
    onEvent(type, data) {
      if (type === 'typing') takeTyping(data)
      else if (type === 'whisper') takeWhisper(data)
      // A stream that begins now does not tell what happened between the page's first questions and its own start.
      else if (type === 'reset' || type === 'hello') reload()
      else if (type === 'room') {
        void client.invalidateQueries({ queryKey: ['local-rooms'] })
        refresh()
      } else if (isRecord(data) && typeof data.room === 'string') {
        takeMessage(client, type, data as unknown as LocalMessage)
        refresh()
      }
    },
  })
  return () => {
    window.clearInterval(sweep)
    close()
  }
}
