import type { BotIdentity, Doc, Mention } from '../contract.js'
import { type MentionSpan, mentionsOf, sourceText, withMentions } from '../doc/index.js'
import type { Agent, RoomSettings } from '../roster.js'
import { EVERYONE, findMentions } from '../text/index.js'

/** Who a text names, by identity first and then by the text rule; and the text without the bot's own mention. */
export interface Naming {
  /** A native mention of this bot account, or its name in plain text where no agent bears it. */
  self: boolean
  /** Whoever bears it: the bot's own name stands in the text, so that a bare word behind it may be a command. */
  own: boolean
  /** Active agents, in order of first mention, once each. */
  named: readonly Agent[]
  archived: readonly Agent[]
  /** `@everyone` / `@all` in plain text, aimed at the agents. Never the platform's own broadcast. */
  everyone: boolean
  /** How many other people are natively mentioned. */
  others: number
  nearMisses: readonly { name: string; hint: string }[]
  /** As people read it. */
  visible: string
  /** As an agent is shown it: the bot's own mention removed. */
  text: string
  /** What is left beside the names it is aimed at: the bot's, agents' and everybody's. */
  bare: string
}

type Candidate = { name: string; aliases: readonly string[]; means: Agent | 'self' | 'everyone' }

export function nameOf(
  doc: Doc,
  self: BotIdentity,
  agents: readonly Agent[],
  settings: Pick<RoomSettings, 'cjkNames'>,
): Naming {
  const broadcast = broadcastNames(agents)
  const candidates = candidatesFor(self, agents, broadcast)
  let everyone = false
  let nearMisses: Naming['nearMisses'] = []
  const resolved = withMentions(doc, (text, masked) => {
    if (!/[@＠]/u.test(text)) return []
    const found = findMentions(text, candidates, { cjkNames: settings.cjkNames, masked })
    nearMisses = found.nearMisses
      .filter(({ name }) => !broadcast.some((other) => same(other, name)))
      .map(({ name, hint }) => ({ name, hint }))
    return found.mentions.flatMap(({ candidate: { means }, start, end }): MentionSpan[] => {
      if (means === 'everyone') {
        everyone = true
        return []
      }
      return [
        {
          start,
          end,
          mention: {
            target: means === 'self' ? 'user' : 'agent',
            id: means === 'self' ? self.id : means.name,
            // As it was written, so that what stays in the text stays as people wrote it.
            name: text.slice(start + 1, end),
          },
        },
      ]
    })
  })
  const mentions = mentionsOf(resolved)
  const isSelf = (mention: Mention) =>
    mention.target === 'user' && (mention.id === self.id || (self.aliases ?? []).includes(mention.id ?? ''))
  const ownName = (mention: Mention) => mention.target === 'agent' && same(mention.id ?? '', self.name)
  const named = [
    ...new Set(
      mentions.flatMap((mention) =>
        mention.target === 'agent'
          ? (agents.find((agent) => agent.name === mention.id && !agent.hidden) ?? [])
          : [],
      ),
    ),
  ]
  return {
    self: mentions.some(isSelf),
    own: mentions.some((mention) => isSelf(mention) || ownName(mention)),
    named: named.filter((agent) => !agent.archived),
    archived: named.filter((agent) => agent.archived),
    everyone,
    others: mentions.filter((mention) => mention.target === 'user' && !isSelf(mention)).length,
    nearMisses,
    visible: sourceText(doc, (mention) => `@${mention.name}`),
    text: sourceText(resolved, (mention) =>
      isSelf(mention) || ownName(mention) ? null : `@${mention.name}`,
    ),
    bare: withoutBroadcast(
      sourceText(resolved, (mention) =>
        isSelf(mention) || mention.target === 'agent' ? null : `@${mention.name}`,
      ),
      broadcast,
    ),
  }
}

function withoutBroadcast(text: string, names: readonly string[]): string {
  const called = findMentions(text, [{ name: '', aliases: names }]).mentions
  return called.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}

/** Every agent that can be named, archived ones too (a longer archived name still wins over a shorter one). */
function candidatesFor(
  self: BotIdentity,
  agents: readonly Agent[],
  broadcast: readonly string[],
): Candidate[] {
  const candidates: Candidate[] = agents
    .filter((agent) => !agent.hidden && agent.name.trim() !== '')
    .map((agent) => ({ name: agent.name, aliases: agent.aliases, means: agent }))
  const borne = candidates.some((candidate) => same(candidate.name, self.name))
  if (!borne && self.name.trim() !== '') candidates.push({ name: self.name, aliases: [], means: 'self' })
  // Beside the names, so that an agent "All Stars" keeps its own.
  candidates.push({ name: '', aliases: broadcast, means: 'everyone' })
  return candidates
}

/** What calls all agents at once, but for what an agent is called itself. */
function broadcastNames(agents: readonly Agent[]): string[] {
  const borne = agents.filter((agent) => !agent.hidden).flatMap((agent) => [agent.name, ...agent.aliases])
  return [EVERYONE.name, ...(EVERYONE.aliases ?? [])].filter(
    (name) => !borne.some((other) => same(other.trim(), name)),
  )
}

function same(a: string, b: string): boolean {
  return a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase()
}
