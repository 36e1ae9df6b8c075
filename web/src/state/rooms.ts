import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { coreRooms } from '../api/core.js'
import { rooms as localRooms, people } from '../api/local.js'
import { joinRooms, type RoomItem } from '../model/rooms.js'

/** How often the rooms of other platforms are asked for, in ms; local ones are refreshed by their stream. */
const POLL = 5_000

/** All rooms, of all platforms. `keys` changes only when a room comes or goes. */
export function useRooms(): { rooms: readonly RoomItem[]; keys: readonly string[]; ready: boolean } {
  const local = useQuery({ queryKey: ['local-rooms'], queryFn: ({ signal }) => localRooms(signal) })
  const core = useQuery({
    queryKey: ['rooms'],
    queryFn: ({ signal }) => coreRooms(signal),
    refetchInterval: POLL,
  })
  const rooms = useMemo(() => joinRooms(local.data ?? [], core.data ?? []), [local.data, core.data])
  const line = rooms.map((room) => room.key).join('\n')
  const keys = useMemo(() => (line === '' ? [] : line.split('\n')), [line])
  return { rooms, keys, ready: !local.isPending && !core.isPending }
}

/** The agents that may be named in a room. */
export function useAgents(room: RoomItem | undefined): readonly string[] {
  const { rooms } = useRooms()
  const known = useQuery({ queryKey: ['people'], queryFn: ({ signal }) => people(signal), staleTime: 30_000 })
  return useMemo(() => {
    const own = room?.members ?? []
    // A room in which nobody has spoken yet is not known to the core: it will get the agents that the others have.
    const members = own.length > 0 ? own : [...new Set(rooms.flatMap((one) => one.members))]
    const bots = (known.data ?? []).filter((one) => one.kind === 'self').map((one) => one.name)
    const named = new Set(members.map((name) => name.toLowerCase()))
    return [...members, ...bots.filter((name) => !named.has(name.toLowerCase()))]
  }, [room?.members, rooms, known.data])
}
