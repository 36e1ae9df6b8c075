import { ActionIcon, Loader, Skeleton, Tooltip } from '@mantine/core'
import { groupRooms, policyLabel, type RoomItem } from '../model/rooms.js'
import { ROOMS, writeRoute } from '../model/route.js'
import { ago } from '../model/time.js'
import { useRoute } from '../state/route.js'
import { isUnread, useSeen } from '../state/unread.js'
import { Icon, Logo } from '../ui/icons.js'
import { ThemeToggle } from '../ui/ThemeToggle.js'
import { HealthLine } from './HealthLine.js'

interface Props {
  rooms: readonly RoomItem[]
  ready: boolean
  onSwitch: () => void
  onNew: () => void
}

const APPLE = /mac|iphone|ipad/i.test(navigator.userAgent)

/** The left pane: every room, what is unread in it, and who is at work there. */
export function RoomsPane({ rooms, ready, onSwitch, onNew }: Props) {
  const route = useRoute()
  const seen = useSeen()
  return (
    <nav className="pane-rooms" aria-label="Rooms">
      <div className="rooms-head">
        <Logo />
        <span className="brand grow">Golem</span>
        <Tooltip label="New room">
          <ActionIcon variant="subtle" color="gray" aria-label="New room" onClick={onNew}>
            <Icon name="plus" />
          </ActionIcon>
        </Tooltip>
      </div>
      <button type="button" className="rooms-search" onClick={onSwitch}>
        <Icon name="search" size={15} />
        <span className="grow">Find a room</span>
        <kbd className="only-wide">{APPLE ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <div className="rooms-list">
        {!ready && rooms.length === 0 && (
          <div className="rooms-loading">
            <Skeleton height={30} />
            <Skeleton height={30} />
            <Skeleton height={30} />
          </div>
        )}
        {groupRooms(rooms).map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h2>{group.title}</h2>
            <ul>
              {group.rooms.map((room) => (
                <li key={room.key}>
                  <Row
                    room={room}
                    current={room.key === route.room}
                    unread={room.key !== route.room && isUnread(seen, room.key, room.lastAt)}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {ready && rooms.length === 0 && <p className="dim rooms-none">No room yet. Make one with +.</p>}
      </div>
      <div className="rooms-foot">
        <HealthLine />
        <ThemeToggle />
      </div>
    </nav>
  )
}

function Row({ room, current, unread }: { room: RoomItem; current: boolean; unread: boolean }) {
  const busy = room.running + room.waiting
  return (
    <a
      className="room"
      href={writeRoute({ ...ROOMS, room: room.key })}
      aria-current={current ? 'page' : undefined}
      data-unread={unread || undefined}
    >
      <span className="room-icon">
        <Icon name={room.kind === 'dm' ? 'person' : 'hash'} size={16} />
      </span>
      <span className="room-text grow">
        <span className="room-line">
          <span className="room-title grow">{room.title}</span>
          {unread && (
            <span className="dot">
              <span className="sr">unread</span>
            </span>
          )}
          {busy > 0 && (
            <span className="room-busy" title={`${room.running} at work, ${room.waiting} waiting`}>
              {room.running > 0 ? <Loader size={11} /> : <Icon name="wait" size={13} />}
              {room.waiting > 0 && <span>{room.waiting}</span>}
              <span className="sr">{`${room.running} at work, ${room.waiting} waiting`}</span>
            </span>
          )}
        </span>
        <span className="room-line room-sub">
          <span className="room-preview grow">
            {room.preview || (room.lastAt === null ? 'Nothing said yet' : '')}
          </span>
          {room.policy !== null && room.policy !== 'mention-only' && (
            <span className="policy" data-policy={room.policy} title={policyLabel(room.policy).long}>
              {policyLabel(room.policy).short}
            </span>
          )}
          {room.lastAt !== null && <span className="room-time">{ago(room.lastAt, Date.now())}</span>}
        </span>
      </span>
    </a>
  )
}
