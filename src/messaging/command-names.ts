/** What people may ask of Golem itself in a chat. A platform that has a menu of its own offers them there. */
export const CHAT_COMMANDS = [
  'why',
  'status',
  'new',
  'stop',
  'help',
  'agents',
  'schedules',
  'model',
  'usage',
  'memory',
] as const

/** Whether a word behind the bot's own command is one of them; anything else is a question. */
export function isChatCommand(word: string): boolean {
  return (CHAT_COMMANDS as readonly string[]).includes(word)
}
