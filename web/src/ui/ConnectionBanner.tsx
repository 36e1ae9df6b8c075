import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { connection } from '../state/live.js'
import { useStore } from '../state/store.js'

/** A break shorter than this is not worth a word. */
const PATIENCE = 800

/** Says that the line is broken, and that nothing is lost by it. */
export function ConnectionBanner() {
  const state = useStore(connection)
  const since = state.phase === 'broken' ? state.since : null
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (since === null) {
      setShown(false)
      return
    }
    const timer = window.setTimeout(() => setShown(true), Math.max(0, since + PATIENCE - Date.now()))
    return () => window.clearTimeout(timer)
  }, [since])
  return (
    <div className="banner-place" role="status" aria-live="polite">
      {shown && (
        <div className="banner">
          <Loader size={14} color="currentColor" />
          <span className="grow">
            Connection lost. Reconnecting; nothing that is said meanwhile will be missed.
          </span>
          <button
            type="button"
            className="link"
            onClick={() => window.dispatchEvent(new Event('golem:retry'))}
          >
            Try now
          </button>
        </div>
      )}
    </div>
  )
}
