/**
 * The decision about one message: a pure function of (message, room settings and state, roster, clock).
 *
 * It does no I/O, reads no clock and keeps no memory: the store reads the state, calls it, and writes message, decision
 * and turns in one transaction. Its trace is the first half of the receipt.
 */
import { isAnswer } from './answers.js'
import { commandIn } from './commands.js'
import type { BotIdentity, ConnectionId, InboundMessage, Millis } from './contract.js'
import type { Decision, Gate, Notice, Verdict } from './decision.js'
import { accessGate } from './gates/access.js'
import { accountGate, sharedOut, viewOf } from './gates/account.js'
import { type AddressedBy, addressedGate } from './gates/addressed.js'
import { authorGate } from './gates/author.js'
import { type Naming, nameOf } from './gates/naming.js'
import { policyGate, possiblePolicy, type Sees } from './gates/policy.js'
import { chooseResponders, normaliseDefault, type Responders } from './gates/responders.js'
import { smartGate } from './gates/smart.js'
import { boundsGate, maxTurnsGate } from './gates/turns.js'
import { type Agent, type Policy, type RoomSettings, roomAgents } from './roster.js'
import type { RoomState } from './state.js'
import { stopAimed } from './stop-words.js'

export interface DecideInput {
  connection: ConnectionId
  self: BotIdentity
  message: InboundMessage
  /** The context the message belongs to; see `conversationOf`. */
  conversation: string
  settings: RoomSettings
  state: RoomState
  now: Millis
  /** What the connection is shown; default all. */
  sees?: Sees
  /** Native ids that the chat had before it got its present one. */
  formerly?: readonly string[]
}

/** The decision, and the two texts it read: as people see it, and as agents are shown it. */
export interface Decided {
  decision: Decision
  visible: string
  text: string
}

export function decide(policy: Policy, input: DecideInput): Decided {
  const { message, self, conversation } = input
  const roster = roomAgents(policy, input.settings)
  const { sees = 'all', formerly = [] } = input
  const written: RoomSettings = {
    ...input.settings,
    groupPolicy: possiblePolicy(input.settings.groupPolicy, sees),
    defaultResponder: normaliseDefault(
      input.settings.defaultResponder,
      roster.map((agent) => agent.name),
      message.chat.kind === 'dm',
    ),
  }
  const view = viewOf(message, {
    agents: roster,
    settings: written,
    naming: nameOf(message.doc, self, roster, written),
    state: input.state,
  })
  const { agents, settings, naming, state } = view
  const trace: Gate[] = []
  const person = message.author.kind === 'person'

  const end = (verdict: Verdict, reason: string, extra: Partial<Decision> = {}): Decided => ({
    decision: {
      verdict,
      reason,
      addressed: false,
      responders: [],
      route: 'none',
      conversation,
      notBefore: input.now,
      join: 'none',
      notices: [],
      trace,
      ...extra,
    },
    visible: naming.visible,
    text: naming.text,
  })
  const passes = (gate: Gate): boolean => {
    trace.push(gate)
    return gate.verdict !== 'stop'
  }

  if (!passes(authorGate(message, state.accounts?.speaker))) return end('keep', 'own-message')
  const chats = [message.place.chat, ...formerly]
  const ours = (state.accounts?.speaker ?? null) !== null
  if (!passes(accessGate(policy.access[input.connection], message, chats, ours))) return end('keep', 'access')

  const { by, gate } = addressedGate(message, self, settings, state, naming)
  passes(gate)
  const addressed = by !== null

  // It ends the speaker's own work alone: also where agents are not to be called by everybody's name.
  const mentioned = naming.own || by === 'direct'
  const stop = person ? stopAimed(naming, mentioned) : null
  const command = person ? (commandIn(message, naming.text, self, mentioned) ?? stop) : null
  const account = accountGate(view, by, person, command !== null)
  // Only who asked knows the code: an answer to a question is looked for wherever it is heard.
  if (account !== null && !(command && isAnswer(command.name))) {
    passes(account)
    return end('keep', 'other-account', { addressed })
  }
  if (
    command &&
    (addressed || command === stop || naming.text.trimStart().startsWith('!') || isAnswer(command.name))
  )
    return end('keep', 'command', { addressed: true, command })

  const whole = isIncomplete(message, naming) ? input.now + settings.debounceMs : input.now
  if (person && state.utterance !== null) {
    const part = partOf(policy, input, { agents, settings, naming, by })
    if (part !== null) {
      trace.push(part.gate)
      return end(part.verdict, part.verdict === 'run' ? (by ?? 'continues') : 'late-part', {
        addressed: addressed || part.addressed,
        responders: part.responders,
        notices: part.notices,
        ...(part.verdict === 'run' ? { route: 'named', join: 'utterance', notBefore: whole } : {}),
      })
    }
  }
  const rest = state.unfinished
  if (rest !== null && person && goesOn(policy, input, naming)) {
    trace.push({
      gate: 'policy',
      verdict: 'pass',
      saw: { policy: settings.groupPolicy, addressed },
      why: 'It goes on with a message of the same person that waits for its rest.',
    })
    return end('run', by ?? 'continues', {
      addressed: addressed || rest.addressed,
      responders: rest.responders,
      route: 'named',
      join: 'debounce',
      notBefore: whole,
    })
  }

  if (!passes(policyGate(input.settings.groupPolicy, by, !person, sees)))
    return end('keep', 'policy', { addressed })
  if (!addressed && settings.groupPolicy === 'smart' && settings.smartGate === 'local')
    if (!passes(smartGate(message, state, naming, agents))) return end('keep', 'smart-gate', { addressed })

  const chosen = chooseResponders(agents, settings, state, naming, by, person)
  if (!passes(chosen.gate))
    return end('keep', 'nobody-answers', { addressed, notices: chosen.notices, route: chosen.route })

  const responders = sharedOut(state.accounts, chosen.route, chosen.agents)
  if (responders.length === 0) return end('keep', 'other-account', { addressed })

  if (!passes(maxTurnsGate(settings, state.botTurns, person)))
    return end('keep', 'max-turns', {
      addressed,
      notices: state.quietNoticed ? [] : [{ kind: 'quiet', maxTurns: settings.maxTurns }],
    })

  const bounds = boundsGate(policy.bounds, state)
  if (!passes(bounds.gate)) {
    // Where every message is answered, every sender waits for an answer.
    const awaited = addressed || settings.groupPolicy === 'always'
    const notices: Notice[] = bounds.full && awaited ? [{ kind: 'not-taken', reason: bounds.full }] : []
    return end('refuse', 'queue-full', { addressed, notices })
  }

  return end('run', reasonOf(by, settings), {
    addressed,
    responders,
    route: chosen.route,
    notices: chosen.notices,
    join: mayMerge(policy, input, naming, chosen) ? 'merge' : 'none',
    notBefore: person ? whole : input.now,
  })
}

interface Part {
  verdict: 'run' | 'keep'
  addressed: boolean
  responders: readonly string[]
  notices: readonly Notice[]
  gate: Gate
}

/**
 * A part of a message of which other parts have come: it joins them while they wait, and is context once an agent has
 * begun to answer them. Null where it stands for itself: nobody answers the others, or not as something addressed.
 */
function partOf(
  policy: Policy,
  { state, settings: given }: DecideInput,
  read: { agents: readonly Agent[]; settings: RoomSettings; naming: Naming; by: AddressedBy },
): Part | null {
  const { waiting, begun } = state.utterance ?? { waiting: null, begun: 'no' }
  const { by, naming } = read
  const gate = (verdict: Gate['verdict'], why: string): Gate => ({
    gate: 'policy',
    verdict,
    saw: { policy: given.groupPolicy, addressed: by !== null },
    why,
  })
  if (waiting !== null && waiting.items < policy.bounds.mergeItems) {
    const calls = naming.named.length > 0 || naming.archived.length > 0 || naming.everyone
    const chosen = calls ? chooseResponders(read.agents, read.settings, state, naming, by, true) : null
    const own = chosen?.agents ?? []
    const called = waiting.addressed ? [...waiting.responders, ...own] : own
    return {
      verdict: 'run',
      addressed: waiting.addressed,
      responders: own.length === 0 ? waiting.responders : [...new Set(called)],
      notices: chosen?.notices ?? [],
      gate: gate('pass', 'Other parts of the same message wait to be answered: they are answered together.'),
    }
  }
  if (begun === 'addressed' || (begun === 'unaddressed' && by === null))
    return {
      verdict: 'keep',
      addressed: false,
      responders: [],
      notices: [],
      gate: gate(
        'stop',
        'The other parts of the same message are answered already: what comes later is kept as context.',
      ),
    }
  return null
}

/** A bare mention, files without a text, or a text cut by the platform: the rest may be on its way. */
function isIncomplete(message: InboundMessage, naming: Naming): boolean {
  return message.partial === true || naming.text.trim() === ''
}

/** Whether the message is the rest of what its sender began: in time, and said to nobody else. */
function goesOn(policy: Policy, input: DecideInput, naming: Naming): boolean {
  const rest = input.state.unfinished
  if (rest === null || input.now > rest.until || naming.everyone || naming.archived.length > 0) return false
  // Characters are not counted: a text that the platform cut is longer than what may merge.
  if (rest.items >= policy.bounds.mergeItems) return false
  return naming.named.every((agent) => rest.responders.includes(agent.name))
}

/** Whether the message joins the request of the same sender that still waits behind a turn. */
function mayMerge(policy: Policy, input: DecideInput, naming: Naming, chosen: Responders): boolean {
  const { tail } = input.state
  if (tail === null || input.message.author.kind !== 'person') return false
  return (
    tail.sender === input.message.author.id &&
    input.now - tail.lastAt <= input.settings.coalesceWindowMs &&
    tail.items < policy.bounds.mergeItems &&
    tail.characters + naming.text.length <= policy.bounds.mergeCharacters &&
    tail.responders.length === chosen.agents.length &&
    tail.responders.every((name, index) => name === chosen.agents[index])
  )
}

function reasonOf(by: AddressedBy, settings: RoomSettings): string {
  return by ?? `policy-${settings.groupPolicy}`
}
