import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { receipt } from '../api/core.js'
import { ApiError } from '../api/http.js'
import { isLive } from '../model/timeline.js'

/** How often an unfinished receipt is asked for, in ms. */
const POLL = 600

/** A message's receipt, kept fresh while something may still change. */
export function useReceipt(reference: string) {
  const asked = useQuery({
    queryKey: ['receipt', reference],
    queryFn: ({ signal }) => receipt(reference, signal),
    refetchInterval: (query) => (query.state.data && isLive(query.state.data) ? POLL : false),
    // The page may know of a message a moment before the core does.
    retry: (times, error) =>
      error instanceof ApiError && (error.status === 404 || error.status === 0) && times < 4,
    retryDelay: (times) => 150 * 2 ** times,
  })
  const live = asked.data !== undefined && isLive(asked.data)
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!live) return
    const timer = window.setInterval(() => setNow(Date.now()), 250)
    return () => window.clearInterval(timer)
  }, [live])
  return { ...asked, live, now }
}
