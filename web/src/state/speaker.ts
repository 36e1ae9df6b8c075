import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { people } from '../api/local.js'
import { kept, useStore } from './store.js'

/** Somebody who may speak from this page. */
export interface Person {
  id: string
  name: string
}

function person(value: unknown): Person | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name } = value as Partial<Record<keyof Person, unknown>>
  return typeof id === 'string' && id !== '' && typeof name === 'string' && name !== ''
    ? { id, name }
    : undefined
}

const YOU: Person = { id: 'You', name: 'You' }

/** People made on this page who may not have spoken yet. */
const made = kept<readonly Person[]>('golem.people', [], (stored) =>
  Array.isArray(stored) ? stored.flatMap((one) => person(one) ?? []) : undefined,
)
const current = kept<Person>('golem.speaker', YOU, person)

/** Whom the page speaks as. */
export function useSpeaker(): Person {
  return useStore(current)
}

/** Everybody whom this page may speak as: people who spoke already, and those made here. */
export function usePeople(): readonly Person[] {
  const known = useQuery({ queryKey: ['people'], queryFn: ({ signal }) => people(signal), staleTime: 30_000 })
  const here = useStore(made)
  const speaker = useStore(current)
  return useMemo(() => {
    const all = new Map<string, Person>()
    for (const one of known.data ?? [])
      if (one.kind === 'person') all.set(one.id, { id: one.id, name: one.name })
    for (const one of [...here, speaker]) if (!all.has(one.id)) all.set(one.id, one)
    return [...all.values()].sort((a, b) => a.name.localeCompare(b.name))
  }, [known.data, here, speaker])
}

export function speakAs(one: Person): void {
  current.set(one)
}

/**
 * Makes a person and speaks as them. A name that exists already is that person. As everywhere in the local rooms, a
 * name is its own id, so that somebody who spoke through the API is the same person here.
 */
export function addPerson(name: string, known: readonly Person[]): void {
  const clean = name
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/^[@＠\s]+/u, '')
    .trim()
    .slice(0, 64)
  if (clean === '') return
  const same = known.find((one) => one.name.localeCompare(clean, undefined, { sensitivity: 'accent' }) === 0)
  const one = same ?? { id: clean, name: clean }
  if (!same) made.set((old) => [...old, one])
  current.set(one)
}
