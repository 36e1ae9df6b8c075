/**
 * What a person sees of one turn while it works: that somebody types, a status post with a Stop button when it takes its
 * time, and in that post (or in a draft, where the platform has such a thing) the text as it grows.
 *
 * All of it is worth nothing when the answer is there: previews are no outbox rows, are never tried again, take only
 * what is left of the write budgets, and stop before anything else does.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Write } from './budget.js'
import { type Button, type ConnectionId, type Operation, type Place, PlatformFailure } from './contract.js'
import type { Courier } from './courier.js'
import type { Entry } from './directory.js'
import { DRAFT_AFTER, PREVIEW_AFTER, STATUS_AFTER } from './limits.js'
import { renderNote, standing } from './note.js'
import { type Doing, previewPart } from './preview.js'
import type { Language, ReplyStyle } from './roster.js'
import type { ClaimedOperation, ClaimedTurn, Previews } from './store.js'
import { failureOf } from './trial.js'
import { showTyping } from './typing.js'

export interface ProgressOptions {
  courier: Pick<Courier, 'holds' | 'late' | 'freeAt' | 'spend'>
  clock: Clock
  log: Logger
  language: Language
  style: ReplyStyle
  /** Connections that refused a draft: they are shown none any more. */
  draftless: Set<ConnectionId>
  /** The turn takes its time: it is to have a status post. `speaks`: also one that nobody asked for, if it has words. */
  working(turn: ClaimedTurn, speaks: boolean): void
}

/** A status post that stands, and what is in it besides words. */
interface Status {
  place: Place
  id: string
  buttons: readonly Button[]
}

type Preview = Extract<Operation, { kind: 'edit' | 'draft' }>

export class Progress {
  readonly #turn: ClaimedTurn
  readonly #entry: Entry | undefined
  readonly #options: ProgressOptions
  /** Where the answer will stand. */
  readonly #place: Place
  readonly #undo = new Set<() => void>()
  #ended = false
  /** It is known that words will be said. */
  #speaks: boolean
  #overdue = false
  #status: Status | null = null
  #text = ''
  #doing: Doing = {}
  /** What was shown last, when, and when the next may follow. */
  #shown = ''
  #shownAt: Millis = Number.NEGATIVE_INFINITY
  #timer: (() => void) | null = null
  #repeats = false
  #onItsWay = false
  #made: { edits: number; drafts: number } = { edits: 0, drafts: 0 }

  constructor(turn: ClaimedTurn, entry: Entry | undefined, options: ProgressOptions) {
    const { clock, style } = options
    this.#turn = turn
    this.#entry = entry
    this.#options = options
    // What a schedule runs, nobody waits for.
    this.#speaks = turn.addressed && turn.kind !== 'schedule'
    const { place, replyTo } = turn
    this.#place = entry ? standing(place, replyTo ?? undefined, entry.platform, style).place : place
    if (this.#speaks) this.#type()
    this.#undo.add(
      clock.at(clock.now() + STATUS_AFTER, () => {
        this.#overdue = true
        if (this.#speaks) options.working(turn, turn.addressed === false)
      }),
    )
  }

  /** The text so far, which will not become silence any more. From here on also what nobody asked for is shown. */
  text(text: string): void {
    if (this.#ended) return
    this.#text = text
    if (!this.#speaks) {
      this.#speaks = true
      this.#type()
      if (this.#overdue) this.#options.working(this.#turn, true)
    }
    this.#next()
  }

  /** What it does now, besides writing. */
  doing(doing: Doing): void {
    if (this.#ended) return
    const { asking } = this.#doing
    this.#doing = { ...doing, ...(asking === undefined ? {} : { asking }) }
    this.#next()
  }

  /** It waits for a person's decision, from now on; null: no longer. */
  asking(name: string | null): void {
    if (this.#ended) return
    const { asking: _, ...doing } = this.#doing
    this.#doing = { ...doing, ...(name === null ? {} : { asking: name }) }
    this.#next()
  }

  /** Its status post stands in the chat. */
  standing({ op, tokens }: ClaimedOperation, id: string): void {
    const { language, style } = this.#options
    if (this.#ended || !this.#entry || op.kind !== 'note' || op.notice.kind !== 'working') return
    if (!this.#entry.platform.can.operations.includes('edit')) return
    const post = renderNote(op, tokens, this.#entry.platform, language, style)
    const buttons = post.kind === 'post' ? (post.buttons ?? []) : []
    this.#status = { place: post.place, id, buttons }
    this.#next()
  }

  /** The turn is over. What is on its way stays so. @returns what was shown; undefined where nothing was */
  end(): Previews | undefined {
    this.#ended = true
    for (const undo of this.#undo) undo()
    this.#undo.clear()
    this.#timer?.()
    this.#timer = null
    const { edits, drafts } = this.#made
    return edits + drafts === 0 ? undefined : { edits, drafts, at: this.#shownAt }
  }

  #type(): void {
    const { courier, clock, log } = this.#options
    this.#undo.add(showTyping(this.#entry, this.#place, courier.holds, clock, log))
  }

  // ---- previews -----------------------------------------------------------------------------------------------------

  /** Shows what is new as soon as it may. One at a time, and one timer. */
  #next(): void {
    if (this.#ended || this.#onItsWay || (this.#timer !== null && !this.#repeats)) return
    const preview = this.#preview()
    if (preview === null) return
    const { clock, courier } = this.#options
    const now = clock.now()
    const same = preview.part.text === this.#shown
    // What was shown goes away by itself where it is a draft.
    if (same && preview.kind !== 'draft') return
    this.#timer?.()
    this.#timer = null
    const at = Math.max(
      this.#shownAt + (same ? DRAFT_AFTER : this.#interval(preview)),
      courier.freeAt(this.#write(preview)),
    )
    if (at <= now) void this.#show(preview)
    else if (Number.isFinite(at)) this.#later(at, same)
  }

  /** @param repeats only what is shown already is due then: what is new does not wait for it */
  #later(at: Millis, repeats = false): void {
    this.#repeats = repeats
    this.#timer = this.#options.clock.at(at, () => {
      this.#timer = null
      this.#next()
    })
  }

  #preview(): Preview | null {
    if (!this.#entry?.connection) return null
    const { platform, id: connection } = this.#entry
    const { language, draftless } = this.#options
    if (
      this.#text !== '' &&
      this.#turn.chat.kind === 'dm' &&
      platform.can.operations.includes('draft') &&
      !draftless.has(connection)
    ) {
      const part = previewPart(this.#text, {}, platform, language, false)
      return part && { kind: 'draft', place: this.#place, draft: this.#turn.id, part }
    }
    if (this.#status === null || (this.#text === '' && Object.keys(this.#doing).length === 0)) return null
    const part = previewPart(this.#text, this.#doing, platform, language)
    return part && { kind: 'edit', ...this.#status, part }
  }

  /** As often as the chat's budgets allow for ever, and not more often than people read. */
  #interval({ kind }: Preview): Millis {
    const budgets = this.#entry?.platform.limits.budgets ?? []
    const own = budgets.filter(
      ({ scope, kinds, chats }) =>
        scope === 'chat' &&
        (kinds?.includes(kind) ?? true) &&
        (chats === undefined || chats === this.#turn.chat.kind),
    )
    return Math.max(PREVIEW_AFTER, ...own.map(({ perMs, writes }) => Math.ceil(perMs / writes)))
  }

  #write({ kind }: Preview): Write {
    const { connection, chatKey, chat } = this.#turn
    // Drafts are no messages: they share a budget with nothing but each other.
    return { connection, chatKey, chat: chat.kind, kind, yields: kind === 'draft' ? true : 'preview' }
  }

  async #show(preview: Preview): Promise<void> {
    const { courier, clock, log } = this.#options
    const { connection, platform } = this.#entry as Entry
    const until = clock.now() + platform.limits.timeoutMs
    const abort = new AbortController()
    const land =
      preview.kind === 'edit'
        ? courier.late.begin(
            { connection: this.#turn.connection, chat: preview.place.chat, id: preview.id },
            until,
          )
        : () => undefined
    const answered = courier.spend(this.#write(preview))
    this.#onItsWay = true
    this.#shown = preview.part.text
    this.#shownAt = clock.now()
    let cancel: () => void = () => undefined
    try {
      const timedOut = new Promise<never>((_, reject) => {
        cancel = clock.at(until, () => {
          abort.abort()
          reject(new PlatformFailure({ kind: 'ambiguous' }, 'the platform did not answer in time'))
        })
      })
      await Promise.race([connection?.perform(preview, '', abort.signal), timedOut])
      land('known')
      this.#made[preview.kind === 'draft' ? 'drafts' : 'edits']++
    } catch (error) {
      const failure = failureOf(error)
      land(failure.kind === 'ambiguous' ? 'unknown' : 'known')
      log.debug({ turn: this.#turn.id, kind: preview.kind, error: String(error) }, 'a preview was not shown')
      this.#refused(preview, failure)
    } finally {
      cancel()
      answered()
      this.#onItsWay = false
    }
    this.#next()
  }

  /** Whatever is wrong with a preview, less is shown; the answer does without it. */
  #refused(preview: Preview, failure: PlatformFailure['failure']): void {
    const now = this.#options.clock.now()
    this.#shown = ''
    switch (failure.kind) {
      case 'rate-limited':
        this.#pause(Math.max(failure.retryAt, now + PREVIEW_AFTER))
        return
      case 'unreachable':
        this.#pause(now + STATUS_AFTER)
        return
      case 'ambiguous':
        return
      default:
        if (preview.kind === 'draft') this.#options.draftless.add(this.#turn.connection)
        // Somebody deleted it, or it may not be changed: it is left alone.
        else this.#status = null
    }
  }

  /** Told to wait, it waits; the answer asks for itself. */
  #pause(until: Millis): void {
    if (this.#ended || this.#timer !== null) return
    this.#later(until)
  }
}
