/**
 * The app's commands in Discord's own menus: `/golem` with what Golem can be asked, and "Why?" on a message. Set where
 * they are not there yet or have changed; other commands of the app are left alone.
 * https://docs.discord.com/developers/interactions/application-commands
 */
import type { Logger } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { type Fields, fields, list, text } from './shape.js'

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-types */
const CHAT_INPUT = 1
const MESSAGE = 3
/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type */
const SUB_COMMAND = 1
const STRING = 3
/** Longest text of an option. */
const MOST_CHARACTERS = 6_000

const zh = (name: string): Fields => ({ 'zh-CN': name, 'zh-TW': name })

const subcommand = (
  name: string,
  description: string,
  chinese: string,
  options: readonly Fields[] = [],
): Fields => ({
  type: SUB_COMMAND,
  name,
  description,
  description_localizations: zh(chinese),
  ...(options.length > 0 && { options }),
})

export const COMMANDS: readonly Fields[] = [
  {
    type: CHAT_INPUT,
    name: 'golem',
    description: 'Ask the team, or see what it is doing',
    description_localizations: zh('向团队提问，或查看其状态'),
    options: [
      subcommand('ask', 'Ask the team something', '向团队提问', [
        {
          type: STRING,
          name: 'question',
          description: 'What you want to know',
          description_localizations: zh('你想知道什么'),
          required: true,
          max_length: MOST_CHARACTERS,
        },
      ]),
      subcommand('why', 'Why a message was answered, or not', '为什么回答或没有回答某条消息'),
      subcommand('status', 'What is going on here', '当前状态'),
      subcommand('stop', 'Stop what is being worked on', '停止正在进行的工作'),
      subcommand('new', 'Start a fresh conversation', '开始新的对话'),
      subcommand('agents', 'Who is on the team', '团队成员'),
      subcommand('schedules', 'What is to be done later', '定时任务'),
      subcommand('model', 'Which model works here', '这里使用的模型', [
        {
          type: STRING,
          name: 'name',
          description: 'The model to switch to, or "default"',
          description_localizations: zh('要切换到的模型，或 default'),
          max_length: 200,
        },
      ]),
      subcommand('usage', 'Tokens used here', '这里的 token 用量'),
      subcommand('memory', 'What is remembered here', '这里记住的内容', [
        {
          type: STRING,
          name: 'what',
          description: '"add" and a sentence, or "forget" and words of it; empty: all of it',
          description_localizations: zh('add 加一句话，或 forget 加几个词；留空查看全部'),
          max_length: 1_000,
        },
      ]),
      subcommand('help', 'What you can say', '可以说什么'),
    ],
  },
  { type: MESSAGE, name: 'Why?', name_localizations: zh('为什么？') },
]

/** Never rejects: without them people write what they want. */
export async function registerCommands(api: Api, application: string, log: Logger): Promise<void> {
  const path = ['applications', application, 'commands']
  try {
    const there = list(await api.call('GET', path, { query: { with_localizations: 'true' } })).map(fields)
    for (const command of COMMANDS) {
      const same = there.find((one) => one.type === command.type && one.name === command.name)
      // "Creating a command with the same name as an existing command … will overwrite the old command."
      if (same === undefined || !holds(same, command)) await api.call('POST', path, { body: command })
    }
  } catch (error) {
    log.warn(
      { error: String(error) },
      'the slash commands could not be set; what people write works all the same',
    )
  }
}

/** Everything that is wanted is there; what Discord adds of its own does not matter. */
function holds(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    const found = list(there)
    return found.length === wanted.length && wanted.every((one, index) => holds(found[index], one))
  }
  if (typeof wanted !== 'object' || wanted === null) return there === wanted || text(there) === wanted
  const found = fields(there)
  return Object.entries(wanted).every(([name, value]) => holds(found[name], value))
}
