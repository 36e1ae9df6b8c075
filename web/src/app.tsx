import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { whenUnauthorized } from './api/http.js'
import { Conversation } from './conversation/Conversation.js'
import { ROOMS, type Route } from './model/route.js'
import { NewRoom } from './rooms/NewRoom.js'
import { RoomSwitcher } from './rooms/RoomSwitcher.js'
import { RoomsPane } from './rooms/RoomsPane.js'
import { connection, goLive } from './state/live.js'
import { useRooms } from './state/rooms.js'
import { go, useRoute } from './state/route.js'
import { useSpeaker } from './state/speaker.js'
import { useStore } from './state/store.js'
import { Announcer } from './ui/Announcer.js'
import { ConnectionBanner } from './ui/ConnectionBanner.js'
import { LogIn } from './ui/LogIn.js'
import { Toasts } from './ui/Toasts.js'

const ReceiptPane = lazy(() => import('./receipt/ReceiptPane.js'))
const LAST_ROOM = 'golem.room'

function lastRoom(): string | null {
  try {
    return localStorage.getItem(LAST_ROOM)
  } catch {
    return null
  }
}

/** Goes to the room of last time, or the first one, when the address names none. */
function useFirstRoom(keys: readonly string[]): void {
  useEffect(() => {
    const { hash } = window.location
    if ((hash === '' || hash === '#' || hash === '#/') && keys.length > 0) {
      const last = lastRoom()
      const room = [last, 'local:lobby', keys[0]].find((key) => key != null && keys.includes(key)) ?? null
      go({ ...ROOMS, room }, true)
    }
  }, [keys])
}

function Page() {
  const route = useRoute()
  const client = useQueryClient()
  const speaker = useSpeaker()
  const { rooms, keys, ready } = useRooms()
  const [switching, setSwitching] = useState(false)
  const [making, setMaking] = useState(false)
  const open = useCallback((room: string) => go({ ...ROOMS, room }), [])
  useFirstRoom(keys)
  useEffect(() => goLive(client, speaker.id), [client, speaker.id])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setSwitching(true)
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (route.room === null) return
    try {
      localStorage.setItem(LAST_ROOM, route.room)
    } catch {
      // Without storage the page begins in the first room.
    }
  }, [route.room])
  const room = rooms.find((one) => one.key === route.room)
  const view = route.room === null ? 'rooms' : route.message === null ? 'room' : 'receipt'
  return (
    <div className="shell" data-view={view}>
      <button type="button" className="skip" onClick={skipToConversation}>
        Skip to the conversation
      </button>
      <RoomsPane
        rooms={rooms}
        ready={ready}
        onSwitch={() => setSwitching(true)}
        onNew={() => setMaking(true)}
      />
      <main id="conversation" className="pane-conversation" tabIndex={-1}>
        <ConnectionBanner />
        {route.room !== null && (ready || room) ? (
          <Conversation key={route.room} room={room} roomKey={route.room} route={route} />
        ) : (
          route.room === null && ready && <Nowhere onNew={() => setMaking(true)} />
        )}
      </main>
      {route.room !== null && route.message !== null && (
        <aside className="pane-receipt" aria-label="Receipt">
          <Suspense fallback={null}>
            <ReceiptPane room={route.room} message={route.message} close={() => closeReceipt(route)} />
          </Suspense>
        </aside>
      )}
      <RoomSwitcher opened={switching} close={() => setSwitching(false)} rooms={rooms} choose={open} />
      <NewRoom opened={making} close={() => setMaking(false)} made={open} />
      <Announcer rooms={rooms} />
      <Toasts />
    </div>
  )
}

/** Back to the conversation, to the message whose receipt it was. */
function closeReceipt(route: Route) {
  go({ ...route, message: null })
  const id = CSS.escape(route.message ?? '')
  window.setTimeout(() => document.querySelector<HTMLElement>(`.message[data-id="${id}"]`)?.focus(), 0)
}

// No link: the fragment is the page's own address and no place to jump to.
function skipToConversation() {
  document.getElementById('conversation')?.focus()
}

function Nowhere({ onNew }: { onNew: () => void }) {
  return (
    <div className="blank">
      <h2>Choose a room</h2>
      <p>
        Pick one on the left, or press <kbd>Ctrl</kbd> <kbd>K</kbd> and type its name.
      </p>
      <Button variant="default" onClick={onNew}>
        Make a room
      </Button>
    </div>
  )
}

/** The console: the page, or the form in front of it. */
export function App() {
  const client = useQueryClient()
  const stream = useStore(connection)
  const [locked, setLocked] = useState(false)
  useEffect(() => whenUnauthorized(() => setLocked(true)), [])
  useEffect(() => {
    if (stream.phase === 'unauthorized') setLocked(true)
  }, [stream])
  if (!locked) return <Page />
  return (
    <LogIn
      done={() => {
        connection.set({ phase: 'connecting' })
        setLocked(false)
        void client.resetQueries()
      }}
    />
  )
}
