import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sentence } from '../api/http.js'
import { makeRoom } from '../api/local.js'
import { Icon } from '../ui/icons.js'

interface Props {
  opened: boolean
  close: () => void
  made: (key: string) => void
}

/** Makes a local room, or a direct conversation with Golem. */
export function NewRoom({ opened, close, made }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="New room"
      lockScroll={false}
      size={420}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && (
        <Form
          made={(key) => {
            close()
            made(key)
          }}
        />
      )}
    </Modal>
  )
}

const KINDS = [
  {
    kind: 'group',
    icon: 'hash',
    title: 'Group',
    text: 'Several people. Name an agent with @ to be answered.',
  },
  { kind: 'dm', icon: 'person', title: 'Direct', text: 'You and Golem. Every message is answered.' },
] as const

function Form({ made }: Pick<Props, 'made'>) {
  const client = useQueryClient()
  const [title, setTitle] = useState('')
  const [kind, setKind] = useState<'group' | 'dm'>('group')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const room = await makeRoom({ title: title.trim(), kind })
      await client.invalidateQueries({ queryKey: ['local-rooms'] })
      made(`local:${room.id}`)
    } catch (reason) {
      setError(sentence(reason))
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="stack">
      <TextInput
        label="Name"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        error={error}
        maxLength={100}
        placeholder="Dashboard team"
        required
        data-autofocus
      />
      <fieldset className="kinds">
        <legend className="sr">Kind of room</legend>
        {KINDS.map((one) => (
          <label key={one.kind} className="kind">
            <input type="radio" name="kind" checked={kind === one.kind} onChange={() => setKind(one.kind)} />
            <Icon name={one.icon} />
            <span>
              <strong>{one.title}</strong>
              <span className="dim">{one.text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Button type="submit" loading={busy} disabled={title.trim() === ''}>
        Make room
      </Button>
    </form>
  )
}
