/** What the rooms of the simulator share. */
import type { VirtualClock } from '../kit/clock.js'
import type { Changes } from '../kit/events.js'
import type { Fields } from './fields.js'
import type { FeishuOptions } from './options.js'
import type { App, Chat, Message, World } from './world.js'

/** One app as the rest of the platform reaches it. */
export interface AppPort {
  readonly app: App
  /** Puts an event on its way to the app, if it subscribed to that. */
  event(type: string, event: Fields): void
  /** Asks the app something it must answer in 3 s. Not repeated. */
  callback(type: string, event: Fields): void
}

/** A press that the app was asked about. */
export interface Press {
  message: Message
  /** The card before the app did anything about it. */
  before: Message['content']
  isAnswered: boolean
  uses: number
  until: number
}

/** What a person saw after a press: a toast, or that the app did not answer. */
export interface Toast {
  /** open_id, in the eyes of the app under test. */
  person: string
  message: string
  type: 'info' | 'success' | 'error' | 'warning' | 'failed'
  text: string
}

export interface Hub {
  readonly world: World
  readonly clock: VirtualClock
  readonly changes: Changes
  readonly options: FeishuOptions
  /** Where the simulator listens, without a slash at its end. */
  readonly url: string
  readonly ports: Map<string, AppPort>
  /** The app under test. */
  readonly main: App
  /** Words of the platform itself, in its language. */
  readonly words: Words
  /** By the token that goes with each. */
  readonly presses: Map<string, Press>
  readonly toasts: Toast[]
  /** Messages sent by a `uuid`, with when it is forgotten. */
  readonly uuids: Map<string, { message: Message; until: number }>
}

export interface Words {
  everyone: string
  recalled: string
  upgrade: string
  noAnswer: string
}

/** What the clients show, and what is put in place of things that an app cannot read. */
export const WORDS: Readonly<Record<'zh' | 'en', Words>> = {
  zh: {
    everyone: '所有人',
    recalled: 'This message was recalled',
    upgrade: '请升级至最新版本客户端，以查看内容',
    noAnswer: '目标回调服务超时未响应',
  },
  en: {
    everyone: 'All',
    recalled: 'This message was recalled',
    upgrade: 'Please upgrade to the latest version to view the content',
    noAnswer: 'The target callback service timed out',
  },
}

/** Tells every app in a chat, each in its own ids. */
export function tell(hub: Hub, chat: Chat, type: string, event: (app: App) => Fields): void {
  for (const appId of chat.apps) {
    const port = hub.ports.get(appId)
    if (port !== undefined) port.event(type, event(port.app))
  }
}
