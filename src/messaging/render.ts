/** An agent's answer becomes operations: names become native mentions, the text becomes parts of the platform's size. */
import type { Limits, Member, Operation, Part, Place, Platform } from './contract.js'
import { parseDoc, withMentions } from './doc/index.js'
import { standing } from './note.js'
import { LONGEST_LABEL } from './notices.js'
import type { Agent, ReplyStyle } from './roster.js'
import { findMentions, safeName, withoutControls } from './text/index.js'

export interface Answer {
  text: string
  agent: string
  place: Place
  /** Native id of the question. */
  replyTo: string | null
  files: readonly { path: string; name: string }[]
}

/** The answer's posts and uploads, in order. Only the first of them quotes: the rest follows it. */
export function renderAnswer(
  answer: Answer,
  platform: Pick<Platform, 'codec' | 'limits' | 'can'>,
  members: readonly Member[],
  style: ReplyStyle,
): Operation[] {
  const parts =
    withoutControls(answer.text).trim() === '' ? [] : renderText(answer.text, withRoom(platform), members)
  const quoted = style === 'plain' || answer.replyTo === null ? undefined : answer.replyTo
  const asked = style === 'thread' && platform.can.threads ? inThread(answer) : answer.place
  // Where a quote opens a thread, all of the answer stands in it, and is known to.
  const { place, ...quote } = standing(asked, quoted, platform, style)
  return [
    ...parts.map(
      (part, index): Operation => ({
        kind: 'post',
        place,
        part,
        agent: answer.agent,
        ...(index === 0 ? quote : {}),
      }),
    ),
    ...answer.files.map(
      ({ path, name }, index): Operation => ({
        kind: 'upload',
        place,
        path,
        name: safeName(name, 'file'),
        agent: answer.agent,
        // A file without a word is the answer.
        ...(parts.length === 0 && index === 0 ? quote : {}),
      }),
    ),
  ]
}

/** Where an answer may have to be sent a second time with a label, each of its parts has room for one. */
function withRoom(platform: Pick<Platform, 'codec' | 'limits' | 'can'>): Pick<Platform, 'codec' | 'limits'> {
  if (platform.can.idempotentFor === Number.POSITIVE_INFINITY) return platform
  const { text } = platform.limits
  const limits: Limits = { ...platform.limits, text: { ...text, max: text.max - LONGEST_LABEL } }
  return { codec: platform.codec, limits }
}

/** A thread of its own under the question, where the answer is not in one already. */
function inThread(answer: Answer): Place {
  if (answer.place.thread !== undefined || answer.replyTo === null) return answer.place
  return { chat: answer.place.chat, thread: answer.replyTo }
}

/**
 * Markdown with `@Name` of members as native mentions. Two members with one name: nobody is pinged. Whatever else could
 * ping is text.
 */
export function renderText(
  markdown: string,
  platform: Pick<Platform, 'codec' | 'limits'>,
  members: readonly Member[],
): readonly Part[] {
  const text = withoutControls(markdown)
  const doc = parseDoc(text)
  if (members.length === 0 || !/[@＠]/u.test(text)) return platform.codec.write(doc, platform.limits)
  const candidates = members.map((member) => ({
    name: member.name,
    aliases: member.aliases ?? [],
    id: member.id,
  }))
  const resolved = withMentions(
    doc,
    (plain, masked) =>
      findMentions(plain, candidates, { masked }).mentions.map(({ candidate, start, end }) => ({
        start,
        end,
        mention: { target: 'user' as const, id: candidate.id, name: candidate.name },
      })),
    { quotes: true },
  )
  return platform.codec.write(resolved, platform.limits)
}

/**
 * The agents an answer wakes by naming them: for one hop after a person spoke, never its speaker, never one that has
 * spoken to this message already.
 */
export function wakesOf(
  text: string,
  speaker: string,
  hop: number,
  agents: readonly Agent[],
  spoken: readonly string[],
): string[] {
  if (hop > 0 || !/[@＠]/u.test(text)) return []
  const candidates = agents
    .filter((agent) => !agent.hidden && !agent.archived)
    .map((agent) => ({ name: agent.name, aliases: agent.aliases }))
  const found: string[] = []
  withMentions(parseDoc(text), (plain, masked) => {
    for (const { candidate } of findMentions(plain, candidates, { masked }).mentions)
      found.push(candidate.name)
    return []
  })
  return [...new Set(found)].filter((name) => name !== speaker && !spoken.includes(name))
}
