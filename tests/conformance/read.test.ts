/** What a codec reads: anything, without throwing, and the same thing always as the same. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Inbound, SKIP_REASONS, type Skipped } from '../../src/messaging/contract.js'
import { mutated } from './kit/mutate.js'
import { runs } from './kit/runs.js'
import { SUBJECTS } from './platforms/index.js'

const KINDS = ['message', 'edit', 'delete', 'reaction', 'press', 'change', 'skipped']

/** What holds for whatever comes out. */
function sound(event: Inbound | Skipped): void {
  expect(KINDS).toContain(event.kind)
  expect(Number.isFinite(event.at)).toBe(true)
  if (event.event !== undefined) expect(event.event).not.toBe('')
  if (event.kind === 'skipped') {
    expect(SKIP_REASONS).toContain(event.reason)
    if (event.detail !== undefined) expect(event.detail.length).toBeLessThanOrEqual(500)
    return
  }
  expect(typeof event.event).toBe('string')
  expect(typeof event.place.chat).toBe('string')
  expect(event.place.chat).not.toBe('')
  if (event.place.thread !== undefined) expect(typeof event.place.thread).toBe('string')
  expect(typeof event.author.id).toBe('string')
  expect(typeof event.author.name).toBe('string')
  expect(['person', 'bot', 'self']).toContain(event.author.kind)
  if ('id' in event) expect(event.id).not.toBe('')
  if (event.kind === 'message') {
    expect(['dm', 'group']).toContain(event.chat.kind)
    for (const { id, name } of event.files ?? []) {
      expect(typeof id).toBe('string')
      expect(typeof name).toBe('string')
    }
  }
  // It crosses into the storage thread and into the database.
  expect(JSON.parse(JSON.stringify(event))).toEqual(event)
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner)
    Object.freeze(value)
  }
  return value
}

describe.each(SUBJECTS)('$platform.id reads', (subject) => {
  const { codec, can } = subject.platform
  const { samples, self } = subject
  const read = (raw: unknown, as = self) => codec.read(raw, as)

  it.each(samples)('its sample $name', ({ raw }) => {
    sound(read(frozen(structuredClone(raw))))
  })

  it('every kind of event that it declares, in its samples', () => {
    const kinds = new Set(samples.map(({ raw }) => read(raw).kind))
    for (const kind of can.events) expect([...kinds]).toContain(kind)
    for (const kind of kinds) if (kind !== 'skipped') expect(can.events).toContain(kind)
  })

  it('real payloads with something wrong in them, without throwing', () => {
    fc.assert(
      fc.property(mutated(samples.map(({ raw }) => raw)), (raw) => sound(read(raw))),
      runs(3_000),
    )
  })

  it('anything at all, without throwing', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withNullPrototype: true,
          withBigInt: true,
          withMap: true,
          withDate: true,
          withSet: true,
        }),
        (raw) => {
          const event = read(raw)
          expect(event.kind).toBe('skipped')
          sound(event)
        },
      ),
      runs(500),
    )
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    expect(read(hostile).kind).toBe('skipped')
  })

  it('a payload nested without end, and one of a megabyte, without throwing', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 5_000; level++) deep = { message: deep, event: deep }
    sound(read(deep))
    for (const { raw } of samples.slice(0, 3)) {
      sound(read({ ...(raw as object), message: deep, event: deep }))
      sound(
        read(
          JSON.parse(JSON.stringify(raw).replace(/"text":"[^"]*"/, `"text":"${'a *b '.repeat(200_000)}"`)),
        ),
      )
    }
  })

  it('the same from the same, and does not touch it', () => {
    for (const { raw } of samples) {
      const first = read(frozen(structuredClone(raw)))
      expect(read(structuredClone(raw))).toEqual(first)
    }
  })

  it('one identity for one thing, whichever account it comes to', () => {
    for (const { raw } of samples) {
      const own = read(raw)
      const renamed = read(raw, { ...self, name: 'Renamed', aliases: ['x'] })
      expect(renamed.event).toBe(own.event)
      // To another account it may be another thing: who joined, who was meant. The same thing has the same identity.
      const other = read(raw, { id: 'another', name: 'Another' })
      if (other.kind === own.kind) expect(other.event).toBe(own.event)
    }
  })

  it('different things as different', () => {
    const byEvent = new Map<string, Set<string>>()
    for (const { raw } of samples) {
      const event = read(raw)
      if (event.kind === 'skipped' || event.event === undefined) continue
      const what = `${event.kind} ${event.place.chat} ${'id' in event ? event.id : ''}`
      byEvent.set(event.event, (byEvent.get(event.event) ?? new Set()).add(what))
    }
    for (const [event, whats] of byEvent) expect([...whats], event).toHaveLength(1)
  })
})
