/** Payloads as no platform should send them: real ones with something wrong in them. */
import fc from 'fast-check'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Values that make careless code throw, hang or believe. */
const NASTY: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53 + 2,
  0.5,
  '',
  ' ',
  '../../etc/passwd',
  'line\nbreak',
  '\u0000',
  '\ud800',
  '(.*)+$',
  '__proto__',
  'constructor',
  '9'.repeat(400),
  '👩‍👩‍👧‍👦',
  [],
  [null],
  [[]],
  [{}],
  {},
  { id: null },
  { type: 'unheard-of' },
  { length: 5 },
  { toString: 'x' },
]

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
)

interface Change {
  /** Picks a place among those there are. */
  at: number
  how: 'replace' | 'remove' | 'add' | 'repeat' | 'reverse'
  value: Json
}

const changes = fc.array(
  fc.record<Change>({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat', 'reverse'),
    value,
  }),
  { minLength: 1, maxLength: 4 },
)

/** One of these payloads with one to four things changed in it. */
export function mutated(payloads: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.tuple(fc.constantFrom(...payloads), changes).map(([payload, all]) => {
    let made = structuredClone(payload) as Json
    for (const change of all) made = changed(made, change)
    return made
  })
}

interface Place {
  holder: Json[] | { [key: string]: Json }
  key: string | number
}

function placesOf(json: Json, found: Place[] = []): Place[] {
  if (typeof json !== 'object' || json === null) return found
  for (const key of Object.keys(json)) {
    const holder = json as { [key: string]: Json }
    found.push({ holder, key })
    placesOf(holder[key] as Json, found)
  }
  return found
}

function changed(json: Json, { at, how, value: given }: Change): Json {
  // A value of its own each time: one that held itself would have no end.
  const value = structuredClone(given)
  const places = placesOf(json)
  const place = places[at % Math.max(1, places.length)]
  if (place === undefined) return value
  const holder = place.holder as { [key: string]: Json }
  const old = holder[place.key]
  if (how === 'remove') delete holder[place.key]
  else if (how === 'add') holder.added = value
  else if (how === 'repeat' && Array.isArray(old)) old.push(...structuredClone(old))
  else if (how === 'reverse' && Array.isArray(old)) old.reverse()
  else holder[place.key] = value
  return json
}
