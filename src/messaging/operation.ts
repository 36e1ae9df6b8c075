/** What the core must know of an operation without looking into the platform's part of it. */
import type { Operation, OperationKind } from './contract.js'
import type { Note } from './store.js'

/** The kind that a line of Golem's own will have when it is rendered. */
export function kindOf(op: Operation | Note): OperationKind {
  return op.kind === 'note' ? (op.edits === undefined ? 'post' : 'edit') : op.kind
}

/** Marks, typing and status posts: they are about a moment, and worth nothing after it. */
export function isPassing(op: Operation | Note): boolean {
  return op.kind === 'note' ? PASSING.has(op.notice.kind) : VOLATILE.has(op.kind)
}
const VOLATILE: ReadonlySet<OperationKind> = new Set(['react', 'typing', 'draft'])
const PASSING: ReadonlySet<Note['notice']['kind']> = new Set(['working', 'waiting', 'asked'])
