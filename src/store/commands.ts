/** Chat commands that are carried out where they are stored: nothing can fall between the line and its effect. */
import type { InboundMessage } from '../messaging/contract.js'
import type { Notice } from '../messaging/decision.js'
import { explain } from '../messaging/explain.js'
import { chatKeyOf, referenceOf } from '../messaging/keys.js'
import { roomAgents } from '../messaging/roster.js'
import { STOP_EVERYONE } from '../messaging/stop-words.js'
import type { AcceptItem, AcceptResult } from '../messaging/store.js'
import { findMentions, safeName } from '../messaging/text/index.js'
import { all, one, type Room } from './db.js'
import { memoryCommand } from './memory-commands.js'
import { modelCommand } from './models.js'
import { settingsOf, whereabouts } from './moves.js'
import { enqueue } from './outbox.js'
import { stopTurn } from './press.js'
import { findMessage, receiptOf } from './receipts.js'
import type { MessageRow, TurnRow } from './rows.js'
import { schedulesCommand } from './schedule-commands.js'
import { usageCommand } from './usage.js'

export function runCommand(
  room: Room,
  item: AcceptItem,
  message: InboundMessage,
  id: number,
  conversation: string,
  command: { name: string; argument: string },
  now: number,
): AcceptResult['abort'] {
  const chat = whereabouts(room, chatKeyOf(item.connection, message.place.chat)).key
  const answer = (notice: Notice): void => {
    enqueue(room, {
      connection: item.connection,
      chatKey: chat,
      conversation,
      turn: null,
      message: id,
      at: now,
      role: 'notice',
      op: { kind: 'note', place: message.place, replyTo: message.id, notice },
    })
  }
  switch (command.name) {
    case 'new':
      room.sql('UPDATE conversations SET fresh_from = ? WHERE key = ?').run(id, conversation)
      answer({ kind: 'fresh' })
      return []
    case 'stop': {
      const only = agentsIn(room, chat, command.argument)
      const { abort, agents, running } = stopAll(room, { chat, conversation }, message.author.id, only, now)
      // Said to everybody, it is most often said to people.
      if (agents.length === 0 && command.argument === STOP_EVERYONE) return []
      if (agents.length === 0)
        answer(text(room, 'Nothing of yours is running here.', '这里没有你的任务在运行。'))
      // A turn at work says itself that it was stopped.
      else if (!running) answer({ kind: 'stopped', agent: agents.join(', ') })
      return abort
    }
    case 'why':
      answer({ kind: 'command', text: why(room, message, id, chat, command.argument) })
      return []
    case 'status':
      answer({ kind: 'command', text: status(room, conversation, chat) })
      return []
    case 'agents':
      answer({
        kind: 'command',
        text: roomAgents(room.policy, settingsOf(room, chat))
          .filter((agent) => !agent.hidden)
          .map((agent) => `- **${agent.name}**${agent.archived ? ' (archived)' : ''}: ${agent.role}`)
          .join('\n'),
      })
      return []
    case 'schedules': {
      const here = { chat, person: message.author.id, now }
      answer({ kind: 'command', text: schedulesCommand(room, here, command.argument) })
      return []
    }
    case 'model': {
      const here = { chat, conversation, person: message.author, now }
      answer({ kind: 'command', text: modelCommand(room, here, command.argument) })
      return []
    }
    case 'usage':
      answer({ kind: 'command', text: usageCommand(room, conversation, now) })
      return []
    case 'memory': {
      const said = { item, message, id, conversation, chat, now }
      const known = memoryCommand(room, said, command.argument)
      if (known !== null) answer({ kind: 'command', text: known })
      return []
    }
    default:
      answer(text(room, HELP_EN, HELP_ZH))
      return []
  }
}

/** Agents that are named with an @, by a name of theirs; null where none is. */
function agentsIn(room: Room, chat: string, words: string): string[] | null {
  const agents = roomAgents(room.policy, settingsOf(room, chat))
  const named = findMentions(
    words,
    agents.map(({ name, aliases }) => ({ name, aliases })),
  ).mentions.map(({ candidate }) => candidate.name)
  return named.length === 0 ? null : named
}

/**
 * Stops all that a person asked for in a conversation: what runs, what waits, and what waits for teammates.
 *
 * @param only these agents' work, also where a teammate has asked them for it
 */
function stopAll(
  room: Room,
  { chat, conversation }: { chat: string; conversation: string },
  person: string,
  only: readonly string[] | null,
  now: number,
): { abort: AcceptResult['abort']; agents: string[]; running: boolean } {
  const mine = all<TurnRow>(
    room.sql(
      `SELECT * FROM turns WHERE id IN (
           SELECT id FROM turns WHERE state = 'running' UNION
           SELECT id FROM turns WHERE state = 'queued' AND chat = ? UNION
           SELECT id FROM turns WHERE state = 'parked' UNION
           SELECT turn FROM asks WHERE state = 'open')
         AND conversation = ? AND (requester_id = ? OR requester_id IS NULL) ORDER BY id`,
    ),
    chat,
    conversation,
    person,
  ).filter((turn) => (only === null ? turn.ask === null : only.includes(turn.agent)))
  return {
    abort: mine.flatMap((turn) => stopTurn(room, turn.id, now)),
    agents: [...new Set(mine.map((turn) => turn.agent))],
    running: mine.some((turn) => turn.state === 'running' && turn.ask === null),
  }
}

const HELP_EN =
  'Write @ and a name to ask an agent. Commands: `/why` why my last message was or was not answered · `/status` who works and who waits · `/stop` stop what I asked for · `/new` a fresh context · `/agents` who is here · `/schedules` what is to be done later · `/model` which model works here · `/usage` tokens used here · `/memory` what is remembered here. `!why` works as well.'
const HELP_ZH =
  '输入 @ 和名字来提问。命令：`/why` 我的上一条消息为何（没）被回答 · `/status` 谁在工作、谁在等待 · `/stop` 停止我的任务 · `/new` 开始新的上下文 · `/agents` 这里有谁 · `/schedules` 定时任务 · `/model` 这里使用的模型 · `/usage` 这里的 token 用量 · `/memory` 这里记住的内容。也可以写 `!why`。'

function text(room: Room, en: string, zh: string): Notice {
  return { kind: 'command', text: room.policy.language === 'zh' ? zh : en }
}

/** A person's own messages and gates only. */
function why(room: Room, message: InboundMessage, id: number, chat: string, argument: string): string {
  const zh = room.policy.language === 'zh'
  const row = wanted(room, message, id, chat, argument)
  if (!row) return zh ? '没有找到你的消息。' : 'I found no message of yours here.'
  if (row.author_id !== message.author.id && row.author_kind !== 'agent')
    return zh ? '只能查看你自己的消息。' : 'Only your own messages can be explained to you.'
  const receipt = receiptOf(room, row.id)
  return receipt ? explain(receipt, room.policy.language) : zh ? '没有回执。' : 'There is no receipt.'
}

/** What is asked about: the message replied to, one that is named, or the person's last one. */
function wanted(
  room: Room,
  message: InboundMessage,
  id: number,
  chat: string,
  argument: string,
): MessageRow | null {
  const named = message.replyTo?.id ?? (argument === 'last' ? '' : argument)
  if (named === '')
    return (
      one<MessageRow>(
        room.sql(
          `SELECT * FROM messages WHERE chat = ? AND author_id = ? AND kind = 'person' AND id < ?
             AND (decision IS NULL OR decision NOT LIKE '%"reason":"command"%') ORDER BY id DESC LIMIT 1`,
        ),
        chat,
        message.author.id,
        id,
      ) ?? null
    )
  const row = findMessage(room, referenceOf({ chat, native: named, id: 0 })) ?? findMessage(room, named)
  // Another chat's messages are not spoken of here.
  return row?.chat === chat ? row : null
}

function status(room: Room, conversation: string, chat: string): string {
  const zh = room.policy.language === 'zh'
  const turns = all<TurnRow>(
    room.sql(
      "SELECT * FROM turns WHERE chat = ? AND state IN ('running', 'queued', 'parked') ORDER BY id LIMIT 20",
    ),
    chat,
  )
  if (turns.length === 0) return zh ? '没有任务在运行或等待。' : 'Nothing is running or waiting here.'
  return turns
    .map((turn, index) => {
      const who = turn.requester_name === null ? (zh ? '机器人' : 'a bot') : safeName(turn.requester_name)
      const here = turn.conversation === conversation ? '' : zh ? '（另一个话题）' : ' (another thread)'
      if (turn.state === 'parked')
        return `- **${turn.agent}** ${zh ? `等待决定，来自 ${who}` : `waits for a decision, for ${who}`}${here}`
      return turn.state === 'running'
        ? `- **${turn.agent}** ${zh ? `正在处理 ${who} 的消息` : `works for ${who}`}${here}`
        : `- ${index}. **${turn.agent}** ${zh ? `等待中，来自 ${who}` : `waits, for ${who}`}${here}`
    })
    .join('\n')
}
