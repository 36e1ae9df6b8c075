/**
 * Several accounts hear one message; each answers what is said to it. What calls nobody, and the names of agents without
 * an account in the chat, are one account's alone.
 */
import type { AccountsHere, OtherAccount } from '../accounts.js'
import type { InboundMessage } from '../contract.js'
import type { Gate } from '../decision.js'
import { mentionsOf } from '../doc/index.js'
import type { Agent, RoomSettings } from '../roster.js'
import type { RoomState } from '../state.js'
import type { AddressedBy } from './addressed.js'
import type { Naming } from './naming.js'

/** The message as this account sees it. */
export interface AccountView {
  agents: readonly Agent[]
  settings: RoomSettings
  naming: Naming
  state: RoomState
  /** Whom it calls that another account speaks for; null: nobody. */
  elsewhere: string | null
}

export function viewOf(
  message: InboundMessage,
  given: { agents: readonly Agent[]; settings: RoomSettings; naming: Naming; state: RoomState },
): AccountView {
  const accounts = given.state.accounts
  if (accounts === undefined) return { ...given, elsewhere: null }
  const called = mentioned(accounts, message)
  const { named, archived, left } = ownNames(accounts, given.naming, given.agents, called)
  const elsewhere = accounts.repliedTo ?? called?.name ?? left[0] ?? null
  const { thread } = given.state
  // What calls another account, or goes on with what it said, does not go on with what this one said.
  const goesOn = thread !== null && elsewhere === null && accounts.thread === null
  return {
    ...lead(accounts, given.agents, given.settings),
    naming: { ...given.naming, named, archived },
    state:
      thread === null || goesOn ? given.state : { ...given.state, thread: { ...thread, answered: false } },
    elsewhere:
      elsewhere ??
      followUp(accounts, given.settings, given.state) ??
      commandElsewhere(accounts, message, given.naming),
  }
}

/** Through an agent's own account that agent leads. */
function lead(
  { agent: own }: AccountsHere,
  agents: readonly Agent[],
  settings: RoomSettings,
): { agents: readonly Agent[]; settings: RoomSettings } {
  if (own === null) return { agents, settings }
  const { defaultResponder } = settings
  return {
    agents: agents.map((agent) => ({ ...agent, orchestrator: agent.name === own })),
    settings: {
      ...settings,
      defaultResponder:
        defaultResponder.kind === 'mentions' ? defaultResponder : { kind: 'agent', agent: own },
    },
  }
}

/** A mention of an agent's own account names the agent. Names of agents that answer elsewhere are left to them. */
function ownNames(
  accounts: AccountsHere,
  naming: Naming,
  agents: readonly Agent[],
  called: OtherAccount | undefined,
): Pick<Naming, 'named' | 'archived'> & { left: string[] } {
  const self = naming.self
    ? agents.find((agent) => agent.name === accounts.agent && !agent.hidden)
    : undefined
  const both = <T extends Agent>(list: readonly T[], add: T | undefined): T[] => [
    ...new Set(add === undefined ? list : [add, ...list]),
  ]
  const named = both(naming.named, self?.archived ? undefined : self)
  const archived = both(naming.archived, self?.archived ? self : undefined)
  const mine = ({ name }: Agent): boolean => speaksHere(accounts, name) && called?.agent !== name
  return {
    named: named.filter((agent) => mine(agent) && !accounts.heard?.ran.includes(agent.name)),
    archived: archived.filter(mine),
    left: [...named, ...archived].filter((agent) => !mine(agent)).map(({ name }) => name),
  }
}

/** Whether an agent that is called answers through this account: its own, or it has none here and this one takes it. */
export function speaksHere(
  {
    agent: own,
    others,
    takes,
  }: Pick<AccountsHere, 'agent' | 'takes'> & {
    others: readonly Pick<OtherAccount, 'agent' | 'here'>[]
  },
  name: string,
): boolean {
  if (own === name) return true
  return takes && !others.some((other) => other.here && other.agent === name)
}

function mentioned(accounts: AccountsHere, message: InboundMessage): OtherAccount | undefined {
  const users = mentionsOf(message.doc).filter(({ target }) => target === 'user')
  return accounts.others.find(({ ids, names }) =>
    users.some(({ id, name }) => ids.includes(id ?? '') || names.includes(name)),
  )
}

function followUp(accounts: AccountsHere, settings: RoomSettings, state: RoomState): string | null {
  if (accounts.thread === null || settings.threadFollowUps === 'mention') return null
  const alone = (state.thread?.people.length ?? 0) <= 1
  return settings.threadFollowUps === 'always' || alone ? accounts.thread : null
}

/** `/stop` to nobody, which all bots of a chat are shown: not a command out of an app's own menu. */
function commandElsewhere(accounts: AccountsHere, message: InboundMessage, naming: Naming): string | null {
  const { command } = message
  if (accounts.takes || command === undefined || command.target !== undefined || naming.self) return null
  return naming.visible.trimStart().startsWith(`/${command.name}`) ? accounts.taker : null
}

/**
 * @param by how this account is addressed, if it is
 * @returns null where there is nothing to say: it is addressed, or takes what nobody is called for
 */
export function accountGate(
  view: AccountView,
  by: AddressedBy,
  person: boolean,
  command: boolean,
): Gate | null {
  const accounts = view.state.accounts
  if (accounts === undefined) return null
  const { agent, takes, taker, others, heard } = accounts
  const gate = (why: string): Gate => ({
    gate: 'account',
    verdict: 'stop',
    saw: {
      'belongs to': agent,
      'accounts here': others.filter(({ here }) => here).map(({ name }) => name),
      takes,
      for: view.elsewhere,
    },
    why,
  })
  // An untargeted command is everybody's, also where it counts as addressed.
  const isCommand = by === 'command' && view.elsewhere !== null && view.elsewhere === taker
  if (agent !== null && !view.agents.some(({ name }) => name === agent))
    return by === null ? null : gate(`The account belongs to ${agent}, which is no member of this room.`)
  if (accounts.speaker !== null && !accounts.hears)
    return gate(`${accounts.speaker} said it, and whom it names was woken where it was said.`)
  if (by !== null && agent !== null && heard?.ran.includes(agent))
    return gate('Another account of this chat has taken it already.')
  if (by !== null && !isCommand) return null
  if (view.elsewhere !== null)
    return gate(`It is for ${view.elsewhere}, which answers through another account.`)
  // Whoever calls everyone calls each account's agent.
  if (view.naming.everyone && person) return null
  // What is context anyway needs no other reason.
  if (!person || (view.settings.groupPolicy === 'mention-only' && !command)) return null
  if (!takes) return gate(`It calls nobody: ${taker ?? 'another account'} takes such messages here.`)
  return heard?.unaddressed ? gate('Another account of this chat has taken it already.') : null
}

/** Of those that are called together, who answers through this account. */
export function sharedOut(
  accounts: AccountsHere | undefined,
  route: 'everyone' | string,
  chosen: readonly string[],
): readonly string[] {
  if (accounts === undefined || route !== 'everyone') return chosen
  return chosen.filter((name) => speaksHere(accounts, name) && !accounts.heard?.ran.includes(name))
}
