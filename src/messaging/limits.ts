/**
 * Every limit of the core, named, in one place. Where two belong together one is made from the other.
 */
import type { Bounds } from './roster.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Most lines of context an agent is shown; `historyLimit` may lower it. */
export const CONTEXT_LINES = 30
/** Most characters of context, and of one line of it. */
export const CONTEXT_CHARACTERS = 16_000
export const CONTEXT_LINE_CHARACTERS = 4_000
/** A teammate's result; what was asked for is shown whole. */
export const RESULT_CHARACTERS = 12_000

export const HISTORY_LIMIT = 20
export const MAX_TURNS = 10
export const COALESCE_WINDOW = 120 * SECOND
export const DEBOUNCE = 1.5 * SECOND
export const AGENT_CONCURRENCY = 8
export const BULLETIN_CHARACTERS = 12_000

export const BOUNDS: Bounds = {
  waitingPerSender: 20,
  waitingPerRoom: 200,
  waitingMs: 30 * MINUTE,
  // A merged turn never holds more than its agent is shown: one constant from the other.
  mergeItems: CONTEXT_LINES,
  mergeCharacters: CONTEXT_CHARACTERS / 2,
}

/** `@everyone` of the roster wakes at most this many agents. */
export const EVERYONE_AGENTS = 5

/** Work a turn may take, and how long it may be without any event. */
export const TURN_LIMIT = 5 * MINUTE
export const STALL_LIMIT = 20 * MINUTE
/** SIGTERM to SIGKILL. */
export const STOP_GRACE = 6 * SECOND
/** The mark of reception is left out where the answer comes sooner than this: nobody could see it. */
export const RECEIVED_AFTER = 100
/** A status post appears after this long without an answer. */
export const STATUS_AFTER = 5 * SECOND
/** A preview of an answer follows the one before it after this long, or as long as a chat's write budget says. */
export const PREVIEW_AFTER = SECOND
/** A draft is shown again after this long without news, before the platform takes it away. */
export const DRAFT_AFTER = 20 * SECOND

/** Delegation. */
export const ASK_DEPTH = 4
export const ASKS_PER_ROOT = 8
export const ASKS_AT_WORK_PER_ROOM = 2
export const ASK_TIMEOUT = 30 * MINUTE
/** A conversation that was handed to an agent is its own for so long after its last answer there. */
export const HAND_OFF_TIMEOUT = 24 * 60 * MINUTE

/** An inbound event is remembered at least this long against redelivery. */
export const DEDUPE_DAYS = 30
/** An operation stuck this long gives way to the fallback ladder. */
export const OPERATION_STUCK = 2 * MINUTE
/** A button's token is good this long. */
export const BUTTON_TTL = 24 * 60 * MINUTE
/** A question that nobody decides is refused after this. */
export const APPROVAL_EXPIRE = 24 * 60 * MINUTE
/** A turn that waits so long for a decision ends its work for now, so that its conversation goes on. */
export const APPROVAL_PARK = 5 * MINUTE
/**
 * Times an answer is sent where nobody can say whether it stands: once, and again with a label. Then it is reported as
 * not known.
 */
export const UNSURE_SENDS = 4
/** The waits between those. */
export const UNSURE_WAITS = [SECOND, 30 * SECOND, 2 * MINUTE] as const

/** Earlier lines that are read back before a conversation's first turn, and how long that may take. */
export const BACKFILL_LINES = 30
export const BACKFILL_PATIENCE = 3 * SECOND

/** After an absence: conversations of the last week are read again, the latest first, so many of them, in such pages. */
export const CATCH_UP_SINCE = 7 * 24 * 60 * MINUTE
export const CATCH_UP_PLACES = 100
export const CATCH_UP_PAGE = 100
export const CATCH_UP_PAGES = 10
/** What was missed is answered if it is not older than this; else it is context. */
export const CATCH_UP_ANSWERED = 24 * 60 * MINUTE

/** The members of a chat are read again after this long, and an answer waits this long for them. */
export const MEMBERS_TTL = 10 * MINUTE
export const MEMBERS_PATIENCE = 3 * SECOND
