import { useMemo, useSyncExternalStore } from 'react'
import { type Route, readRoute, writeRoute } from '../model/route.js'

function subscribe(run: () => void): () => void {
  window.addEventListener('hashchange', run)
  window.addEventListener('popstate', run)
  return () => {
    window.removeEventListener('hashchange', run)
    window.removeEventListener('popstate', run)
  }
}

/** Where the page is. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  return useMemo(() => readRoute(hash), [hash])
}

/** Goes there. `replace`: Back does not come here again. */
export function go(route: Route, replace = false): void {
  const hash = writeRoute(route)
  if (window.location.hash === hash) return
  if (replace) {
    window.history.replaceState(null, '', hash)
    window.dispatchEvent(new PopStateEvent('popstate'))
  } else {
    window.location.hash = hash
  }
}
