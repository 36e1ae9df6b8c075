/** Commands people give in a chat: `/why`, `!why`, or the bare word behind a mention of the bot. */
import { ANSWERS, answerIn, isAnswer } from './answers.js'
import { CHAT_COMMANDS } from './command-names.js'
import type { BotIdentity, InboundMessage } from './contract.js'

export const COMMANDS = [...CHAT_COMMANDS, ...ANSWERS] as const
export type CommandName = (typeof COMMANDS)[number]

/**
 * The command in a message, if there is one.
 *
 * @param text the message without the bot's own mention
 * @param mentioned the bot is mentioned, so that a bare word may be a command
 */
export function commandIn(
  message: Pick<InboundMessage, 'command'>,
  text: string,
  self: BotIdentity,
  mentioned: boolean,
): { name: CommandName; argument: string } | null {
  const { command } = message
  const written = /^\s*([/!])([a-z]+)(?:@(\S+))?(?:\s+([\s\S]*))?$/iu.exec(text)
  if (written) {
    const [, mark, word = '', target = command?.target, argument = ''] = written
    if (mark === '/' && !isOurs(target, self)) return null
    const direct = called(word, argument)
    if (direct !== null) return direct
  }
  const answer = answerIn(text)
  if (answer !== null && !text.trimStart().startsWith('/')) return answer
  const behind = command && isOurs(command.target, self) ? behindOwn(command.name, text) : null
  if (behind !== null) return behind
  // Chosen from the platform's own menu: its words are not in the text.
  if (command && !text.trimStart().startsWith('/'))
    return isOurs(command.target, self) ? called(command.name, text) : null
  if (written) return null
  // An answer without its code is a word as any other.
  return mentioned && !isAnswer(text.trim().toLowerCase()) ? called(text.trim(), '') : null
}

/** `/golem why last`: the platform's command that is the bot's, however that is called, and one of ours behind it. */
function behindOwn(name: string, text: string): { name: CommandName; argument: string } | null {
  const typed = /^\s*\/\S+(?:\s+(\S+)(?:\s+([\s\S]*))?)?$/u.exec(text.trimEnd())
  if (typed === null) return null
  const [, word, argument = ''] = typed
  const isNamed = word === undefined || word.replace(/^\//, '').toLowerCase() === name.toLowerCase()
  return isNamed ? called(name, argument) : null
}

/** Whether a command that names a bot (`/cmd@bot`) names this one; one that names none is everybody's. */
export function isOurs(target: string | undefined, self: BotIdentity): boolean {
  if (target === undefined) return true
  const wanted = target.toLowerCase()
  return [self.id, self.name, ...(self.aliases ?? [])].some((name) => name.toLowerCase() === wanted)
}

function called(word: string, argument: string): { name: CommandName; argument: string } | null {
  const lower = word.toLowerCase()
  const name = COMMANDS.find((known) => known === lower)
  return name === undefined ? null : { name, argument: argument.trim() }
}
