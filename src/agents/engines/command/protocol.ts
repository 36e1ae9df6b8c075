import { z } from 'zod'
import { EngineError } from '../../../messaging/engine.js'

/** What a program may say, one JSON object a line; version 1. `turn` is needed from programs that stay (`persistent`). */
const turn = z.union([z.string(), z.number().transform(String)]).optional()
const count = z.number().int().nonnegative()
const messages = {
  text: z.object({ type: z.literal('text'), turn, text: z.string() }),
  final: z.object({ type: z.literal('final'), turn, text: z.string().optional() }),
  tool: z.object({
    type: z.literal('tool'),
    turn,
    id: z.union([z.string(), z.number()]),
    name: z.string().min(1),
    arguments: z.unknown(),
  }),
  file: z.object({ type: z.literal('file'), turn, path: z.string().min(1), name: z.string().optional() }),
  usage: z.object({
    type: z.literal('usage'),
    turn,
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count.optional(),
    model: z.string().max(200).optional(),
    costUsd: z.number().nonnegative().optional(),
  }),
  error: z.object({ type: z.literal('error'), turn, message: z.string() }),
} as const

type Known = keyof typeof messages
export type ProgramMessage = { [K in Known]: z.infer<(typeof messages)[K]> }[Known]

/**
 * One line of a program's output. What is no JSON object with a `type` is plain text, whatever it looks like.
 *
 * @throws EngineError `protocol` for a `type` that version 1 does not have, or fields that it does not take
 */
export function parseLine(line: string): ProgramMessage | { type: 'plain'; text: string } {
  const object = line.trimStart().startsWith('{') ? json(line) : undefined
  if (object === undefined) return { type: 'plain', text: printable(line) }
  if (!Object.hasOwn(messages, object.type)) {
    throw new EngineError(
      'protocol',
      `The program wrote a line of type ${shown(object.type)}, which protocol version 1 does not have: use one of ${Object.keys(messages).join(', ')}.`,
    )
  }
  const parsed = messages[object.type as Known].safeParse(object)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new EngineError(
    'protocol',
    `The program wrote a ${shown(object.type)} line with a wrong field (${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'invalid'}): see the command protocol in the documentation.`,
  )
}

function json(line: string): { type: string } | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
      ? (value as { type: string })
      : undefined
  } catch {
    return undefined
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

const ESC = String.fromCharCode(0x1b)
/** Colours and cursor moves: `ESC [ … letter`, and titles: `ESC ] … BEL`. */
const TERMINAL = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)`,
  'g',
)
const CONTROLS = /\p{Cc}/gu

/** A terminal's marks are no part of what a program says. */
function printable(text: string): string {
  return text.replace(TERMINAL, '').replace(CONTROLS, (character) => (character === '\t' ? character : ''))
}
