import type { Refusal } from '../subject.js'

/** What every platform refuses that numbers its messages. */
export function refusedChanges(missing: string): Refusal[] {
  return [
    {
      name: 'the edit of a message that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat, part }) => ({ kind: 'edit', place: { chat }, id: missing, part }),
    },
    {
      name: "the edit of a person's message",
      failure: { kind: 'forbidden' },
      op: ({ chat, target, part }) => ({ kind: 'edit', place: { chat }, id: target, part }),
    },
    {
      name: 'a mark on a message that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat }) => ({ kind: 'react', place: { chat }, id: missing, mark: 'done' }),
    },
  ]
}
