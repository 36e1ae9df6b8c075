import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Nearer to the end than this, in pixels, counts as being at the end. */
const NEAR = 60

export interface Stick {
  atEnd: boolean
  /** Messages that came while the reader was elsewhere. */
  fresh: number
  toEnd(): void
}

/**
 * Keeps a list at its end while the reader is there, and where it is while they read elsewhere: new lines at the end
 * do not move it, and older ones put in front do not either.
 */
export function useStick(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  first: string | undefined,
  count: number,
): Stick {
  const stuck = useRef(true)
  const [atEnd, setAtEnd] = useState(true)
  const [fresh, setFresh] = useState(0)
  const before = useRef({ first, count, height: 0 })

  const toEnd = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    stuck.current = true
    box.scrollTop = box.scrollHeight
    setAtEnd(true)
    setFresh(0)
  }, [scroller])

  useLayoutEffect(() => {
    const box = scroller.current
    if (box === null) return
    const old = before.current
    const prepended = old.first !== undefined && first !== old.first && count > old.count
    if (stuck.current) box.scrollTop = box.scrollHeight
    else if (prepended) box.scrollTop += box.scrollHeight - old.height
    else if (count > old.count) setFresh((n) => n + count - old.count)
    before.current = { first, count, height: box.scrollHeight }
  }, [scroller, first, count])

  useEffect(() => {
    const [box, inner] = [scroller.current, content.current]
    if (box === null || inner === null) return
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR
      stuck.current = near
      setAtEnd(near)
      if (near) setFresh(0)
    }
    const follow = new ResizeObserver(() => {
      if (stuck.current) box.scrollTop = box.scrollHeight
      before.current.height = box.scrollHeight
    })
    follow.observe(inner)
    follow.observe(box)
    box.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      follow.disconnect()
      box.removeEventListener('scroll', onScroll)
    }
  }, [scroller, content])

  return { atEnd, fresh, toEnd }
}
