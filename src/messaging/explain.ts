/**
 * A receipt in a few lines of plain text, for the person who asks `/why` in a chat. Gates and states only: what an
 * agent's program said when it failed may hold paths and secrets, and belongs to `golem why`.
 */
import type { GateName } from './decision.js'
import type { Language } from './roster.js'
import { safeLine, safeName } from './text/index.js'
import type { OperationView, QuestionView, ReceiptView, TurnView } from './views.js'

type Outcome = ReceiptView['outcome']
type Gate = NonNullable<ReceiptView['decision']>['gates'][number]

interface Words {
  outcome: Record<Outcome, (agents: string) => string>
  /** Label of a gate. */
  gate: Record<GateName, string>
  /** What a gate that stopped says, where the language is not the one receipts are written in. */
  stopped: Partial<Record<GateName, string>>
  turn: Record<TurnView['state'], string>
  question: {
    open: (code: string) => string
    chosen: (choice: string, by: string) => string
    expired: string
    withdrawn: string
  }
  failedPost: string
  unsurePost: string
  /** Sent as often as it may be, and nobody ever said whether it stands. */
  neverKnown: string
  /** The platform asked to wait, or allows only so much. */
  heldPost: string
  closedChat: string
  toldDirectly: string
  retried: (attempts: number) => string
  edited: string
  deleted: string
  near: (names: string) => string
  receipt: (id: number) => string
  nobody: string
  and: string
  colon: string
}

const EN: Words = {
  outcome: {
    kept: () => 'Not answered: kept as context for later.',
    refused: () => 'Not taken.',
    waiting: (agents) => `Waiting: ${agents} will answer when it is its turn.`,
    running: (agents) => `${agents} is working on it.`,
    sending: (agents) => `${agents} has answered; the post is on its way.`,
    answered: (agents) => `Answered by ${agents}.`,
    passed: (agents) => `${agents} read it and had nothing to add.`,
    failed: (agents) => `${agents} could not finish this.`,
    stopped: (agents) => `Stopped before ${agents} was done.`,
    interrupted: (agents) => `${agents} was interrupted and is not run again by itself.`,
    skipped: () => 'Not something Golem reads.',
    said: (agents) => `Said by ${agents}.`,
    read: () => 'Read back from the chat as context: it was said while Golem was not listening.',
  },
  gate: {
    schedule: 'schedule',
    author: 'author',
    access: 'access',
    bounds: 'queue',
    addressed: 'addressed',
    account: 'account',
    policy: 'policy',
    'smart-gate': 'smart gate',
    responders: 'who answers',
    'max-turns': 'turns of bots',
    admit: 'start',
    history: 'earlier lines',
  },
  stopped: {},
  turn: {
    queued: 'waiting',
    running: 'at work',
    parked: 'waits for a decision',
    settled: 'done',
    passed: 'silent',
    failed: 'failed',
    cancelled: 'stopped',
    interrupted: 'interrupted',
  },
  question: {
    open: (code) => `question ${code} waits for a decision`,
    chosen: (choice, by) => `question decided by ${by}: ${choice}`,
    expired: 'question: nobody decided in time, so it was refused',
    withdrawn: 'question: withdrawn',
  },
  failedPost: 'the post could not be delivered',
  unsurePost: 'it is not known yet whether the post arrived',
  neverKnown: 'sent, but the platform never said whether it arrived',
  heldPost: 'the post waits: the platform allows only so many in a while',
  closedChat: 'the bot may not post in this chat',
  toldDirectly: 'whoever asked was told in a direct message',
  retried: (attempts) => `${attempts} attempts`,
  edited: 'It was edited afterwards.',
  deleted: 'It was deleted afterwards.',
  near: (names) => `Close, but no mention: ${names}.`,
  receipt: (id) => `Receipt ${id}: golem why ${id}`,
  nobody: 'nobody',
  and: ' and ',
  colon: ': ',
}

const ZH: Words = {
  outcome: {
    kept: () => '未回答：仅作为上下文保留。',
    refused: () => '未受理。',
    waiting: (agents) => `排队中：轮到后由${agents}回答。`,
    running: (agents) => `${agents}正在处理。`,
    sending: (agents) => `${agents}已作答，正在发送。`,
    answered: (agents) => `${agents}已回答。`,
    passed: (agents) => `${agents}看过了，没有需要补充的。`,
    failed: (agents) => `${agents}未能完成。`,
    stopped: (agents) => `已停止，${agents}没有做完。`,
    interrupted: (agents) => `${agents}处理时被中断，不会自动重做。`,
    skipped: () => '这不是 Golem 会读取的内容。',
    said: (agents) => `这是${agents}说的。`,
    read: () => '从聊天记录中读回，仅作为上下文：当时 Golem 不在线。',
  },
  gate: {
    schedule: '定时任务',
    author: '发言者',
    access: '访问权限',
    bounds: '队列',
    addressed: '是否点名',
    account: '账号',
    policy: '群策略',
    'smart-gate': '预判',
    responders: '由谁回答',
    'max-turns': '连续发言',
    admit: '开始处理',
    history: '更早的消息',
  },
  stopped: {
    author: '这是机器人自己发的消息。',
    access: '此人或此群不在允许范围内。',
    bounds: '排队的消息已满。',
    addressed: '没有点名机器人。',
    policy: '没有被点名，按本群策略只作为上下文保留。',
    account: '由另一个账号回答。',
    'smart-gate': '判断为不需要回答。',
    responders: '没有可以回答的成员。',
    'max-turns': '机器人连续发言已达上限，等有人说话后再回答。',
    admit: '轮到它时条件已变，没有开始处理。',
  },
  turn: {
    queued: '排队中',
    running: '处理中',
    parked: '等待决定',
    settled: '已完成',
    passed: '保持安静',
    failed: '失败',
    cancelled: '已停止',
    interrupted: '被中断',
  },
  question: {
    open: (code) => `问题 ${code} 等待决定`,
    chosen: (choice, by) => `问题由 ${by} 决定：${choice}`,
    expired: '问题：无人在期限内决定，视为拒绝',
    withdrawn: '问题：已撤回',
  },
  failedPost: '消息未能送达',
  unsurePost: '尚不确定消息是否送达',
  neverKnown: '已发送，但平台始终未确认是否送达',
  heldPost: '消息在等待：平台限制发送频率',
  closedChat: '机器人无法在这个群里发言',
  toldDirectly: '已通过私信告知提问者',
  retried: (attempts) => `尝试 ${attempts} 次`,
  edited: '这条消息之后被编辑过。',
  deleted: '这条消息之后被删除了。',
  near: (names) => `接近但不是点名：${names}。`,
  receipt: (id) => `回执 ${id}：golem why ${id}`,
  nobody: '无人',
  and: '、',
  colon: '：',
}

const MARKS: Record<Gate['verdict'], string> = { pass: '✓', stop: '✗', note: '·' }

/** Agents by name, each once, in order of appearance. */
function agentsOf(receipt: ReceiptView, words: Words): string {
  const { message, decision, turns } = receipt
  const names =
    receipt.outcome === 'said'
      ? [message.author.name]
      : turns.length > 0
        ? turns.filter(({ kind }) => kind !== 'ask').map(({ agent }) => agent)
        : (decision?.responders ?? [])
  const unique = [...new Set(names)]
  return unique.length === 0 ? words.nobody : unique.join(words.and)
}

function gateLine(gate: Gate, words: Words, language: Language): string {
  const own = gate.verdict === 'stop' ? words.stopped[gate.gate] : undefined
  const why =
    language === 'en' ? `${words.colon}${gate.why}` : own === undefined ? '' : `${words.colon}${own}`
  return `${MARKS[gate.verdict]} ${words.gate[gate.gate]}${why}`
}

function nearMisses(gates: readonly Gate[]): string[] {
  const saw = gates.find(({ gate }) => gate === 'addressed')?.saw['near misses']
  return Array.isArray(saw) ? saw.map((name) => `@${name}`) : []
}

function postLine({ kind, state, attempts, failure }: OperationView, words: Words): string | null {
  const tries = attempts > 1 ? ` (${words.retried(attempts)})` : ''
  if (kind === 'note may-not-post' && state === 'sent') return `✓ ${words.toldDirectly}`
  if (state === 'failed') return `✗ ${whyFailed(failure, words)}${tries}`
  if (state === 'ambiguous') return `· ${words.unsurePost}${tries}`
  if (state === 'pending' && (failure === 'busy' || failure === 'rate-limited')) return `· ${words.heldPost}`
  return null
}

function whyFailed(failure: string | null, words: Words): string {
  if (failure === 'forbidden') return words.closedChat
  return failure === 'ambiguous' ? words.neverKnown : words.failedPost
}

function turnLine(turn: TurnView, words: Words): string {
  const done = turn.state === 'settled' || turn.state === 'passed'
  const open = turn.state === 'queued' || turn.state === 'running' || turn.state === 'parked'
  return `${done ? '✓' : open ? '·' : '✗'} ${turn.agent}${words.colon}${words.turn[turn.state]}`
}

function questionLine({ state, choice, by, code }: QuestionView, words: Words): string {
  switch (state) {
    case 'chosen':
      return `✓ ${words.question.chosen(safeLine(choice ?? '', 40), safeName(by?.name ?? ''))}`
    case 'open':
      return `· ${words.question.open(code)}`
    default:
      return `✗ ${words.question[state]}`
  }
}

/**
 * What became of a message, and which gate decided it. Plain text without markup; at most some ten short lines.
 *
 * @param language of everything but names; gates are worded in English only for `en`
 */
export function explain(receipt: ReceiptView, language: Language = 'en'): string {
  const words = language === 'zh' ? ZH : EN
  const { message, decision, turns, operations } = receipt
  const gates = decision?.gates ?? []
  const near = nearMisses(gates)
  const posts = [...turns.flatMap((turn) => turn.operations), ...operations]
  return [
    words.outcome[receipt.outcome](agentsOf(receipt, words)),
    ...gates.map((gate) => gateLine(gate, words, language)),
    ...(language !== 'en' && near.length > 0 ? [words.near(near.join(words.and))] : []),
    ...turns.flatMap((turn) => [
      turnLine(turn, words),
      ...(turn.questions ?? []).map((question) => questionLine(question, words)),
    ]),
    ...posts.flatMap((post) => postLine(post, words) ?? []),
    ...(message.deletedAt !== null ? [words.deleted] : message.editedAt !== null ? [words.edited] : []),
    words.receipt(message.id),
  ].join('\n')
}
