// Runs before the first paint, so that a dark page never flashes white. A file and not an inline script, because the
// console's Content-Security-Policy allows none. The key is the one the toggle in the page writes.
;(() => {
  let wanted = null
  try {
    wanted = localStorage.getItem('golem.color-scheme')
  } catch {
    // Storage may be forbidden; the system's choice is then the right one.
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
