import { Modal, TextInput } from '@mantine/core'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { findRooms, type RoomItem } from '../model/rooms.js'
import { Icon } from '../ui/icons.js'

interface Props {
  opened: boolean
  close: () => void
  rooms: readonly RoomItem[]
  choose: (key: string) => void
}

/** Ctrl+K: type a few letters of a room's name. */
export function RoomSwitcher({ opened, close, rooms, choose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Go to a room"
      lockScroll={false}
      yOffset="12vh"
      size={460}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && (
        <Finder
          rooms={rooms}
          choose={(key) => {
            close()
            choose(key)
          }}
        />
      )}
    </Modal>
  )
}

function Finder({ rooms, choose }: Pick<Props, 'rooms' | 'choose'>) {
  const id = useId()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => findRooms(rooms, query).slice(0, 12), [rooms, query])
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      setAt((old) => (found.length === 0 ? 0 : (old + step + found.length) % found.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const room = found[at]
      if (room) choose(room.key)
    }
  }
  return (
    <>
      <TextInput
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKey}
        placeholder="Name of a room"
        aria-label="Name of a room"
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        leftSection={<Icon name="search" size={16} />}
        data-autofocus
      />
      <div className="finder" role="listbox" id={`${id}-list`} aria-label="Rooms">
        {found.map((room, index) => (
          <div
            key={room.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="finder-row"
            onMouseMove={() => setAt(index)}
            onMouseDown={(event) => {
              event.preventDefault()
              choose(room.key)
            }}
          >
            <Icon name={room.kind === 'dm' ? 'person' : 'hash'} size={16} />
            <span className="grow">{room.title}</span>
            <span className="dim mono">{room.key}</span>
          </div>
        ))}
        {found.length === 0 && <p className="dim finder-none">No room has that name.</p>}
      </div>
    </>
  )
}
