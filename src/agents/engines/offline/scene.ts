import { entriesOf, type SectionName } from '../../../memory/document.js'
import type { EngineRun, TurnMessage } from '../../../messaging/engine.js'
import { fit as fitOf, tokens } from '../../../messaging/text/score.js'
import { isAsking } from './passages.js'
import type { Tools } from './tools.js'
import type { Teammate } from './wording.js'

export interface Noted {
  section: SectionName
  line: string
}

/** Who and what is around a turn, read from its input once. */
export class Scene {
  readonly name: string
  readonly role: string
  readonly isOrchestrator: boolean
  /** The agents of the room, this one among them. */
  readonly members: readonly Teammate[]
  readonly teammates: readonly Teammate[]
  readonly peers: readonly Teammate[]
  /** Words that say little here: names of the bot and its agents. */
  readonly common: readonly string[]
  /** Lines before the ones this turn answers, oldest first. */
  readonly before: readonly TurnMessage[]
  /** The lines this turn answers. */
  readonly fresh: readonly TurnMessage[]
  /** It will be heard: silence would be no answer. */
  readonly mustSpeak: boolean
  readonly mayAsk: boolean
  readonly isTask: boolean

  constructor(
    run: Pick<EngineRun, 'input'>,
    private readonly tools: Tools,
    private readonly fields: Readonly<Record<string, readonly string[]>>,
  ) {
    const { agent, roster, peers, messages, turn } = run.input
    this.name = agent.name
    this.role = agent.role === 'orchestrator' ? '' : agent.role
    this.isOrchestrator = roster.some((member) => member.orchestrator && member.name === agent.name)
    this.members = roster.length > 0 ? roster : [agent]
    this.teammates = roster.filter((member) => member.name !== agent.name)
    this.peers = peers
    this.common = ['golem', ...this.members.map((member) => member.name), ...peers.map((peer) => peer.name)]
    this.before = messages.filter((message) => !message.new)
    this.fresh = messages.filter((message) => message.new)
    this.isTask = turn.kind === 'ask'
    this.mustSpeak = turn.addressed || this.isTask || turn.policy === 'always'
    // Only the orchestrator gives work away, and never what it was itself given.
    this.mayAsk =
      this.isOrchestrator && (turn.kind === 'message' || turn.kind === 'wake') && tools.has('ask_teammate')
  }

  isAgent(author: string): boolean {
    return this.members.some((member) => member.name === author)
  }

  /** How well a text fits an agent's field, names aside. */
  private fitOf(text: string, agent: Teammate): number {
    const names = new Set(this.common.flatMap(tokens))
    const about = tokens(text).filter((token) => !names.has(token) && !isAsking(token))
    return fitOf(about.join(' '), [
      agent.role === 'orchestrator' ? '' : agent.role,
      ...(this.fields[agent.name] ?? []),
    ])
  }

  /** The other agent or peer whose field a text fits best; null below `least`. */
  bestOther(
    text: string,
    least: number,
    others: readonly Teammate[],
  ): { agent: Teammate; score: number } | null {
    let best: { agent: Teammate; score: number } | null = null
    for (const agent of others) {
      const score = this.fitOf(text, agent)
      if (score >= least && score > (best?.score ?? 0)) best = { agent, score }
    }
    return best
  }

  /** Whether an unaddressed line is this agent's to answer, of all in the room. */
  isMine(text: string): boolean {
    if (this.isOrchestrator || this.teammates.length === 0) return true
    const own = this.fitOf(text, { name: this.name, role: this.role })
    return own > 0 && this.teammates.every((other) => this.fitOf(text, other) <= own)
  }

  /** As {@link notes}, for what memory may add to: a file that cannot be read keeps nobody from another answer. */
  async notesIfAny(): Promise<Noted[]> {
    return (await this.notes().catch(() => null)) ?? []
  }

  /** The chat's memory, line by line; null where this turn has none. Rejects when it cannot be read. */
  async notes(): Promise<Noted[] | null> {
    const text = await this.tools.memory()
    if (text === null) return null
    const entries = entriesOf(text)
    return (['members', 'context', 'decisions'] as const).flatMap((section) =>
      entries[section].map((line) => ({ section, line })),
    )
  }
}
