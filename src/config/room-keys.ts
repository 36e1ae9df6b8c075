/** The keys that `groupChat` and the entries of `rooms` share, without defaults. */
import { z } from 'zod'
import { BULLETIN_CHARACTERS, CONTEXT_LINES } from '../messaging/limits.js'
import { approvers } from './approvals.js'
import { places } from './places.js'

export const groupPolicy = z.enum(['mention-only', 'smart', 'always']).meta({
  description:
    'When agents answer. `mention-only`: when addressed. `smart`: every message is considered, and an agent may stay silent. `always`: every message is answered.',
})

export const historyLimit = z
  .int()
  .min(0)
  .max(CONTEXT_LINES)
  .meta({ description: 'Earlier lines of the chat an agent is shown.' })

export const maxTurns = z.int().min(1).max(1_000).meta({
  description: 'Replies in a row by bots in one chat before a person must speak.',
})

export const sessionScope = z.enum(['auto', 'group', 'thread']).meta({
  description:
    'What one context covers. `auto`: a native thread where the platform has them, else the chat. `group`: the chat. `thread`: a thread or reply chain.',
})

export const threadFollowUps = z.enum(['mention', 'one-person', 'always']).meta({
  description:
    'Whether a message in a thread the bot already answered in addresses it. `mention`: only with a mention. `one-person`: while a single person speaks there. `always`: yes.',
})

export const reply = z.enum(['quote', 'thread', 'plain']).meta({
  description:
    'How an answer is tied to its question. `quote`: it quotes it. `thread`: it opens or continues a thread. `plain`: it is an ordinary post.',
})

export const answer = z.enum(['new', 'edit']).meta({
  description:
    'Where an answer stands for which a status post was shown. `new`: in a new post, which notifies the person who asked; the status post goes. `edit`: in the place of the status post, which notifies nobody; an answer that mentions people is a new post all the same.',
})

export const smartGate = z.enum(['off', 'local']).meta({
  description:
    'For `smart` rooms: `local` decides by rules, without a model, which messages an agent is run for; `off` runs it for every message.',
})

export const respondToEveryone = z
  .boolean()
  .meta({ description: "Whether the platform's own @everyone, @here or @all addresses the bot." })

export const cjkNames = z.enum(['strict', 'longest']).meta({
  description:
    'How far a mention of a Chinese, Japanese or Korean name reaches when such text follows it directly. `strict`: it must end there. `longest`: the longest known name wins.',
})

/** An agent's name or alias. */
export const agentName = z
  .string()
  .normalize('NFC')
  .regex(
    /^(?![\s@])[^\p{Cc}\p{Zl}\p{Zp}]{1,64}(?<!\s)$/u,
    'must be 1 to 64 characters on one line, without an @ before it and without blanks around it',
  )
  .regex(/[\p{L}\p{N}]/u, 'must hold a letter or a digit')

export const roomOverride = z
  .strictObject({
    groupPolicy: groupPolicy.exactOptional(),
    historyLimit: historyLimit.exactOptional(),
    maxTurns: maxTurns.exactOptional(),
    sessionScope: sessionScope.exactOptional(),
    threadFollowUps: threadFollowUps.exactOptional(),
    reply: reply.exactOptional(),
    answer: answer.exactOptional(),
    smartGate: smartGate.exactOptional(),
    respondToEveryone: respondToEveryone.exactOptional(),
    cjkNames: cjkNames.exactOptional(),
    members: z
      .array(agentName)
      .min(1)
      .exactOptional()
      .meta({
        description: 'Names of the agents in this room, in order. Default: all agents.',
        examples: [['Golem', 'Reviewer']],
      }),
    defaultResponder: agentName.exactOptional().meta({
      description:
        'Who answers when nobody is named: `everyone` · `mentions` (nobody, unless the bot itself is addressed) · `auto` (by role and skills) · the name of an agent. Default: the orchestrator.',
      examples: ['auto', 'Reviewer'],
    }),
    bulletin: z
      .string()
      .max(BULLETIN_CHARACTERS)
      .nullable()
      .exactOptional()
      .meta({
        description: 'Standing instructions for the agents in this room. `null` clears an inherited one.',
        examples: ['Answer in English.'],
      }),
    description: z
      .string()
      .max(200)
      .regex(/^[^\r\n]*$/, 'must be one line')
      .nullable()
      .exactOptional()
      .meta({
        description: 'One line about the room. `null` clears an inherited one.',
        examples: ['On-call questions of the platform team'],
      }),
    owners: z
      .array(z.string().min(1))
      .exactOptional()
      .meta({
        description:
          "Ids of the people, as the platform has them, who may switch models here, cancel other people's schedules, and have agents change the room's bulletin and description. Default: nobody.",
        examples: [['U0123']],
      }),
    approvers: approvers.exactOptional(),
    places: places.exactOptional(),
    workingFolder: z
      .string()
      .min(1)
      .nullable()
      .exactOptional()
      .meta({
        description:
          "Folder the agents work in, relative to golem.yaml's folder. Default (and `null`): a folder of the room's own in `dataDir`.",
        examples: ['../website'],
      }),
  })
  .meta({ description: 'What differs in this room from `groupChat`.' })
