/**
 * Runs commands, many in one transaction. It never waits and never touches anything but its database: the worker
 * thread wraps it, tests call it directly.
 */
import type Database from 'better-sqlite3'
import {
  type Batch,
  type CommandName,
  type In,
  type Out,
  Refused,
  type Reply,
  type Request,
} from '../protocol.js'
import { botDelete, botEdit, botMark, botPost, posted } from './bot-say.js'
import { Context } from './context.js'
import { amend, mark, press, retract, say } from './people-say.js'
import {
  addFile,
  delivered,
  file,
  forgetFiles,
  history,
  log,
  message,
  messages,
  probe,
  undelivered,
} from './read-back.js'
import { changeRoom, listPeople, listRooms, makeRoom, prepare } from './rooms.js'
import { messageView, roomView } from './views.js'

type Run<N extends CommandName> = (ctx: Context, input: In<N>) => Out<N>

const COMMANDS: { [N in CommandName]: Run<N> } = {
  prepare,
  makeRoom,
  changeRoom,
  rooms: listRooms,
  room: (ctx, input) => roomView(ctx, ctx.room(input.id)),
  people: listPeople,
  say,
  amend,
  retract,
  mark,
  press,
  messages,
  history,
  message,
  addFile,
  file,
  forgetFiles,
  probe,
  botPost,
  botEdit,
  botDelete,
  botMark,
  posted,
  delivered,
  undelivered,
  log,
}

export class Store {
  #ctx: Context

  constructor(
    private readonly db: Database.Database,
    logKept?: number,
  ) {
    this.#ctx = new Context(db, { message: messageView, room: roomView }, logKept)
  }

  /** All the steps, one commit. A step that is refused is undone alone; a commit that fails fails them all. */
  run(requests: readonly Request[]): Batch {
    try {
      return this.#commit(requests, (request) => this.#step(request))
    } catch {
      // Hardly ever: a savepoint for each step would cost a quarter of its time, so only now does each get one.
      this.#undo()
    }
    try {
      return this.#commit(requests, (request) => this.#guarded(request))
    } catch (error) {
      this.#undo()
      const { code, message } = failure(error)
      return {
        replies: requests.map(({ id }) => ({ id, ok: false, failed: code, message })),
        events: [],
        deliveries: [],
      }
    }
  }

  #commit(requests: readonly Request[], one: (request: Request) => Reply): Batch {
    this.#ctx.run('begin')
    const replies = requests.map(one)
    this.#ctx.run('commit')
    return { replies, ...this.#ctx.take() }
  }

  #undo(): void {
    if (this.db.inTransaction) this.#ctx.run('rollback')
    this.#ctx.take()
  }

  close(): void {
    this.db.close()
  }

  #step({ id, name, input }: Request): Reply {
    // The table's type ties each name to its input; only the pair of a request is not known to be one.
    const command = COMMANDS[name] as (ctx: Context, input: unknown) => unknown
    return { id, ok: true, output: command(this.#ctx, input) }
  }

  #guarded(request: Request): Reply {
    const ctx = this.#ctx
    const { id } = request
    const told = ctx.told()
    ctx.run('savepoint step')
    try {
      const reply = this.#step(request)
      ctx.run('release step')
      return reply
    } catch (error) {
      // A full disk makes SQLite undo the whole transaction by itself: then no step of the batch may claim success.
      if (!this.db.inTransaction) throw error
      ctx.run('rollback to step')
      ctx.run('release step')
      ctx.untell(told)
      if (error instanceof Refused) return { id, ok: false, refused: error.code, message: error.message }
      const { code, message } = failure(error)
      return { id, ok: false, failed: code, message }
    }
  }
}

/** SQLite's code where there is one. */
export function failure(error: unknown): { code: string; message: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
  return { code, message: error instanceof Error ? error.message : String(error) }
}
