import { Alert, Button, Modal, Skeleton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { sentence } from '../api/http.js'
import { press, react, retract } from '../api/local.js'
import { mainLine, threadLine, threads } from '../model/log.js'
import { indexOf, nameables } from '../model/mentions.js'
import type { ChatMessage } from '../model/message.js'
import type { RoomItem } from '../model/rooms.js'
import { localId, type Route, writeRoute } from '../model/route.js'
import { draftKey, setDraft, useDraft } from '../state/drafts.js'
import { readBackTo, readOlder, takeLive, useLog } from '../state/logs.js'
import { outgoing } from '../state/outgoing.js'
import { useAgents } from '../state/rooms.js'
import { go } from '../state/route.js'
import { usePeople, useSpeaker } from '../state/speaker.js'
import { useStore } from '../state/store.js'
import { complain } from '../state/toasts.js'
import { markSeen } from '../state/unread.js'
import { Activity } from './Activity.js'
import { Actions, type MessageActions } from './actions.js'
import { Compose, startEditing, startReply } from './Compose.js'
import { FirstRun } from './FirstRun.js'
import { Header } from './Header.js'
import { MessageList } from './MessageList.js'
import { Outbox } from './Outbox.js'
import { WhisperNotes } from './WhisperNotes.js'

interface Props {
  room: RoomItem | undefined
  roomKey: string
  route: Route
}

/** The middle: one room's conversation, or one of its threads. */
export function Conversation({ room, roomKey, route }: Props) {
  const client = useQueryClient()
  const speaker = useSpeaker()
  const people = usePeople()
  const agents = useAgents(room)
  const log = useLog(roomKey)
  const local = localId(roomKey)
  const writable = local !== null && !room?.archived
  const { thread } = route
  const draftId = draftKey(roomKey, thread)
  const draft = useDraft(draftId)
  const input = useRef<HTMLTextAreaElement>(null)
  const [focus, setFocus] = useState<{ id: string; at: number } | null>(null)
  const [deleting, setDeleting] = useState<ChatMessage | null>(null)

  const names = useMemo(() => nameables(agents, people), [agents, people])
  const index = useMemo(() => indexOf(names), [names])
  const run = log.data
  const shown = useMemo(() => {
    if (run === undefined) return []
    if (thread === null) return mainLine(run)
    return threadLine(run, thread)
  }, [run, thread])
  const summaries = useMemo(
    () => (run === undefined || thread !== null ? new Map() : threads(run)),
    [run, thread],
  )
  const going = useStore(outgoing)
  const mine = useMemo(
    () => going.filter((one) => `local:${one.room}` === roomKey && one.thread === thread),
    [going, roomKey, thread],
  )

  const jump = useCallback(
    async (id: string) => {
      if (await readBackTo(client, roomKey, id)) setFocus({ id, at: Date.now() })
      else complain('Not found', new Error('That message is not in this room any more.'))
    },
    [client, roomKey],
  )

  const focusInput = useCallback(() => window.setTimeout(() => input.current?.focus(), 0), [])

  const actions = useMemo((): MessageActions => {
    const open = (message: ChatMessage) => go({ room: roomKey, thread, message: message.id })
    const none = { reply: null, edit: null, remove: null, thread: null, react: null, press: null }
    if (local === null || !writable) {
      return {
        ...none,
        open,
        jump: (id) => void jump(id),
        thread: (id) => go({ room: roomKey, thread: id, message: null }),
      }
    }
    return {
      open,
      jump: (id) => void jump(id),
      reply: (message) => {
        startReply(draftId, message)
        focusInput()
      },
      edit: (message) => {
        startEditing(draftId, message)
        focusInput()
      },
      remove: (message) => setDeleting(message),
      thread: (id) => go({ room: roomKey, thread: id, message: null }),
      react: (message, emoji) => {
        const on = !message.reactions.some(
          (one) => one.emoji === emoji && one.people.some((person) => person.id === speaker.id),
        )
        react(local, message.id, emoji, speaker, on).then(
          (changed) => takeLive(client, roomKey, changed),
          (error: unknown) => complain('The reaction was not taken', error),
        )
      },
      press: (message, value) =>
        press(local, message.id, value, speaker).catch((error: unknown) =>
          complain('Nothing was pressed', error),
        ),
    }
  }, [client, roomKey, local, writable, thread, draftId, speaker, jump, focusInput])

  // A link to a receipt shows its message too, however far back it is.
  const linked = useRef(false)
  useEffect(() => {
    if (linked.current || run === undefined) return
    linked.current = true
    if (route.message !== null && !run.messages.slice(-8).some((one) => one.id === route.message)) {
      void jump(route.message)
    }
  }, [run, route.message, jump])

  const atReceipt = useRef(route.message !== null)
  useEffect(() => {
    // Touch screens would open their keyboard over the conversation; who came for a receipt wants to read it.
    const wanted = writable && !atReceipt.current && window.matchMedia('(hover: hover)').matches
    if (wanted) input.current?.focus()
  }, [writable])

  const fill = (text: string) => {
    setDraft(draftId, { text })
    focusInput()
  }

  const empty = run !== undefined && run.messages.length === 0 && mine.length === 0
  // While something is on its way, the newest own message is not there yet: arrow up must not open an older one.
  const lastOwn =
    mine.length > 0 ? undefined : shown.findLast((one) => one.author.id === speaker.id && !one.deleted)

  return (
    <Actions value={actions}>
      <Header room={room} roomKey={roomKey} thread={thread} agents={agents} />
      {log.isError && run === undefined && (
        <div className="blank">
          <Alert color="red" title="This room cannot be shown">
            <p>{sentence(log.error)}</p>
            <Button variant="default" size="xs" onClick={() => void log.refetch()}>
              Try again
            </Button>
          </Alert>
        </div>
      )}
      {run === undefined && !log.isError && <Waiting />}
      {empty && <FirstRun agent={agents[0] ?? 'Golem'} readOnly={!writable} fill={fill} />}
      {run !== undefined && !empty && (
        <MessageList
          key={thread ?? 'main'}
          messages={shown}
          threads={summaries}
          more={run.more && thread === null}
          readMore={() => readOlder(client, roomKey).catch((error: unknown) => complain('Not read', error))}
          selected={route.message}
          focus={focus}
          hrefFor={(message) => writeRoute({ room: roomKey, thread, message: message.id })}
          names={index}
          me={speaker.id}
          label={thread === null ? `Messages in ${room?.title ?? roomKey}` : 'Messages in this thread'}
          tail={<Outbox messages={mine} names={index} me={speaker.id} />}
          tailCount={mine.length}
          onNewestSeen={(at) => markSeen(roomKey, at)}
        />
      )}
      <WhisperNotes room={roomKey} />
      <Activity room={room} roomKey={roomKey} thread={thread} />
      {writable && local !== null ? (
        <Compose
          room={local}
          title={room?.title ?? local}
          thread={thread}
          names={names}
          draft={draft}
          draftId={draftId}
          input={input}
          lastOwn={lastOwn}
          onSent={() => setFocus(null)}
        />
      ) : (
        <p className="read-only">
          {room?.archived
            ? 'This room is archived: it can be read, not written in.'
            : 'This chat lives on its own platform: it can be read here, and every message has its receipt.'}
        </p>
      )}
      <DeleteDialog
        message={deleting}
        close={() => setDeleting(null)}
        remove={(message) => {
          setDeleting(null)
          if (local === null) return
          retract(local, message.id, speaker).then(
            (changed) => takeLive(client, roomKey, changed),
            (error: unknown) => complain('The message was not deleted', error),
          )
        }}
      />
    </Actions>
  )
}

function Waiting() {
  return (
    <div className="waiting" aria-busy="true">
      <span className="sr">Loading the messages</span>
      {[70, 45, 60].map((width) => (
        <div key={width} className="waiting-row">
          <Skeleton height={34} width={34} circle />
          <Skeleton height={34} width={`${width}%`} />
        </div>
      ))}
    </div>
  )
}

interface DialogProps {
  message: ChatMessage | null
  close: () => void
  remove: (message: ChatMessage) => void
}

function DeleteDialog({ message, close, remove }: DialogProps) {
  return (
    <Modal
      opened={message !== null}
      onClose={close}
      title="Delete this message?"
      lockScroll={false}
      size={420}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p className="delete-text">{message?.text.slice(0, 300)}</p>
      <p className="dim">It disappears for everybody. A turn that it has not started yet is cancelled.</p>
      <div className="dialog-buttons">
        <Button variant="default" onClick={close}>
          Keep
        </Button>
        <Button color="red" data-autofocus onClick={() => message && remove(message)}>
          Delete
        </Button>
      </div>
    </Modal>
  )
}
