import { z } from 'zod'
import { ToolError } from '../../messaging/engine.js'
import { RESULT_CHARACTERS } from '../../messaging/limits.js'
import type { Agent } from '../../messaging/roster.js'
import { safeLine } from '../../messaging/text/index.js'
import { defineTool, type ToolScope } from './tool.js'

const name = z.string().trim().min(1).max(200).describe('name of a teammate, as the roster writes it')

export const askTeammate = defineTool({
  name: 'ask_teammate',
  description:
    'Give a piece of work to the one teammate that fits. Say in the task everything they need: they see the task, not your conversation. You are told "asked" at once; end your turn then. Their result comes back to you in a follow-up turn.',
  args: z.strictObject({
    name,
    task: z
      .string()
      .trim()
      .min(1)
      .max(RESULT_CHARACTERS)
      .describe('the work, complete in itself; quote what they must know'),
  }),
  writes: true,
  offered: ({ teammates }) => teammates.length > 0,
  async run(args, scope) {
    const teammate = find(args.name, scope)
    const { ask } = scope.turn
    const above = ask === null ? [] : [...ask.chain, ask.asker]
    if (above.some((other) => same(other, teammate.name))) {
      throw new ToolError(
        `${teammate.name} was not asked: ${teammate.name} already waits for this very work (${[...new Set([...above, scope.turn.agent])].join(' → ')}). Do it yourself, or say in your answer what is missing.`,
      )
    }
    const answer = await scope.store.ask({
      turn: scope.turn.id,
      teammate: teammate.name,
      task: args.task,
      at: scope.clock.now(),
    })
    if (answer.status === 'refused') throw new ToolError(`${teammate.name} was not asked: ${answer.why}`)
    scope.asked(teammate.name)
    return { result: { status: 'asked', name: teammate.name }, note: `asked ${teammate.name}` }
  },
})

export const handOff = defineTool({
  name: 'hand_off',
  description:
    'Make a teammate the owner of this conversation, when its whole subject is theirs. What people say here next goes to them. For one piece of work use ask_teammate instead.',
  args: z.strictObject({
    name,
    reason: z.string().trim().max(500).optional().describe('why, in one line; it stands in the receipt'),
  }),
  writes: true,
  // Who works on somebody's task does not own the conversation.
  offered: ({ teammates, turn }) => teammates.length > 0 && turn.ask === null,
  async run(args, scope) {
    const teammate = find(args.name, scope)
    const answer = await scope.store.handOff(scope.turn.id, teammate.name, scope.clock.now())
    if (!answer.ok) throw new ToolError(`The conversation stays with you: ${answer.why}`)
    scope.handedOff(teammate.name)
    const reason = args.reason === undefined || args.reason === '' ? '' : `: ${safeLine(args.reason)}`
    return {
      result: { status: 'handed-off', name: teammate.name },
      note: `handed off to ${teammate.name}${reason}`,
    }
  },
})

function find(wanted: string, scope: ToolScope): Agent {
  const plain = wanted.replace(/^@/, '')
  if (same(plain, scope.turn.agent)) {
    throw new ToolError('That is you. Do it yourself, or name one of your teammates.')
  }
  const teammate = scope.teammates.find(
    (agent) => same(agent.name, plain) || agent.aliases.some((alias) => same(alias, plain)),
  )
  if (teammate !== undefined) return teammate
  throw new ToolError(
    `Nobody here is called ${safeLine(plain, 60)}. Your teammates: ${scope.teammates.map((agent) => agent.name).join(', ')}.`,
  )
}

function same(a: string, b: string): boolean {
  return a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase()
}
