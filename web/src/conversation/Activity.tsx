import { useQuery } from '@tanstack/react-query'
import { queue } from '../api/core.js'
import type { QueuedTurn } from '../api/wire.js'
import type { RoomItem } from '../model/rooms.js'
import { typing } from '../state/live.js'
import { useStore } from '../state/store.js'

const POLL = 1_500

/** Who is at work and who waits, in one sentence. */
export function activity(turns: readonly QueuedTurn[], typers: readonly string[]): string {
  const working = [
    ...new Set([...typers, ...turns.filter((turn) => turn.state === 'running').map((turn) => turn.agent)]),
  ]
  const asking = turns.filter((turn) => turn.state === 'waiting-for-teammates')
  const deciding = turns.filter((turn) => turn.state === 'waiting-for-decision')
  const waiting = turns.filter((turn) => turn.state === 'queued').length
  const parts: string[] = []
  if (working.length > 0)
    parts.push(`${working.join(' and ')} ${working.length === 1 ? 'is' : 'are'} working`)
  for (const turn of asking) parts.push(`${turn.agent} waits for ${turn.waitsFor.join(', ') || 'a teammate'}`)
  for (const turn of deciding)
    parts.push(`${turn.agent} waits for a decision by ${turn.waitsFor.join(', ') || 'an approver'}`)
  if (waiting > 0) parts.push(`${waiting} waiting`)
  return parts.join(' · ')
}

/** The line above the compose box. It keeps its height, so that nothing jumps when work begins or ends. */
export function Activity({
  room,
  roomKey,
  thread,
}: {
  room: RoomItem | undefined
  roomKey: string
  thread: string | null
}) {
  const now = useStore(typing)
  const busy = (room?.running ?? 0) + (room?.waiting ?? 0) > 0
  const asked = useQuery({
    queryKey: ['queue'],
    queryFn: ({ signal }) => queue(signal),
    enabled: busy,
    refetchInterval: POLL,
  })
  const typers = now.filter((one) => one.room === roomKey && one.thread === thread).map((one) => one.name)
  const turns = busy
    ? (asked.data ?? []).filter(
        (turn) => turn.conversation === roomKey || turn.conversation.startsWith(`${roomKey}:`),
      )
    : []
  const text = activity(turns, typers)
  return (
    <div className="activity" role="status">
      {text !== '' && (
        <>
          <span className="typing-dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {text}
        </>
      )}
      {text === '' && room?.quiet && 'The agents are quiet until a person says something.'}
    </div>
  )
}
