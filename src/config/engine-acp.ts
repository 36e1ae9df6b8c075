/** Options of engine `acp` and of the coding agents that are known by name. */
import { z } from 'zod'
import type { Effects } from '../messaging/roster.js'
import { ACP_PRESETS } from './acp-presets.js'
import { duration } from './duration.js'
import { programCommand, programEnv, turnLimit } from './engine-keys.js'
import type { Environment } from './env.js'
import { listOf, type Mapping, mappingOf } from './shape.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What becomes of an action that the agent asks for. */
const rule = z.enum(['ask', 'allow', 'deny'])

const permissions = z
  .union([
    rule,
    z.strictObject({
      read: rule.default('ask'),
      edit: rule.default('ask'),
      execute: rule.default('ask'),
      fetch: rule.default('ask'),
      other: rule.default('ask'),
    }),
  ])
  .default('ask')
  .meta({
    description:
      'What becomes of actions for which the agent wants a permission. `ask`: the person it works for decides, in the chat. `allow`, `deny`: all of them. Or by kind: `read` (and search), `edit` (and delete, move), `execute`, `fetch`, `other`. What an agent does without asking is its own setting.',
    examples: [{ read: 'allow', edit: 'ask', execute: 'ask' }],
  })

const pool = z
  .strictObject({
    max: z.int().min(0).max(64).default(4).meta({
      description: 'Programs that are kept for their next turn. More run only while more turns run.',
    }),
    idle: duration('m', 1_000, 24 * HOUR)
      .prefault(10)
      .meta({
        description: 'A program that has had no turn for so long is ended. Minutes, or text with a unit.',
      }),
  })
  .prefault({})
  .meta({
    description: 'Programs stay between the turns of a conversation, so that the next turn starts at once.',
  })

const model = z.string().min(1).max(200)

const shared = {
  env: programEnv('AGENT_API_KEY'),
  model: model.optional().meta({
    description: 'The model, by the name that the agent gives it. Default: the agent’s own choice.',
  }),
  models: z.array(model).max(50).default([]).meta({
    description: 'Models that people with the right may switch to in a chat, by the agent’s names for them.',
  }),
  mode: z.string().min(1).max(100).optional().meta({
    description:
      'The session mode, by its id, of an agent that has some, e.g. `plan`. Default: the agent’s own.',
  }),
  permissions,
  pool,
  turnLimit,
}

export const acpOptions = z
  .strictObject({
    command: programCommand(
      'The agent and its arguments, as it speaks the Agent Client Protocol on its standard input and output.',
      ['my-agent', 'acp'],
    ),
    ...shared,
  })
  .meta({
    description:
      'Any coding agent that speaks the Agent Client Protocol, as a subprocess. It works in the room’s folder, keeps a session for each conversation, and asks in the chat before it acts.',
  })

function presetOptions(name: string, first: readonly string[]) {
  return z
    .strictObject({
      ...shared,
      command: programCommand(
        `The agent and its arguments. Default: \`${first.join(' ')}\`, wherever it is installed.`,
        [...first],
      ).optional(),
      skipPermissions: z.boolean().optional().meta({
        description: '`true` is `permissions: allow`. Golem’s default is to ask.',
      }),
      timeout: duration('s', 1_000, 24 * HOUR)
        .optional()
        .meta({
          description:
            'Work one turn may take, in seconds, or text with a unit. `turnLimit` says the same in minutes.',
          examples: [600],
        }),
      systemPrompt: z.string().max(12_000).optional().meta({
        description:
          'Standing instructions for this agent, wherever it works. Those of a room are its `bulletin`.',
      }),
    })
    .meta({ description: `${name} through the Agent Client Protocol: \`acp\` with the command filled in.` })
}

/** Engines by name, with the command that each one is looked for by. */
export const presetEngines = {
  'claude-code': presetOptions('Claude Code', ACP_PRESETS['claude-code'].commands[0]),
  codex: presetOptions('Codex', ACP_PRESETS.codex.commands[0]),
  opencode: presetOptions('opencode', ACP_PRESETS.opencode.commands[0]),
  gemini: presetOptions('Gemini CLI', ACP_PRESETS.gemini.commands[0]),
  cursor: presetOptions('Cursor’s CLI', ACP_PRESETS.cursor.commands[0]),
}

export type AcpOptions = z.output<typeof acpOptions>

/** A coding agent edits files and runs commands where nobody sees it. */
export const ACP_EFFECTS: Effects = 'unknown'

/** Keys that agents of these engines are given from the environment: secrets, although golem.yaml does not name them. */
export function keysGivenToAgents(root: Mapping, env: Environment): string[] {
  const used = new Set(listOf(root.agents).map((agent) => mappingOf(agent).engine))
  return Object.entries(ACP_PRESETS)
    .filter(([engine]) => used.has(engine))
    .flatMap(([, { variables }]) => variables.filter((name) => /KEY|TOKEN/.test(name)))
    .flatMap((name) => env[name] ?? [])
}
