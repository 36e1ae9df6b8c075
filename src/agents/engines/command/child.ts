import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '../../../messaging/ambient.js'
import { EngineError } from '../../../messaging/engine.js'
import { STOP_GRACE } from '../../../messaging/limits.js'
import { type LineLimits, LineReader } from './lines.js'
import { spawnError } from './spawn-error.js'
import { groupEnded, groupRuns, sweep } from './sweep.js'
import { Tail } from './tail.js'

/** Bytes of error output kept for the receipt. */
export const STDERR_TAIL = 4_096
/** How long after SIGKILL its pipes may stay open before they are given up: only a process that left the group holds them. */
const PIPES_AFTER_KILL = 500
/** How often the group is asked whether it is still there. */
const GROUP_POLL = 20

/** What a turn hears of the program that works on it. */
export interface ChildListener {
  line(text: string): void
  /** Its output broke a limit or is no text. The program is being stopped. */
  fault(error: EngineError): void
  /** Nothing of the program is left. */
  closed(exit: Exit): void
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ChildPlan {
  command: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** The mark in `env` by which strays are found. */
  run: string
  limits: LineLimits
}

/**
 * One program with its process group. The group dies with it: whatever the program leaves behind is asked to end
 * (SIGTERM), and ended (SIGKILL) after STOP_GRACE.
 *
 * It never puts anything into the arguments but the configured command, and never waits for `exit` to read the output:
 * the last lines arrive before `close`, which may come later.
 */
export class Child {
  /** Settles once nothing of the program is left: pipes closed, group empty, strays ended. Never rejects. */
  readonly closed: Promise<Exit>
  #listener: ChildListener | undefined
  readonly #process: ChildProcess
  readonly #clock: Clock
  readonly #run: string
  readonly #reader: LineReader
  readonly #tail = new Tail(STDERR_TAIL)
  #exited = false
  #stopping = false
  #gone = false
  #broken = false

  private constructor(process: ChildProcess, plan: ChildPlan, clock: Clock) {
    this.#process = process
    this.#clock = clock
    this.#run = plan.run
    this.#reader = new LineReader(plan.limits)
    process.stdout?.on('data', (chunk: Buffer) => this.#read(() => this.#reader.push(chunk)))
    process.stderr?.on('data', (chunk: Buffer) => this.#tail.push(chunk))
    // A program need not read its input to the end, nor live that long (EPIPE), and pipes break when it dies.
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream?.on('error', () => {})
    process.on('error', () => {})
    this.closed = this.#untilGone()
  }

  /** @throws EngineError `spawn` or `folder` */
  static async start(plan: ChildPlan, clock: Clock): Promise<Child> {
    const [program = '', ...args] = plan.command
    let started: ChildProcess
    try {
      started = spawn(program, args, {
        cwd: plan.cwd,
        env: plan.env,
        detached: true,
        shell: false,
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      })
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve)
        started.once('error', reject)
      })
    } catch (error) {
      throw await spawnError(error, program, plan.cwd)
    }
    return new Child(started, plan, clock)
  }

  /** The program has ended or is being stopped: it takes no further turn. */
  get ended(): boolean {
    return this.#exited || this.#stopping
  }

  /** The last of its error output. */
  get lastWords(): string {
    return this.#tail.text()
  }

  /** A turn begins: its lines go to this listener and its output is counted from here. */
  attach(listener: ChildListener): void {
    this.#listener = listener
    this.#reader.restart()
    this.#tail.clear()
    if (this.#gone) void this.closed.then((exit) => listener.closed(exit))
  }

  detach(): void {
    this.#listener = undefined
  }

  /** One JSON object on its input. Harmless when the program has gone. */
  send(message: object): void {
    const stdin = this.#process.stdin
    if (stdin === null || !stdin.writable || this.#exited) return
    stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** No more input will come. */
  endInput(): void {
    this.#process.stdin?.end()
  }

  /** Asks the whole group to end, ends it after STOP_GRACE. */
  stop(): Promise<Exit> {
    if (!this.#stopping) {
      this.#stopping = true
      this.#signal('SIGTERM')
      const undo = this.#clock.at(this.#clock.now() + STOP_GRACE, () => this.#kill())
      void this.closed.then(undo)
    }
    return this.closed
  }

  #read(lines: () => string[]): void {
    if (this.#broken) return
    try {
      for (const line of lines()) this.#listener?.line(line)
    } catch (error) {
      this.#broken = true
      this.#listener?.fault(
        error instanceof EngineError
          ? error
          : new EngineError('protocol', 'The program’s output could not be read.', { cause: error }),
      )
      void this.stop()
    }
  }

  async #untilGone(): Promise<Exit> {
    const child = this.#process
    child.once('exit', () => {
      this.#exited = true
      // What the program started has no further right to run, and may hold its pipes open.
      void this.stop()
    })
    const exit = await new Promise<Exit>((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }))
    })
    this.#read(() => {
      const last = this.#reader.end()
      return last === null ? [] : [last]
    })
    await this.#groupGone()
    await sweep((run) => run === this.#run)
    this.#gone = true
    this.#listener?.closed(exit)
    return exit
  }

  /** The pipes are closed, but something in the group may live without them. */
  async #groupGone(): Promise<void> {
    const deadline = this.#clock.now() + STOP_GRACE
    const group = this.#process.pid
    while (group !== undefined && (await groupRuns(group))) {
      const now = this.#clock.now()
      if (now >= deadline) {
        this.#signal('SIGKILL')
        return groupEnded(group)
      }
      await new Promise<void>((resolve) => {
        this.#clock.at(now + GROUP_POLL, resolve)
      })
    }
  }

  #kill(): void {
    if (this.#gone) return
    this.#signal('SIGKILL')
    // A process that left the group may still hold the pipes: find it by its mark, then let go of them.
    void sweep((run) => run === this.#run)
    const undo = this.#clock.at(this.#clock.now() + PIPES_AFTER_KILL, () => {
      this.#process.stdout?.destroy()
      this.#process.stderr?.destroy()
    })
    void this.closed.then(undo)
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process.pid
    if (pid === undefined || this.#gone) return
    try {
      process.kill(-pid, signal)
    } catch {
      // Nobody is left in the group.
    }
  }
}
