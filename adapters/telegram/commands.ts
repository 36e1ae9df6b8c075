/** What Telegram offers behind the `/`: the commands that Golem answers, in the languages of its notices. */
import type { Api } from './api.js'

const DESCRIPTIONS: Readonly<Record<string, { en: string; zh: string }>> = {
  why: { en: 'Why a message was answered, or not', zh: '为什么回答或没有回答某条消息' },
  status: { en: 'What is going on here', zh: '当前状态' },
  stop: { en: 'Stop what is being worked on', zh: '停止正在进行的工作' },
  new: { en: 'Start a fresh conversation', zh: '开始新的对话' },
  agents: { en: 'Who is on the team', zh: '团队成员' },
  schedules: { en: 'What is to be done later', zh: '定时任务' },
  model: { en: 'Which model works here', zh: '这里使用的模型' },
  usage: { en: 'Tokens used here', zh: '这里的 token 用量' },
  memory: { en: 'What is remembered here', zh: '这里记住的内容' },
  help: { en: 'What you can say', zh: '可以说什么' },
}

/** Names of the commands, as Telegram lists them. */
export const COMMAND_NAMES: readonly string[] = Object.keys(DESCRIPTIONS)

/** Sets the menu. Rejects when Telegram does not take it. */
export async function setCommands(api: Pick<Api, 'call'>): Promise<void> {
  for (const language of ['en', 'zh'] as const) {
    const commands = Object.entries(DESCRIPTIONS).map(([command, text]) => ({
      command,
      description: text[language],
    }))
    // Without a language code they are everybody's.
    await api.call('setMyCommands', { commands, ...(language !== 'en' && { language_code: language }) })
  }
}
