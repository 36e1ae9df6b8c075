/** Values for tests. */
import type { Operation, Receipt, Turn } from '../api/wire.js'
import type { ChatMessage } from './message.js'

export function message(change: Partial<ChatMessage> = {}): ChatMessage {
  const id = change.id ?? '1'
  return {
    id,
    number: Number(id),
    reference: `local:lobby:${id}`,
    author: { id: 'alice', name: 'Alice', kind: 'person' },
    agent: null,
    text: 'hello',
    at: 1_700_000_000_000,
    editedAt: null,
    deleted: false,
    thread: null,
    replyTo: null,
    reactions: [],
    buttons: [],
    files: [],
    silent: false,
    outcome: null,
    ...change,
  }
}

export function turn(change: Partial<Turn> = {}): Turn {
  return {
    id: 1,
    kind: 'message',
    agent: 'Golem',
    state: 'settled',
    reason: null,
    attempts: 1,
    createdAt: 1_010,
    startedAt: 1_012,
    firstEventAt: 1_100,
    settledAt: 1_150,
    messages: ['local:lobby:1'],
    gates: [],
    shown: {
      lines: 3,
      characters: 120,
      cut: 0,
      memoryHash: null,
      template: 'turn@1',
      engine: 'offline',
    },
    tools: [],
    usage: null,
    files: [],
    operations: [],
    ...change,
  }
}

export function operation(change: Partial<Operation> = {}): Operation {
  return {
    id: 1,
    kind: 'post',
    role: 'answer',
    state: 'sent',
    attempts: 1,
    createdAt: 1_150,
    sendingAt: 1_151,
    settledAt: 1_153,
    native: '2',
    text: 'Hello!',
    failure: null,
    log: [],
    ...change,
  }
}

export function receipt(change: Partial<Receipt> = {}): Receipt {
  return {
    message: {
      id: 1,
      reference: 'local:lobby:1',
      chatKey: 'local:lobby',
      conversation: 'local:lobby',
      native: '1',
      author: { id: 'alice', name: 'Alice', kind: 'person' },
      at: 1_000,
      receivedAt: 1_005,
      text: '@Golem hello',
      editedAt: null,
      deletedAt: null,
    },
    outcome: 'answered',
    summary: 'Golem answered.',
    decision: {
      verdict: 'run',
      addressed: true,
      reason: 'mention',
      route: 'named',
      responders: ['Golem'],
      gates: [
        { gate: 'author', verdict: 'pass', saw: { kind: 'person' }, why: 'Alice is a person.' },
        { gate: 'addressed', verdict: 'pass', saw: { by: 'mention' }, why: 'The text names Golem.' },
      ],
    },
    turns: [turn({ operations: [operation()] })],
    operations: [],
    answers: [],
    ...change,
  }
}
