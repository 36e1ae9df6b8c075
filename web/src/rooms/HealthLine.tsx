import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { health } from '../api/core.js'
import type { Health } from '../api/wire.js'
import { connection } from '../state/live.js'
import { useStore } from '../state/store.js'

/** What is not well, a sentence a line. */
function troubles(asked: Health): string[] {
  const lines = asked.connections.flatMap((one) =>
    one.reason === null ? [] : `${one.id}: ${one.reason}${one.cure === null ? '' : ` ${one.cure}`}`,
  )
  return asked.store.reason === null ? lines : [asked.store.reason, ...lines]
}

/** One line about the daemon: reached, well, or not. */
export function HealthLine() {
  const stream = useStore(connection)
  const asked = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => health(signal),
    refetchInterval: 15_000,
    // A daemon of which nothing works says so with status 503, and keeps saying so.
    retry: false,
  })
  const broken = stream.phase === 'broken'
  const lines = asked.data ? troubles(asked.data) : []
  const [tone, text] = broken
    ? ['bad', 'Not connected']
    : asked.isError
      ? ['bad', 'Nothing works']
      : asked.data === undefined
        ? ['calm', 'Connecting']
        : asked.data.status === 'ok'
          ? ['good', 'Connected']
          : ['care', 'Something is not well']
  return (
    <Tooltip
      label={lines.length > 0 ? lines.join('\n') : `Golem ${asked.data?.version ?? ''}`}
      multiline
      maw={320}
      className="health-tip"
    >
      <span className={`health grow tone-${tone}`} role="status">
        <span className="health-dot" aria-hidden="true" />
        {text}
        <span className="sr">{lines.join(' ')}</span>
      </span>
    </Tooltip>
  )
}
