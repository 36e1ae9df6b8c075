import { useQueryClient } from '@tanstack/react-query'
import type { Names } from '../model/mentions.js'
import { fetchInto } from '../state/logs.js'
import { discard, type Outgoing, tryAgain } from '../state/outgoing.js'
import { Avatar } from '../ui/Avatar.js'
import { MessageText } from './MessageText.js'

/** Messages that the daemon does not have yet. */
export function Outbox({ messages, names, me }: { messages: readonly Outgoing[]; names: Names; me: string }) {
  const client = useQueryClient()
  if (messages.length === 0) return null
  return (
    <ol className="messages outbox" aria-label="On their way">
      {messages.map((one) => (
        <li key={one.key} className="message message-going" data-failed={one.failed !== null || undefined}>
          <div className="message-side">
            <Avatar name={one.author.name} agent={false} />
          </div>
          <div className="message-body grow">
            <div className="message-head">
              <span className="message-name">{one.author.name}</span>
              <span className="message-time">{one.failed === null ? 'sending…' : 'not sent'}</span>
            </div>
            <MessageText text={one.text} names={names} me={me} />
            {one.files.length > 0 && <p className="dim">{one.files.map((file) => file.name).join(', ')}</p>}
            {one.failed !== null && (
              <div className="not-sent" role="alert">
                <span className="grow">{one.failed}</span>
                <button
                  type="button"
                  className="link"
                  onClick={() => tryAgain(one.key, (room, id) => fetchInto(client, room, id))}
                >
                  Try again
                </button>
                <button type="button" className="link" onClick={() => discard(one.key)}>
                  Discard
                </button>
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}
