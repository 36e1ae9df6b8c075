import { createContext, useContext } from 'react'
import type { ChatMessage } from '../model/message.js'

/** What may be done with a message. Null: not in this room (another platform's, or an archived one). */
export interface MessageActions {
  open(message: ChatMessage): void
  jump(id: string): void
  reply: ((message: ChatMessage) => void) | null
  edit: ((message: ChatMessage) => void) | null
  remove: ((message: ChatMessage) => void) | null
  thread: ((id: string) => void) | null
  react: ((message: ChatMessage, emoji: string) => void) | null
  press: ((message: ChatMessage, value: string) => Promise<void>) | null
}

const nothing = () => {}

export const Actions = createContext<MessageActions>({
  open: nothing,
  jump: nothing,
  reply: null,
  edit: null,
  remove: null,
  thread: null,
  react: null,
  press: null,
})

export const useActions = (): MessageActions => useContext(Actions)
