/** `golem why`: a receipt as a timeline. Pure: the same receipt and look give the same text. */
import type { OperationView, QuestionView, ReceiptView, TurnView } from '../../messaging/views.js'
import { Page } from './page.js'
import { harmless, type Look, oneLine, type Style, styleFor } from './text.js'
import { showSpan, showTime } from './time.js'

type Gate = TurnView['gates'][number]
type Mark = '✓' | '✗' | '·'

const OUTCOMES: Record<ReceiptView['outcome'], Mark> = {
  answered: '✓',
  said: '✓',
  kept: '·',
  passed: '·',
  skipped: '·',
  read: '·',
  waiting: '·',
  running: '·',
  sending: '·',
  refused: '✗',
  failed: '✗',
  stopped: '✗',
  interrupted: '✗',
}
const VERDICTS: Record<Gate['verdict'], Mark> = { pass: '✓', stop: '✗', note: '·' }
const OPERATIONS: Record<OperationView['state'], Mark> = {
  pending: '·',
  sending: '·',
  ambiguous: '·',
  sent: '✓',
  failed: '✗',
  cancelled: '✗',
}
const TURNS: Record<TurnView['state'], Mark> = {
  queued: '·',
  running: '·',
  parked: '·',
  settled: '✓',
  passed: '·',
  failed: '✗',
  cancelled: '✗',
  interrupted: '✗',
}
/** Columns of the longest gate name. */
const GATE_WIDTH = 10

function painted(mark: Mark, style: Style): string {
  return mark === '✓' ? style.green(mark) : mark === '✗' ? style.red(mark) : style.dim(mark)
}

/** `policy: smart · addressed: false · names: Golem, Scout`, without what is empty. */
function showSaw(saw: Gate['saw']): string {
  return Object.entries(saw)
    .filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0))
    .map(
      ([name, value]) =>
        `${oneLine(name)}: ${oneLine(Array.isArray(value) ? value.join(', ') : String(value))}`,
    )
    .join(' · ')
}

/** One receipt being written. */
class Writer {
  readonly #page: Page
  readonly #style: Style

  constructor(
    private readonly receipt: ReceiptView,
    private readonly look: Look,
  ) {
    this.#page = new Page(look.width)
    this.#style = styleFor(look.colour)
  }

  write(): string {
    const { receipt } = this
    this.#head()
    this.#decision()
    // In order of time, over all of them: what befell a turn while it was at work stands before its end.
    const parts = [
      ...receipt.turns.flatMap((turn) => [
        { at: turn.createdAt, write: () => this.#begin(turn) },
        ...(turn.questions ?? []).flatMap((question) => [
          { at: question.createdAt, write: () => this.#asked(question) },
          { at: question.settledAt ?? question.createdAt, write: () => this.#decided(question) },
        ]),
        { at: turn.settledAt ?? Number.POSITIVE_INFINITY, write: () => this.#end(turn) },
      ]),
      ...[...receipt.turns.flatMap(({ operations }) => operations), ...receipt.operations].map((one) => ({
        at: one.log[0]?.at ?? one.createdAt,
        write: () => this.#operation(one),
      })),
    ]
    for (const part of parts.sort((a, b) => a.at - b.at)) part.write()
    this.#afterwards()
    return this.#page.toString()
  }

  #asked({ text, agent, options, code, createdAt }: QuestionView): void {
    const labels = options.map(oneLine).join(' · ')
    this.#page.event(this.#since(createdAt), `${oneLine(agent)} asked (${code}): ${labels}`)
    this.#page.quote(harmless(text))
  }

  #decided({ state, choice, by, how, settledAt, code }: QuestionView): void {
    if (settledAt === null) return
    const what =
      state === 'chosen'
        ? `${code}: ${oneLine(choice ?? '')}, decided by ${oneLine(by?.name ?? '')}${how === 'text' ? ', in words' : ''}`
        : state === 'expired'
          ? `${code}: nobody decided in time, so it is refused`
          : `${code}: withdrawn`
    this.#marked(this.#since(settledAt), state === 'chosen' ? '✓' : '✗', what)
  }

  /** Since the message was said. What happened before it (an agent's post hangs on the turn that made it) has a minus. */
  #since(at: number): string {
    const ms = at - this.receipt.message.at
    return ms < 0 ? `-${showSpan(-ms)}` : `+${showSpan(ms)}`
  }

  /** Colour costs no columns, so the mark is painted after the lines are broken. */
  #marked(at: string, mark: Mark, text: string): void {
    this.#page.event(at, `${mark} ${text}`, (line, first) =>
      first ? painted(mark, this.#style) + line.slice(mark.length) : line,
    )
  }

  #head(): void {
    const { message, outcome, summary, answers } = this.receipt
    const style = this.#style
    const page = this.#page
    page.line(
      `${painted(OUTCOMES[outcome], style)} ${style.bold(`Message ${message.id}`)}  ${oneLine(message.reference)}  ${style.bold(outcome)}`,
    )
    const where = message.conversation === message.chatKey ? message.chatKey : message.conversation
    page.text(
      `${oneLine(message.author.name)} (${message.author.kind}${message.author.outside ? ', of another organisation' : ''}), ${showTime(message.at, this.look)}, in ${oneLine(where)}`,
      '  ',
      style.dim,
    )
    if (message.text !== null) page.quote(harmless(message.text), '  ')
    if (answers.length > 0) page.text(`Answers ${answers.map(oneLine).join(', ')}`, '  ')
    page.line()
    page.text(oneLine(summary), '', style.bold)
    page.line()
  }

  #decision(): void {
    const { message, decision } = this.receipt
    this.#page.event(this.#since(message.receivedAt), 'durable')
    if (decision === null) return
    const who =
      decision.responders.length === 0 ? 'nobody answers' : decision.responders.map(oneLine).join(', ')
    const addressed = decision.addressed ? 'addressed' : 'not addressed'
    this.#page.event(
      '',
      `decision: ${decision.verdict} (${decision.reason}; ${addressed}; ${decision.route === 'none' ? who : `${decision.route}: ${who}`})`,
      this.#style.bold,
    )
    this.#gates(decision.gates)
  }

  #gates(gates: readonly Gate[]): void {
    for (const gate of gates) {
      this.#page.item(painted(VERDICTS[gate.verdict], this.#style), gate.gate, oneLine(gate.why), GATE_WIDTH)
      const saw = showSaw(gate.saw)
      if (saw !== '') this.#page.item(' ', '', saw, GATE_WIDTH)
    }
  }

  #begin(turn: TurnView): void {
    const page = this.#page
    const agent = oneLine(turn.agent)
    const kind = turn.kind === 'message' ? '' : ` (${turn.kind})`
    page.event(this.#since(turn.createdAt), `turn ${turn.id}${kind}: queued for ${agent}`, this.#style.bold)
    this.#gates(turn.gates)
    if (turn.startedAt !== null) {
      const again = turn.attempts > 1 ? ` (attempt ${turn.attempts})` : ''
      page.event(this.#since(turn.startedAt), `${agent} started${again}${this.#shown(turn)}`)
    }
    if (turn.firstEventAt !== null)
      page.event(this.#since(turn.firstEventAt), 'first sign of life from the engine')
    for (const tool of turn.tools) {
      const note = tool.note === '' ? '' : `: ${oneLine(tool.note)}`
      this.#marked(this.#since(tool.at), tool.ok ? '✓' : '✗', `${oneLine(tool.name)}${note}`)
    }
  }

  #end(turn: TurnView): void {
    const page = this.#page
    for (const { name, refused } of turn.files)
      page.event(
        '',
        refused === undefined
          ? `file ${oneLine(name)}`
          : `file ${oneLine(name)} not sent: ${oneLine(refused)}`,
      )
    if (turn.previews !== undefined) {
      const { edits, drafts, at } = turn.previews
      const times = edits + drafts === 1 ? 'once' : `${edits + drafts} times`
      const where =
        drafts === 0 ? 'in its status post' : edits === 0 ? 'as a draft' : 'as a draft and in its status post'
      page.event(this.#since(at), `the text so far was shown ${times}, ${where}; this was the last`)
    }
    const reason = turn.reason === null ? '' : `: ${oneLine(turn.reason)}`
    const settled = turn.settledAt === null ? '' : this.#since(turn.settledAt)
    this.#marked(settled, TURNS[turn.state], `turn ${turn.id} ${turn.state}${reason}${this.#usage(turn)}`)
  }

  #shown({ shown }: TurnView): string {
    if (shown === null) return ''
    const fit = shown.budget === undefined ? '' : ` to fit ${shown.budget} tokens`
    const cut = shown.cut > 0 ? `, ${shown.cut} older ones left out${fit}` : ''
    const model = shown.model === undefined ? '' : ` with ${oneLine(shown.model)}, as people chose`
    const short = shown.memoryCut === undefined ? '' : ` (${shown.memoryCut} characters left out)`
    const memory = shown.memoryHash === null ? 'no memory' : `memory ${shown.memoryHash.slice(0, 8)}${short}`
    const facts = shown.facts === undefined ? '' : `, ${shown.facts} ${shown.facts === 1 ? 'fact' : 'facts'}`
    return `: engine ${oneLine(shown.engine)}${model}, shown ${shown.lines} ${shown.lines === 1 ? 'line' : 'lines'} (${shown.characters} characters${cut}), ${memory}${facts}, template ${oneLine(shown.template)}`
  }

  #usage({ usage }: TurnView): string {
    if (usage === null) return ''
    const { inputTokens, outputTokens, cachedTokens = 0, costUsd, model, note } = usage
    const by = model === undefined ? '' : `${oneLine(model)}: `
    const cached = cachedTokens === 0 ? '' : ` (${cachedTokens} of them cached)`
    const cost = costUsd === undefined ? '' : `, $${costUsd.toFixed(4)}`
    const before = note === undefined ? '' : `; before: ${oneLine(note)}`
    return ` (${by}${inputTokens} tokens in${cached}, ${outputTokens} out${cost}${before})`
  }

  #operation(operation: OperationView): void {
    const page = this.#page
    const what = `${operation.role} (${operation.kind})`
    const settledAt = operation.settledAt
    // The last step of its log is the state it is in, which has a line of its own below.
    const steps = operation.log.filter(({ at }) => at !== settledAt)
    if (steps.length === 0) page.event(this.#since(operation.createdAt), what)
    for (const { at, what: step } of steps) page.event(this.#since(at), `${what}: ${oneLine(step)}`)
    const native = operation.native === null ? '' : ` as ${oneLine(operation.native)}`
    const attempts = operation.attempts > 1 ? ` after ${operation.attempts} attempts` : ''
    const failure = operation.failure === null ? '' : `: ${oneLine(operation.failure)}`
    const settled = settledAt === null ? '' : this.#since(settledAt)
    this.#marked(settled, OPERATIONS[operation.state], `${operation.state}${native}${attempts}${failure}`)
    if (operation.text !== null && operation.text !== '') page.quote(harmless(operation.text))
  }

  #afterwards(): void {
    const { message } = this.receipt
    if (message.editedAt !== null) this.#page.event(this.#since(message.editedAt), 'the message was edited')
    if (message.deletedAt !== null)
      this.#page.event(
        this.#since(message.deletedAt),
        'the message was deleted; its text is gone from here too',
      )
  }
}

/** What happened to a message, in order, with every gate's input and verdict and what people see. */
export function formatReceipt(receipt: ReceiptView, look: Look): string {
  return new Writer(receipt, look).write()
}
