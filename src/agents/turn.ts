import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Question, Ruling } from '../messaging/approval.js'
import { EngineError, type EngineEvent, ToolError } from '../messaging/engine.js'
import type { LineChange } from '../messaging/line-changes.js'
import { type Agent, roomAgents } from '../messaging/roster.js'
import type { TurnEnd, TurnWork } from '../messaging/runner.js'
import type { Shown } from '../messaging/store.js'
import { showable, visibleAnswer } from '../messaging/text/index.js'
import { consume } from './consume.js'
import { workingFolder } from './files/folder.js'
import { fetchFiles, type Incoming } from './files/incoming.js'
import { Outgoing } from './files/outgoing.js'
import { inputFor } from './input.js'
import { diskCode, loggable } from './loggable.js'
import type { McpSeat } from './mcp/host.js'
import { MemoryDesk } from './memory-desk.js'
import { PROMPT_TEMPLATE } from './prompt/prompt.js'
import { noAnswer, noResult } from './sentences.js'
import type { Shop, Worker } from './shop.js'
import { ToolDesk } from './tool-desk.js'
import { sumUsage } from './usage.js'
import { hear } from './voice/hear.js'
import { type Cause, Watch } from './watch.js'

/** Previews are made no more often than this, in milliseconds: each looks at the whole text. */
const PREVIEW_EVERY = 200
/** No preview of more: a status post shows less, and each preview looks at all of it. */
const PREVIEW_CHARACTERS = 20_000
/** Longest remark of an engine on its work that is looked at. */
const NOTE_CHARACTERS = 500
/** Longest failure kept for a receipt. */
const MESSAGE_CHARACTERS = 8_000

type Result = TurnEnd['result']

/** Where and with what an engine works on this turn. */
interface Workplace {
  cwd: string
  incoming: Incoming
  outgoing: Outgoing
  memory: { path: string; text: string } | null
  skills: Shop['skills']
  /** With what is said in its voice notes. */
  turn: TurnWork['turn']
}

/** One turn, from its context to its result. Used once. */
export class TurnRun {
  readonly #work: TurnWork
  readonly #worker: Worker
  readonly #shop: Shop
  readonly #watch: Watch
  readonly #tools: ToolDesk
  readonly #memory: MemoryDesk
  readonly #roster: readonly Agent[]
  readonly #shown: Shown
  #place: Workplace | undefined
  /** Programs reach the turn's tools there. */
  #seat: McpSeat | null = null
  #usage: TurnEnd['usage']
  /** What the engine has said in this try, as it said it. */
  #text = ''
  #started = false
  /** A tool has had an effect. */
  #affected = false
  #previewAt = Number.NEGATIVE_INFINITY

  constructor(work: TurnWork, worker: Worker, shop: Shop) {
    const { turn, settings } = work
    const { clock, redactor, log, store, memory, schedules, posts } = shop
    this.#work = work
    this.#worker = worker
    this.#shop = shop
    this.#watch = new Watch(work.signal, clock, worker.limits)
    this.#roster = roomAgents(shop.policy, settings).filter((agent) => !agent.archived && !agent.hidden)
    this.#memory = new MemoryDesk(turn, shop)
    this.#shown = {
      lines: turn.lines.length,
      characters: 0,
      cut: turn.cut,
      memoryHash: null,
      template: PROMPT_TEMPLATE,
      engine: worker.engine.id,
      ...(turn.model === undefined ? {} : { model: turn.model }),
    }
    const teammates = this.#roster.filter((agent) => agent.name !== worker.name)
    this.#tools = new ToolDesk({
      scope: {
        turn,
        teammates,
        store,
        memory,
        schedules,
        posts,
        settings,
        skills: worker.program ? undefined : shop.skills,
        clock,
        decide: (question) => this.#decide(question),
        attach: (path, name) => this.#attach(path, name),
      },
      before: (writes) => this.#beforeCall(writes),
      signal: this.#watch.signal,
      clock,
      log,
      redactor,
    })
  }

  /** @param runs whether a turn is at work, this one's neighbours in the working folder among them */
  async run(runs: (turn: number) => boolean): Promise<TurnEnd> {
    let result: Result
    try {
      result = await this.#result(runs)
      if (result.kind === 'answer' || result.kind === 'silence') {
        const merged = await this.#memory.merge()
        if (merged !== null) this.#tools.calls.push(merged)
      }
    } catch (error) {
      result = this.#fault(error)
    } finally {
      this.#watch.close()
      this.#seat?.close()
      await this.#tools.close()
      await this.#memory.close()
    }
    return {
      result,
      shown: this.#shown,
      tools: this.#tools.calls,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      files: this.#place?.outgoing.files ?? [],
      refused: this.#place?.outgoing.refused ?? [],
      asked: this.#tools.asked,
    }
  }

  async #result(runs: (turn: number) => boolean): Promise<Result> {
    if (this.#watch.cause === undefined) await this.#prepare(runs)
    if (this.#watch.cause !== undefined) return this.#stopped(this.#watch.cause)
    const first = await this.#try(null)
    if (this.#watch.cause !== undefined) return this.#stopped(this.#watch.cause)
    if (first !== null) return { kind: 'answer', text: first }
    if (!this.#mustSpeak()) return this.#quiet()
    const second = await this.#try(this.#tools.used)
    if (this.#watch.cause !== undefined) return this.#stopped(this.#watch.cause)
    if (second !== null) return { kind: 'answer', text: second }
    if (!this.#awaited || this.#hasOutcome()) return this.#quiet()
    const { language } = this.#shop.policy
    return { kind: 'answer', text: this.#work.turn.ask !== null ? noResult(language) : noAnswer(language) }
  }

  async #prepare(runs: (turn: number) => boolean): Promise<void> {
    const { turn, settings, download } = this.#work
    const { dataDir, denied, secrets, log, skills, copies, transcriber, store, clock, redactor } = this.#shop
    const needed = !this.#worker.folderless || turn.files.length > 0
    const cwd = await workingFolder(settings, turn.conversation, dataDir, needed)
    const memory = await this.#memory.open(cwd, this.#worker.program, runs)
    const incoming = await fetchFiles({
      files: turn.files.map((item) => item.file),
      cwd,
      turn: turn.id,
      download,
      signal: this.#watch.signal,
      failed: (name, error) =>
        log.warn({ ...loggable(error), name, turn: turn.id }, 'a file could not be fetched'),
    })
    const heard = await hear({
      turn,
      incoming,
      transcriber,
      store,
      signal: this.#watch.signal,
      clock,
      log,
      redact: redactor.text,
    })
    this.#tools.calls.push(...heard.calls)
    this.#watch.touch()
    const folder = join(dataDir, 'outgoing', String(turn.id))
    this.#place = {
      cwd,
      incoming,
      memory,
      turn: heard.turn,
      skills: this.#worker.program ? await copies.in(cwd) : skills,
      outgoing: new Outgoing({ root: cwd, folder, denied: [dataDir, ...denied], secrets }),
    }
    this.#shown.memoryHash = memory?.hash ?? null
    if (this.#worker.program)
      this.#seat =
        this.#shop.mcp?.open({
          specs: () => this.#tools.specs(),
          call: (tool, args) => this.#call(tool, args),
        }) ?? null
  }

  /** Has the engine work on it. @returns what is posted; null for silence */
  async #try(again: readonly string[] | null): Promise<string | null> {
    const { turn } = this.#work
    const { redactor, log } = this.#shop
    const place = this.#place
    if (place === undefined) throw new Error('a turn is prepared before it is tried')
    const { input, shown } = inputFor({
      work: { turn: place.turn, settings: this.#work.settings },
      worker: this.#worker,
      shop: this.#shop,
      roster: this.#roster,
      memory: place.memory,
      incoming: place.incoming,
      skills: place.skills,
      tools: this.#tools.specs(),
      cwd: place.cwd,
      mcp: this.#seat === null ? null : { url: this.#seat.url, token: this.#seat.token },
      again,
    })
    Object.assign(this.#shown, shown)
    this.#shown.characters += input.prompt.length
    this.#text = ''
    const events = this.#worker.engine.run({
      input,
      call: (tool, args) => this.#call(tool, args),
      decide: (question) => this.#decide(question),
      changes: (lines) => this.#changes(lines),
      model: turn.model ?? null,
      cwd: place.cwd,
      signal: this.#watch.signal,
      log,
    })
    try {
      await consume(events, this.#watch, (event) => this.#on(event, place))
    } catch (error) {
      // Stopping breaks things; the cause of the stop is what is told.
      if (this.#watch.cause === undefined) throw error
    }
    return visibleAnswer(redactor.text(this.#text).trim(), { addressed: this.#awaited })
  }

  async #on(event: EngineEvent, { outgoing }: Workplace): Promise<void> {
    await this.#begin()
    switch (event.type) {
      case 'text':
        this.#text += event.text
        return this.#preview()
      case 'final':
        this.#text = event.text
        return
      case 'file':
        await outgoing.accept(event.path, event.name)
        return
      case 'usage':
        this.#usage = sumUsage(this.#usage, event, this.#shop.redactor.text)
        return
      case 'progress':
        return this.#remark(event.note)
    }
  }

  /** The first event is durable before anything comes of it. */
  async #begin(): Promise<void> {
    if (this.#started) return
    await this.#work.firstEvent()
    this.#started = true
  }

  async #beforeCall(writes: boolean): Promise<void> {
    await this.#begin()
    if (!writes || this.#affected) return
    await this.#work.effect()
    this.#affected = true
  }

  async #call(tool: string, args: unknown): Promise<unknown> {
    this.#watch.touch()
    if (this.#work.turn.ask === null) this.#work.doing({ tool })
    try {
      return await this.#tools.call(tool, args)
    } finally {
      this.#watch.touch()
    }
  }

  /** While a person thinks, the turn's own clocks stand still. */
  async #decide(question: Omit<Question, 'agent'>): Promise<Ruling> {
    await this.#begin()
    const { redactor } = this.#shop
    const resume = this.#watch.pause()
    try {
      return await this.#work.decide({
        ...question,
        agent: this.#worker.name,
        text: redactor.text(question.text),
        options: question.options.map((option) => ({ ...option, label: redactor.text(option.label) })),
      })
    } finally {
      resume()
    }
  }

  /** As a prompt would show them now: without secrets. */
  async #changes(ids: readonly string[]): Promise<LineChange[]> {
    const { store, redactor } = this.#shop
    const changes = await store.lineChanges(this.#work.turn.chatKey, ids)
    return changes.map((change) => ({ ...change, text: change.text && redactor.text(change.text) }))
  }

  async #attach(path: string, name: string | undefined): Promise<string> {
    const outcome = await this.#place?.outgoing.accept(path, name)
    if (outcome !== undefined && 'name' in outcome) return outcome.name
    throw new ToolError(`The file is not sent: ${outcome?.why ?? 'the turn has not begun'}.`)
  }

  /** A task's text goes to the asker, not to the chat. */
  #preview(): void {
    const now = this.#shop.clock.now()
    if (this.#work.turn.ask !== null || now - this.#previewAt < PREVIEW_EVERY) return
    if (this.#text.length > PREVIEW_CHARACTERS) return
    const text = showable(this.#shop.redactor.partial(this.#text), { addressed: this.#awaited })
    if (text.trim() === '') return
    this.#previewAt = now
    this.#work.progress(text)
  }

  /** What an engine says of its work: to people, so without secrets. */
  #remark(note: string | undefined): void {
    if (note === undefined || note.trim() === '' || this.#work.turn.ask !== null) return
    this.#work.doing({ note: this.#shop.redactor.text(note.slice(0, NOTE_CHARACTERS)) })
  }

  /** Somebody waits for words. */
  get #awaited(): boolean {
    return this.#work.turn.addressed || this.#work.turn.ask !== null
  }

  /** What runs again must not do again what it did. */
  get #mayHaveActed(): boolean {
    return this.#worker.engine.effects === 'recorded' ? this.#affected : this.#started
  }

  #hasOutcome(): boolean {
    const { asked, handedOff, posted } = this.#tools
    return asked.length > 0 || handedOff !== null || posted || (this.#place?.outgoing.files.length ?? 0) > 0
  }

  /** Silence is not taken where somebody waits, nor from an agent that worked with tools and forgot to tell. */
  #mustSpeak(): boolean {
    if (this.#hasOutcome()) return false
    return this.#awaited || (this.#tools.used.length > 0 && this.#text.trim() === '')
  }

  #quiet(): Result {
    if (this.#hasOutcome()) return { kind: 'answer', text: '' }
    const how = this.#text.trim() === '' ? 'gave no answer' : 'passed'
    return { kind: 'silence', reason: `${this.#worker.name} ${how}: nothing to add.` }
  }

  #stopped(cause: Cause): Result {
    if (cause.kind !== 'aborted') return { kind: 'failed', code: cause.kind, message: cause.message }
    const partial = visibleAnswer(this.#shop.redactor.text(this.#text).trim(), { addressed: this.#awaited })
    return { kind: 'aborted', reason: cause.reason, partial: partial ?? '', started: this.#mayHaveActed }
  }

  #fault(error: unknown): Result {
    const { redactor, log } = this.#shop
    const { id, agent } = this.#work.turn
    if (error instanceof EngineError) {
      log.warn({ turn: id, agent, code: error.code }, `a turn failed: ${error.message}`)
      return {
        kind: 'failed',
        code: error.code,
        message: redactor.text(error.message).slice(0, MESSAGE_CHARACTERS),
      }
    }
    const disk = diskCode(error)
    if (disk !== null && error instanceof Error) {
      const message = `Golem's own folders could not be used (${error.message}): free some disk space, or give the user that runs Golem write access to dataDir, and ask again.`
      log.warn({ turn: id, agent, code: disk }, `a turn failed: ${message}`)
      return { kind: 'failed', code: disk, message: redactor.text(message).slice(0, MESSAGE_CHARACTERS) }
    }
    // A fault of Golem or of an engine inside it. It stays with this turn, under a name it can be found by.
    const reference = randomUUID().slice(0, 8)
    log.error({ err: error, turn: id, agent, reference }, 'a turn failed inside Golem')
    const message = `Something failed inside Golem (look for ${reference} in the log): ${redactor.error(error)}`
    return { kind: 'failed', code: 'internal', message: message.slice(0, MESSAGE_CHARACTERS) }
  }
}
