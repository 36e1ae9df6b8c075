/**
 * Renders what an agent says beside its answer, and hands it to the store. What it says is in the outbox when the agent is
 * told that it was posted; the courier does the rest.
 */
import type { Clock, Logger } from './ambient.js'
import type { Place } from './contract.js'
import type { Directory, Entry } from './directory.js'
import { MemberLists, type MemberListsOptions } from './member-lists.js'
import type { Changed, PlaceView, Posted, PostStore, RoomText } from './posts.js'
import { renderAnswer } from './render.js'
import type { ClaimedTurn } from './store.js'

/** What tools are given. */
export interface PostDesk {
  post(turn: ClaimedTurn, post: { to: string | null; text: string; more: boolean }): Promise<Posted>
  places(turn: ClaimedTurn): Promise<readonly PlaceView[]>
  changeRoomText(turn: ClaimedTurn, key: RoomText, text: string | null): Promise<Changed>
}

export interface PosterOptions {
  store: PostStore & MemberListsOptions['store']
  directory: Directory
  clock: Clock
  log: Logger
  /** Takes secrets out of what is said. */
  redact(text: string): string
  /** Operations wait: called in the tick of the command that makes them. */
  operations(): void
}

export class Poster implements PostDesk {
  readonly #options: PosterOptions
  readonly #members: MemberLists

  constructor(options: PosterOptions) {
    this.#options = options
    this.#members = new MemberLists(options)
  }

  async post(
    turn: ClaimedTurn,
    { to, text, more }: { to: string | null; text: string; more: boolean },
  ): Promise<Posted> {
    const { store, directory, clock, redact, operations } = this.#options
    const key = to ?? turn.chatKey
    const colon = key.indexOf(':')
    const connection = to === null ? turn.connection : key.slice(0, colon)
    const entry = directory.get(connection)
    if (entry === undefined || colon < 1)
      return { status: 'refused', why: `There is no such place. list_places names those that there are.` }
    const place = to === null ? turn.place : { chat: key.slice(colon + 1) }
    const said = redact(text)
    const rendered = await this.#render(said, turn.agent, { chatKey: key, place }, entry)
    const posted = store.postFromTurn({
      turn: turn.id,
      at: clock.now(),
      to,
      text: said,
      operations: rendered,
      more,
    })
    operations()
    return posted
  }

  async #render(text: string, agent: string, where: { chatKey: string; place: Place }, entry: Entry) {
    const members = await this.#members.for(text, where, entry)
    const answer = { text, agent, place: where.place, replyTo: null, files: [] }
    return renderAnswer(answer, entry.platform, members, 'plain')
  }

  places(turn: ClaimedTurn): Promise<readonly PlaceView[]> {
    return this.#options.store.placesOf(turn.id)
  }

  async changeRoomText(turn: ClaimedTurn, key: RoomText, text: string | null): Promise<Changed> {
    const { store, clock, redact, operations } = this.#options
    const changed = store.changeRoomText({
      turn: turn.id,
      key,
      text: text === null ? null : redact(text),
      at: clock.now(),
    })
    operations()
    return changed
  }
}
