/** What was being written where, kept while the page lives. */
import type { ChatMessage, Quote } from '../model/message.js'
import { store, useStore } from './store.js'
import type { Uploaded } from './uploads.js'

/** A file on its way into a message. */
export interface Attachment {
  key: number
  name: string
  bytes: number
  uploaded: Uploaded
  /** It is with the daemon. */
  there: boolean
}

export interface Draft {
  text: string
  replyTo: Quote | null
  /** The own message that is being changed instead of writing a new one. */
  editing: ChatMessage | null
  attachments: readonly Attachment[]
}

const NONE: Draft = { text: '', replyTo: null, editing: null, attachments: [] }
const drafts = store<Readonly<Record<string, Draft>>>({})

/** A room and a thread have a draft each. */
export const draftKey = (room: string, thread: string | null): string => `${room} ${thread ?? ''}`

export function useDraft(key: string): Draft {
  return useStore(drafts)[key] ?? NONE
}

export function getDraft(key: string): Draft {
  return drafts.get()[key] ?? NONE
}

export function setDraft(key: string, change: Partial<Draft> | ((old: Draft) => Partial<Draft>)): void {
  drafts.set((all) => {
    const old = all[key] ?? NONE
    return { ...all, [key]: { ...old, ...(typeof change === 'function' ? change(old) : change) } }
  })
}

export function clearDraft(key: string): void {
  drafts.set((all) => Object.fromEntries(Object.entries(all).filter(([one]) => one !== key)))
}
