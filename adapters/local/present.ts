/** What the store knows -> what the API says: links are added, and every optional field is there or not at all. */
import type { ConnectionId } from '../../src/messaging/contract.js'
import type { FileView, LogEvent, MessageView, RoomView } from './protocol.js'

export class Presenter {
  constructor(private readonly connection: ConnectionId) {}

  /** Where this connection's API is mounted. */
  get mount(): string {
    return `/api/${this.connection}`
  }
  receipt(room: string, id: string): string {
    return `/api/messages/${this.connection}:${room}:${id}/receipt`
  }
  file(view: FileView): object {
    const { id, name, mime, bytes } = view
    return { id, name, mime, bytes, url: `${this.mount}/files/${id}` }
  }
  message(view: MessageView): object {
    return {
      ...view,
      files: view.files.map((file) => this.file(file)),
      receipt: this.receipt(view.room, view.id),
    }
  }
  room(view: RoomView): object {
    return { ...view, key: `${this.connection}:${view.id}` }
  }
  event(event: LogEvent): object {
    return event.type === 'room' ? this.room(event.data as RoomView) : this.message(event.data as MessageView)
  }
}
