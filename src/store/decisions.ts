/** Who may decide a question decides it, by a button or in words. Everybody else is told in private, and changes nothing. */
import { answerIn, choiceIn } from '../messaging/answers.js'
import type { InboundMessage, InboundPress } from '../messaging/contract.js'
import { chatKeyOf } from '../messaging/keys.js'
import type { Language } from '../messaging/roster.js'
import type { AcceptItem, AcceptResult, Enqueue } from '../messaging/store.js'
import { safeName } from '../messaging/text/index.js'
import { showEnd } from './approval-posts.js'
import { decidersOf, labelOf, mayDecide, optionsOf, yesNo } from './approval-rows.js'
import { byId, decideIt } from './approvals.js'
import { all, one, type Room } from './db.js'
import { whereabouts } from './moves.js'
import { enqueue } from './outbox.js'
import type { ApprovalRow, OutboxRow } from './rows.js'

const WORDS: Record<Language, Words> = {
  en: {
    gone: 'This question is no longer open.',
    unknown: (code) => `There is no open question ${code} in this chat.`,
    only: (who) =>
      who === '' ? 'Only the approvers of this room can decide this.' : `Only ${who} can decide this.`,
    decided: (label, by) => `This was already decided: ${label}, by ${by}.`,
    expired: 'This question has expired: it counts as refused.',
    choose: (ways) => `Please say what you choose: ${ways}.`,
    open: (ways) =>
      ways === '' ? 'Nothing waits for your decision here.' : `Waiting for your decision: ${ways}.`,
    or: ' or ',
  },
  zh: {
    gone: '这个问题已不再需要回答。',
    unknown: (code) => `这个群里没有待回答的问题 ${code}。`,
    only: (who) => (who === '' ? '只有这个房间的审批人可以决定。' : `只有 ${who} 可以决定。`),
    decided: (label, by) => `已经决定过了：${label}（${by}）。`,
    expired: '这个问题已过期，视为拒绝。',
    choose: (ways) => `请写明选择：${ways}。`,
    open: (ways) => (ways === '' ? '这里没有等待你决定的问题。' : `等待你的决定：${ways}。`),
    or: ' 或 ',
  },
}
interface Words {
  gone: string
  unknown(code: string): string
  only(who: string): string
  decided(label: string, by: string): string
  expired: string
  choose(ways: string): string
  open(ways: string): string
  or: string
}

/**
 * A button of a question was pressed. The button has been checked: it is of this connection, and of a post of this chat.
 */
export function decideByPress(
  room: Room,
  item: AcceptItem,
  event: InboundPress,
  pressed: { hash: string; approval: number; option: number; post: OutboxRow },
): Partial<AcceptResult> {
  const tell = (text: string): Partial<AcceptResult> => ({
    whisper: { place: event.place, to: event.author.id, text },
  })
  const words = WORDS[room.policy.language]
  const row = byId(room, pressed.approval)
  if (!row || row.turn !== pressed.post.turn || row.chat !== pressed.post.chat) return tell(words.gone)
  const no = refusal(room, row, event.author.id, item.receivedAt)
  if (no !== null) return tell(no)
  const label = optionsOf(row)[pressed.option]?.label
  if (label === undefined) return tell(words.gone)
  const { id, name } = event.author
  const at = item.receivedAt
  room.sql('UPDATE buttons SET used_at = ?, used_by = ? WHERE hash = ?').run(at, id, pressed.hash)
  decideIt(room, row, { choice: pressed.option, by: { id, name }, how: 'button', at })
  showEnd(room, row, { how: 'chosen', label, by: name }, at, event.id)
  return { ruled: [row.id], ...(row.message === null ? {} : { message: row.message }) }
}

/** Why this person may not decide it now. */
function refusal(room: Room, row: ApprovalRow, person: string, now: number): string | null {
  const words = WORDS[room.policy.language]
  if (!mayDecide(row, person))
    return words.only(
      decidersOf(room, row)
        .map((name) => safeName(name))
        .join(', '),
    )
  if (row.state === 'chosen') return words.decided(labelOf(row) ?? '', safeName(row.by_name ?? ''))
  if (row.state === 'withdrawn') return words.gone
  return row.state === 'expired' || row.expires_at <= now ? words.expired : null
}

/**
 * An answer in words. It wakes nobody. Who may not decide is told in private where the platform has that; who may, where
 * they said it.
 *
 * @param id of the line that says it
 */
export function decideByText(
  room: Room,
  item: AcceptItem,
  said: { message: InboundMessage; id: number; conversation: string; text: string },
  command: { name: string; argument: string },
): Partial<AcceptResult> {
  const { message, id, conversation } = said
  const words = WORDS[room.policy.language]
  const chat = whereabouts(room, chatKeyOf(item.connection, message.place.chat)).key
  const person = message.author.id
  const post = (op: Enqueue['op']): void => {
    enqueue(room, {
      connection: item.connection,
      chatKey: chat,
      conversation,
      turn: null,
      message: id,
      at: item.receivedAt,
      role: 'notice',
      op,
    })
  }
  const openly = (text: string): Partial<AcceptResult> => {
    post({ kind: 'note', place: message.place, replyTo: message.id, notice: { kind: 'command', text } })
    return {}
  }
  const privately = (text: string): Partial<AcceptResult> =>
    message.chat.kind === 'dm' ? openly(text) : { whisper: { place: message.place, to: person, text } }
  const { code, choice } = choiceIn(command.argument)
  if (code === null) return openly(words.open(waysOf(openFor(room, chat, person), words)))
  const row = one<ApprovalRow>(
    room.sql('SELECT * FROM approvals WHERE chat = ? AND code = ? ORDER BY id DESC LIMIT 1'),
    chat,
    code,
  )
  // Bare words may have been meant for somebody else.
  if (!row) return answerIn(said.text) === null ? openly(words.unknown(code)) : privately(words.unknown(code))
  const no = refusal(room, row, person, item.receivedAt)
  if (no !== null) return mayDecide(row, person) ? openly(no) : privately(no)
  const option = chosen(row, command.name, choice)
  if (option === null) return openly(words.choose(waysOf([row], words)))
  const by = { id: person, name: message.author.name }
  decideIt(room, row, { choice: option, by, how: 'text', at: item.receivedAt })
  showEnd(
    room,
    row,
    { how: 'chosen', label: optionsOf(row)[option]?.label ?? '', by: by.name },
    item.receivedAt,
  )
  if (item.can.operations.includes('react'))
    post({ kind: 'react', place: message.place, id: message.id, mark: 'done' })
  return { ruled: [row.id] }
}

/** By number or by label for `answer`; else the one option that approves, or denies. */
function chosen(row: ApprovalRow, name: string, choice: string): number | null {
  const options = optionsOf(row)
  if (name === 'answer') {
    const number = /^\d$/.test(choice) ? Number(choice) - 1 : -1
    if (options[number] !== undefined) return number
    const wanted = folded(choice)
    const named = options.flatMap(({ label }, index) => (folded(label) === wanted ? [index] : []))
    return named.length === 1 ? (named[0] ?? null) : null
  }
  if (choice !== '') return null
  const both = yesNo(options)
  if (both !== null) return name === 'approve' ? both.approve : both.deny
  const fitting = options.flatMap(({ deny = false }, index) => (deny === (name === 'deny') ? [index] : []))
  return fitting.length === 1 ? (fitting[0] ?? null) : null
}

function folded(text: string): string {
  return text.normalize('NFC').trim().toLowerCase()
}

function openFor(room: Room, chat: string, person: string): ApprovalRow[] {
  return all<ApprovalRow>(
    room.sql("SELECT * FROM approvals WHERE chat = ? AND state = 'open' ORDER BY id LIMIT 20"),
    chat,
  ).filter((row) => mayDecide(row, person))
}

/** What can be written to decide these. */
function waysOf(rows: readonly ApprovalRow[], words: Words): string {
  return rows
    .map((row) => {
      const options = optionsOf(row)
      const ways =
        yesNo(options) === null
          ? options.map(({ label }, index) => `\`answer ${row.code} ${index + 1}\` (${label})`)
          : [`\`approve ${row.code}\``, `\`deny ${row.code}\``]
      return ways.join(words.or)
    })
    .join(' · ')
}
