import { ActionIcon, Tooltip } from '@mantine/core'
import { policyLabel, type RoomItem } from '../model/rooms.js'
import { ROOMS } from '../model/route.js'
import { go } from '../state/route.js'
import { Avatar } from '../ui/Avatar.js'
import { Icon } from '../ui/icons.js'

interface Props {
  room: RoomItem | undefined
  roomKey: string
  thread: string | null
  agents: readonly string[]
}

/** Agents that are shown; the others are counted, and named where the pointer rests. */
const SHOWN = 5

/** Which room this is, how it behaves and which agents are in it. */
export function Header({ room, roomKey, thread, agents }: Props) {
  const title = room?.title ?? roomKey
  if (thread !== null) {
    return (
      <header className="head">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Back to the room"
          onClick={() => go({ room: roomKey, thread: null, message: null })}
        >
          <Icon name="back" />
        </ActionIcon>
        <div className="grow">
          <h1>Thread</h1>
          <p className="dim head-sub">in {title}</p>
        </div>
      </header>
    )
  }
  return (
    <header className="head">
      <ActionIcon
        className="only-narrow"
        variant="subtle"
        color="gray"
        aria-label="All rooms"
        onClick={() => go(ROOMS)}
      >
        <Icon name="back" />
      </ActionIcon>
      <div className="grow head-text">
        <h1>
          <span className="head-icon">
            <Icon name={room?.kind === 'dm' ? 'person' : 'hash'} size={17} />
          </span>
          <span className="head-title">{title}</span>
        </h1>
        {room?.policy && <p className="dim head-sub">{room.policyNote ?? policyLabel(room.policy).long}</p>}
      </div>
      {agents.length > 0 && (
        <Tooltip label={`Agents here: ${agents.join(', ')}`} multiline maw={280}>
          <ul className="head-agents" aria-label="Agents in this room">
            {agents.slice(0, SHOWN).map((name) => (
              <li key={name}>
                <Avatar name={name} agent size={26} />
                <span className="sr">{name}</span>
              </li>
            ))}
            {agents.length > SHOWN && (
              <li className="head-more">
                +{agents.length - SHOWN}
                <span className="sr"> more: {agents.slice(SHOWN).join(', ')}</span>
              </li>
            )}
          </ul>
        </Tooltip>
      )}
    </header>
  )
}
