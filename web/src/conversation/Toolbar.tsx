import { Popover } from '@mantine/core'
import { useState } from 'react'
import { type ChatMessage, isGolem } from '../model/message.js'
import { Icon, type IconName } from '../ui/icons.js'
import { useActions } from './actions.js'

const EMOJI = ['👍', '❤️', '😄', '🎉', '🙏', '🤔', '👎', '🚀'] as const

function Tool({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button type="button" className="tool" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} size={16} />
    </button>
  )
}

/** What can be done with the message under the pointer or the focus. */
export function Toolbar({ message, me }: { message: ChatMessage; me: string }) {
  const { open, reply, edit, remove, thread, react } = useActions()
  const own = !isGolem(message) && message.author.id === me && !message.deleted
  return (
    <div className="tools" role="toolbar" aria-label="Message">
      {react && !message.deleted && <Reactions message={message} react={react} />}
      {reply && !message.deleted && (
        <Tool icon="reply" label="Reply with a quote" onClick={() => reply(message)} />
      )}
      {thread && message.thread === null && !message.deleted && (
        <Tool icon="thread" label="Answer in a thread" onClick={() => thread(message.id)} />
      )}
      {edit && own && <Tool icon="edit" label="Edit" onClick={() => edit(message)} />}
      {remove && own && <Tool icon="trash" label="Delete" onClick={() => remove(message)} />}
      <Tool icon="receipt" label="Open the receipt" onClick={() => open(message)} />
    </div>
  )
}

function Reactions({
  message,
  react,
}: {
  message: ChatMessage
  react: (message: ChatMessage, emoji: string) => void
}) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="top-end"
      trapFocus
      withinPortal={false}
      shadow="md"
    >
      <Popover.Target>
        <button
          type="button"
          className="tool"
          aria-label="React"
          title="React"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <Icon name="smile" size={16} />
        </button>
      </Popover.Target>
      <Popover.Dropdown className="emoji-list">
        {EMOJI.map((emoji) => (
          <button
            key={emoji}
            type="button"
            className="emoji"
            aria-label={`React with ${emoji}`}
            onClick={() => {
              setOpened(false)
              react(message, emoji)
            }}
          >
            {emoji}
          </button>
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}
