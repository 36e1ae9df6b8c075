import { whispers } from '../state/live.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'

/** Notes that only the reader may see. They are not kept: closed, they are gone. */
export function WhisperNotes({ room }: { room: string }) {
  const notes = useStore(whispers).filter((note) => note.room === room)
  if (notes.length === 0) return null
  return (
    <div className="whispers" role="status">
      {notes.map((note) => (
        <div key={note.id} className="whisper">
          <Icon name="eye" size={15} />
          <span className="grow">
            <span className="dim">Only you can see this. </span>
            {note.text}
          </span>
          <button
            type="button"
            className="tool"
            aria-label="Close the note"
            onClick={() => whispers.set((old) => old.filter((one) => one.id !== note.id))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}
