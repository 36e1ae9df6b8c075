/** Commands people give in a chat: `/why`, `!why`, or the bare word behind a mention of the bot. */
import type { BotIdentity, InboundMessage } from './contract.js'

export const COMMANDS = ['why', 'status', 'new', 'stop', 'help', 'agents'] as const
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
  const given = /^\s*([/!])([a-z]+)(?:@(\S+))?(?:\s+([\s\S]*))?$/iu.exec(text)
  if (given) {
    const [, mark, word = '', target = message.command?.target, argument = ''] = given
    const name = known(word)
    if (name === null) return null
    if (mark === '/' && target !== undefined && !names(self, target)) return null
    return { name, argument: argument.trim() }
  }
  const bare = mentioned ? known(text.trim()) : null
  return bare === null ? null : { name: bare, argument: '' }
}

function known(word: string): CommandName | null {
  const lower = word.toLowerCase()
  return COMMANDS.find((name) => name === lower) ?? null
}

function names(self: BotIdentity, target: string): boolean {
  const wanted = target.toLowerCase()
  return [self.id, self.name, ...(self.aliases ?? [])].some((name) => name.toLowerCase() === wanted)
}
