/** The store's commands over a database in memory: one thread, so that a test reads like a list of events. */
import Database from 'better-sqlite3'
import type { InboundEdit, InboundMessage, InboundPress } from '../../src/messaging/contract.js'
import { parseDoc } from '../../src/messaging/doc/index.js'
import { RECEIVED_AFTER, STATUS_AFTER } from '../../src/messaging/limits.js'
import type { Policy } from '../../src/messaging/roster.js'
import type { AcceptItem, ClaimedTurn, SettleTurn } from '../../src/messaging/store.js'
import { COMMANDS } from '../../src/store/commands-table.js'
import { type Room, wrap } from '../../src/store/db.js'
import { MIGRATIONS } from '../../src/store/migrations.js'
import { message, policy, SELF, T0 } from './policy.js'

export const CAN: AcceptItem['can'] = {
  operations: ['post', 'edit', 'delete', 'react', 'upload', 'typing', 'whisper'],
  buttons: true,
  threads: true,
}

export class TestRoom {
  readonly room: Room
  now = T0
  /** What the core's timers would call, and when. */
  #later: { at: number; run: () => void }[] = []
  #event = 0

  constructor(given: Policy = policy(), boot = 'boot-1', raw = new Database(':memory:')) {
    if (raw.pragma('user_version', { simple: true }) === 0) {
      for (const step of MIGRATIONS) raw.exec(step)
      raw.pragma(`user_version = ${MIGRATIONS.length}`)
      raw.prepare("INSERT INTO meta (key, value) VALUES ('secret', 'test')").run()
    }
    this.room = { ...wrap(raw), policy: given, boot }
  }

  /** The same database in the hands of the next process. */
  reboot(boot: string): TestRoom {
    const next = new TestRoom(this.room.policy, boot, this.room.raw)
    next.now = this.now
    return next
  }

  say(text: string, change: Partial<InboundMessage> = {}) {
    return this.accept(message(text, { at: this.now, ...change }))
  }

  accept(event: AcceptItem['event'], change: Partial<AcceptItem> = {}) {
    const result = COMMANDS.accept(this.room, {
      connection: 'local',
      self: SELF,
      can: CAN,
      event,
      receivedAt: this.now,
      ...change,
    })
    const { message } = result
    if (result.awaited && message !== undefined)
      this.#in(RECEIVED_AFTER, () => COMMANDS.noteReceived(this.room, message, this.now))
    return result
  }

  /** Ann's edit of a message. */
  edit(id: string, text: string, change: Partial<InboundEdit> = {}) {
    return this.accept({
      kind: 'edit',
      event: `edit:${id}:${++this.#event}`,
      at: this.now,
      place: { chat: 'lobby' },
      author: { id: 'ann', name: 'Ann', kind: 'person' },
      id,
      doc: parseDoc(text),
      ...change,
    })
  }

  remove(id: string, by = 'ann') {
    return this.accept({
      kind: 'delete',
      event: `delete:${id}:${++this.#event}`,
      at: this.now,
      place: { chat: 'lobby' },
      author: { id: by, name: by, kind: 'person' },
      id,
    })
  }

  /** Somebody presses the button that carries this value. */
  press(value: string, by = 'ann', change: Partial<InboundPress> = {}) {
    return this.accept({
      kind: 'press',
      event: `press:${++this.#event}`,
      at: this.now,
      place: { chat: 'lobby' },
      author: { id: by, name: by, kind: 'person' },
      id: 'p',
      value,
      ...change,
    })
  }

  /** The one turn that may start now. */
  next(): ClaimedTurn {
    const [turn, second] = this.claim()
    if (!turn || second) throw new Error(`${second ? 'more than one' : 'no'} turn may start`)
    return turn
  }

  ask(turn: ClaimedTurn, teammate: string, task = 'do it') {
    return COMMANDS.ask(this.room, { turn: turn.id, teammate, task, at: this.now })
  }

  handOff(turn: ClaimedTurn, teammate: string) {
    return COMMANDS.handOff(this.room, turn.id, teammate, this.now)
  }

  recover() {
    return COMMANDS.recover(this.room, this.now)
  }

  tend() {
    return COMMANDS.tend(this.room, this.now)
  }

  claim(max = 10): ClaimedTurn[] {
    const { turns } = COMMANDS.claimTurns(this.room, { now: this.now, max })
    for (const { id } of turns) this.#in(STATUS_AFTER, () => COMMANDS.noteWorking(this.room, id, this.now))
    return turns
  }

  settle(turn: number, outcome: SettleTurn['outcome'], change: Partial<SettleTurn> = {}): void {
    COMMANDS.settleTurn(this.room, {
      turn,
      at: this.now,
      firstEventAt: this.now,
      outcome,
      operations: [],
      notices: [],
      wakes: [],
      shown: { lines: 0, characters: 0, cut: 0, memoryHash: null, template: 't', engine: 'test' },
      tools: [],
      files: [],
      ...change,
    })
  }

  /** Settles with an answer that is one post. */
  answer(turn: ClaimedTurn, text: string, change: Partial<SettleTurn> = {}): void {
    this.settle(
      turn.id,
      { state: 'settled', text },
      {
        operations: [
          {
            kind: 'post',
            place: turn.place,
            part: { text, body: { text }, mentions: [] },
            ...(turn.replyTo === null ? {} : { replyTo: turn.replyTo }),
          },
        ],
        ...change,
      },
    )
  }

  #in(ms: number, run: () => void): void {
    this.#later.push({ at: this.now + ms, run })
  }

  operations(max = 50) {
    const due = this.#later.filter(({ at }) => at <= this.now)
    this.#later = this.#later.filter(({ at }) => at > this.now)
    for (const { run } of due) run()
    return COMMANDS.claimOperations(this.room, { now: this.now, max, connections: ['local'], blocked: {} })
      .operations
  }

  /** Sends all that is ready; returns what a person would see happen. */
  deliver(): string[] {
    const seen: string[] = []
    for (;;) {
      const claimed = this.operations()
      if (claimed.length === 0) return seen
      for (const { id, op } of claimed) {
        seen.push(
          op.kind === 'note'
            ? `note ${op.notice.kind}`
            : op.kind === 'post'
              ? `post ${op.part.text}`
              : op.kind === 'react'
                ? `react ${op.mark}`
                : op.kind,
        )
        COMMANDS.recordReceipt(this.room, id, {
          state: 'sent',
          at: this.now,
          receipt: { at: this.now, id: `p${id}` },
        })
      }
    }
  }

  receipt(reference: string) {
    const receipt = COMMANDS.receipt(this.room, reference)
    if (!receipt) throw new Error(`no receipt for ${reference}`)
    return receipt
  }
}
