/** What Golem itself says in a chat, in the room's language. One place, so that every line is short and has a cure. */
import type { Notice } from './decision.js'
import { decidedWords, questionWords } from './question-words.js'
import type { Language } from './roster.js'

export function wording(notice: Notice, language: Language): string {
  return language === 'zh' ? zh(notice) : en(notice)
}

function en(notice: Notice): string {
  switch (notice.kind) {
    case 'archived':
      if (notice.gone)
        return `${list(notice.agents, ' and ')} ${notice.agents.length > 1 ? 'are' : 'is'} no longer on this team and cannot answer. Name another agent.`
      return `${list(notice.agents, ' and ')} ${notice.agents.length > 1 ? 'are' : 'is'} archived and cannot answer. Restore the agent in golem.yaml, or name an active member.`
    case 'no-active-members':
      return 'This room has no active agent, so nobody can answer.'
    case 'mention-hint':
      return 'Nobody answers here without a mention. Write @ and the name of an agent.'
    case 'quiet':
      return `Bots have spoken ${notice.maxTurns} times in a row here. I stay quiet until a person speaks.`
    case 'not-taken':
      return notice.reason === 'sender-full'
        ? 'Not taken: too many of your messages are already waiting. Please send it again when they are answered.'
        : 'Not taken: too many messages are waiting in this room. Please send it again later.'
    case 'expired':
      return 'Not answered: this waited for more than half an hour. Please ask again if it still matters.'
    case 'interrupted':
      return `${notice.agent} was interrupted while working on this. What it did before is not undone, so it is not run again by itself.`
    case 'failed':
      return `Sorry, ${notice.agent} could not finish this. Receipt ${notice.receipt} says why.`
    case 'stopped':
      return `${notice.agent} was stopped.`
    case 'fresh':
      return 'A fresh context: earlier lines are no longer shown to the agents. The group memory stays.'
    case 'command':
      return notice.text
    case 'edited':
      return 'The question was edited after it was answered.'
    case 'handed-off':
      return `${notice.from} handed this conversation to ${notice.to}. Name another agent to change that.`
    case 'room-changed': {
      const what = notice.what === 'bulletin' ? 'standing instructions' : 'description'
      return notice.reset
        ? `For ${notice.by}: the ${what} of this chat are again as golem.yaml has it.`
        : `For ${notice.by}: the ${what} of this chat were changed.`
    }
    case 'asked':
      return `Asked ${list(notice.agents, ' and ')}, waiting.`
    case 'working':
      if (notice.asking !== undefined) return `Waiting for ${notice.asking}…`
      return ['Working on it…', notice.tool === undefined ? notice.note : `uses ${notice.tool}`]
        .filter(Boolean)
        .join(' ')
    case 'waiting':
      return notice.elsewhere === true
        ? `Waiting: ${notice.agent} is at work in other chats…`
        : `Waiting behind ${notice.agent}…`
    case 'pressed':
      return notice.what === 'stop' ? `Stopped by ${notice.by}.` : `Asked again by ${notice.by}.`
    case 'file-lost':
      return `The file ${notice.name} could not be posted: ${notice.why}`
    case 'fell-back':
      return '(may be a duplicate: the connection broke while posting)'
    case 'may-not-post':
      return `I may not post in the chat where you asked me, so I tell you here. Receipt ${notice.receipt} says more.`
    case 'question':
      return questionWords(notice, 'en')
    case 'decided':
      return decidedWords(notice, 'en')
    case 'undecided':
      return `Nobody decided in time, so it counts as refused: ${notice.agent} did not go on with this. Please ask again if it still matters.`
  }
}

function zh(notice: Notice): string {
  switch (notice.kind) {
    case 'archived':
      if (notice.gone) return `${list(notice.agents, '、')} 已不在团队中，无法回答。请 @ 其他成员。`
      return `${list(notice.agents, '、')} 已归档，无法回答。请在 golem.yaml 中恢复，或 @ 其他在岗成员。`
    case 'no-active-members':
      return '这个房间没有在岗的成员，没人能回答。'
    case 'mention-hint':
      return '这里只有被 @ 时才会回答。请输入 @ 和成员的名字。'
    case 'quiet':
      return `机器人已连续发言 ${notice.maxTurns} 次。在有人说话之前，我先保持安静。`
    case 'not-taken':
      return notice.reason === 'sender-full'
        ? '未受理：你已有太多消息在排队，请等它们得到回答后再发一次。'
        : '未受理：这个房间排队的消息太多，请稍后再发一次。'
    case 'expired':
      return '未回答：这条消息等待超过半小时。如仍需要，请再问一次。'
    case 'interrupted':
      return `${notice.agent} 处理时被中断。已经做过的事不会撤销，因此不会自动重做。`
    case 'failed':
      return `抱歉，${notice.agent} 未能完成。原因见回执 ${notice.receipt}。`
    case 'stopped':
      return `已停止 ${notice.agent}。`
    case 'fresh':
      return '已开始新的上下文：之前的对话不再展示给成员，群记忆保留。'
    case 'command':
      return notice.text
    case 'edited':
      return '问题在回答之后被修改了。'
    case 'handed-off':
      return `${notice.from} 已把这个对话交给 ${notice.to}。@ 其他成员即可更改。`
    case 'room-changed': {
      const what = notice.what === 'bulletin' ? '固定说明' : '简介'
      return notice.reset
        ? `应 ${notice.by} 的要求，本群的${what}已恢复为 golem.yaml 中的内容。`
        : `应 ${notice.by} 的要求，本群的${what}已更改。`
    }
    case 'asked':
      return `已请 ${list(notice.agents, '、')} 处理，等待中。`
    case 'working':
      if (notice.asking !== undefined) return `等待 ${notice.asking} 答复…`
      return ['正在处理…', notice.tool === undefined ? notice.note : `使用 ${notice.tool}`]
        .filter(Boolean)
        .join('')
    case 'waiting':
      return notice.elsewhere === true
        ? `等待中：${notice.agent} 正在其他聊天中工作…`
        : `排在 ${notice.agent} 之后…`
    case 'pressed':
      return notice.what === 'stop' ? `已由 ${notice.by} 停止。` : `已由 ${notice.by} 重新提问。`
    case 'file-lost':
      return `文件 ${notice.name} 未能发送：${notice.why}`
    case 'fell-back':
      return '（可能重复：发送时连接中断）'
    case 'may-not-post':
      return `我无法在你提问的群里发言，所以在这里回复你。详情见回执 ${notice.receipt}。`
    case 'question':
      return questionWords(notice, 'zh')
    case 'decided':
      return decidedWords(notice, 'zh')
    case 'undecided':
      return `没有人在期限内决定，视为拒绝：${notice.agent} 没有继续。如仍需要，请再问一次。`
  }
}

function list(names: readonly string[], and: string): string {
  if (names.length < 2) return names[0] ?? ''
  const comma = and === '、' ? '、' : ', '
  return `${names.slice(0, -1).join(comma)}${and}${names.at(-1)}`
}

/** Bytes of the label of what may be a duplicate, and the blank line behind it, in the longer language. */
export const LONGEST_LABEL = Math.max(
  ...[en, zh].map((say) => Buffer.byteLength(say({ kind: 'fell-back', what: 'duplicate' })) + 2),
)

/** Put into the name of a file that is posted a second time: a file has no line of its own. */
export const DUPLICATE_FILE: Readonly<Record<Language, string>> = {
  en: ' (may be a duplicate)',
  zh: '（可能重复）',
}
