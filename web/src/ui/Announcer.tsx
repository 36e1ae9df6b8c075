import { VisuallyHidden } from '@mantine/core'
import { useEffect } from 'react'
import type { RoomItem } from '../model/rooms.js'
import { announced } from '../state/live.js'
import { useRoute } from '../state/route.js'
import { useStore } from '../state/store.js'
import { isUnread, useSeen } from '../state/unread.js'

/** Reads new messages out to a screen reader, and counts unread rooms in the page's title. */
export function Announcer({ rooms }: { rooms: readonly RoomItem[] }) {
  const news = useStore(announced)
  const route = useRoute()
  const seen = useSeen()
  const unread = rooms.filter(
    (room) => room.key !== route.room && isUnread(seen, room.key, room.lastAt),
  ).length
  const title = rooms.find((room) => room.key === route.room)?.title
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title ? `${title} · ` : ''}Golem`
  }, [unread, title])
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="announcer">
      {news !== null && news.room === route.room ? news.text : ''}
    </VisuallyHidden>
  )
}
