/** Several accounts of Golem's on one platform, and agents that have one of their own. */
import type { Logger } from './ambient.js'
import type { BotIdentity, ConnectionId, PlatformId } from './contract.js'
import type { Directory, Entry } from './directory.js'

/** One account among several of its platform. */
export interface Account {
  connection: ConnectionId
  platform: PlatformId
  /** The agent that it belongs to; null: the team's. */
  agent: string | null
  /** An account is shown what other bots say in its chats. */
  hears: boolean
  /** All accounts of the platform know people by the same ids. */
  sameIds: boolean
}

/** What an account knows of the others when it hears a message. */
export interface AccountsHere {
  /** The agent that this account belongs to; null: the team's. */
  agent: string | null
  /** What calls nobody, and names of agents without an account here, are this one's. */
  takes: boolean
  /** Who takes it, where this one does not: an account's name. */
  taker: string | null
  /** Further accounts on the platform. `here`: in this chat. */
  others: readonly OtherAccount[]
  /** What one account says, the others are shown. */
  hears: boolean
  /** One of the others said it: the name of who speaks through it. */
  speaker: string | null
  /** One of the others said what is replied to: its name. */
  repliedTo: string | null
  /** One of the others was the last of Golem's to speak in the thread: its name. */
  thread: string | null
  /** Another account has heard it before. */
  heard: {
    /** Agents that answer it there. */
    ran: readonly string[]
    /** It was taken there, although it calls nobody. */
    unaddressed: boolean
  } | null
}

export interface OtherAccount {
  agent: string | null
  /** What it is called: its agent's name, or the account's own. */
  name: string
  ids: readonly string[]
  /** What it is called in a mention, where its id is another one for each account. */
  names: readonly string[]
  here: boolean
}

/** The store's part for accounts. */
export interface AccountStore {
  /** Who an account is on its platform; the same again changes nothing. */
  noteAccount(connection: ConnectionId, self: BotIdentity): Promise<void>
}

/** The accounts that stand beside a connection on its platform, itself among them, in the order of golem.yaml. */
export function accountsBeside(
  accounts: readonly Account[] | undefined,
  connection: ConnectionId,
): readonly Account[] {
  const own = accounts?.find((account) => account.connection === connection)
  return own === undefined ? [] : (accounts ?? []).filter(({ platform }) => platform === own.platform)
}

/** A connection has said who it speaks as: known from now on, also where it is down. */
export function identified(
  entry: Entry,
  self: BotIdentity,
  given: {
    directory: Directory
    policy: { accounts?: readonly Account[] }
    store: AccountStore
    log: Logger
  },
): void {
  given.directory.set(entry.id, { self })
  if (accountsBeside(given.policy.accounts, entry.id).length < 2) return
  given.store.noteAccount(entry.id, self).catch((error: unknown) => {
    given.log.warn({ connection: entry.id, error: String(error) }, 'who an account is could not be stored')
  })
}
