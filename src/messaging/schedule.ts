/** Schedules: turns that a time has run, not a message. What they are, and what the core asks of its store for them. */
import type { Millis } from './ambient.js'
import type { Capabilities, ConnectionId } from './contract.js'

/** Schedules one chat may have that were made in it. */
export const SCHEDULES_PER_ROOM = 20
/** Two runs of a schedule that was made in a chat never come closer than this. */
export const SCHEDULE_GAP = 5 * 60_000
/** A run that begins up to so much late is on time: a restart takes a moment. */
export const SCHEDULE_GRACE = 60_000
export const SCHEDULE_CHARACTERS = 4_000

/** Runs that were missed because Golem was not there: none of them is made up for, or one run stands for them all. */
export type Missed = 'skip' | 'once'

/** What makes a schedule: when, where, what. */
export interface SchedulePlan {
  name: string
  connection: ConnectionId
  chatKey: string
  /** Who works on it; null = whoever answers there when nobody is named. */
  agent: string | null
  /** One of the two. */
  cron: string | null
  at: Millis | null
  timezone: string
  text: string
  missed: Missed
}

/** A schedule of golem.yaml. */
export interface ConfiguredSchedule extends SchedulePlan {
  /** When it is due next, should it be new; null when that is past. */
  next: Millis | null
}

/** A schedule that an agent makes in a turn, for the person that the turn works for. */
export interface NewSchedule extends Pick<SchedulePlan, 'cron' | 'at' | 'timezone' | 'text' | 'missed'> {
  name: string | null
  turn: number
  next: Millis
  now: Millis
}

export interface ScheduleView {
  id: number
  name: string
  source: 'config' | 'chat'
  chatKey: string
  conversation: string | null
  agent: string | null
  cron: string | null
  at: Millis | null
  timezone: string
  text: string
  missed: Missed
  madeBy: { id: string; name: string } | null
  /** Null when it has had its last run. */
  nextAt: Millis | null
}

export type Created =
  | { status: 'created' | 'known'; schedule: ScheduleView }
  | { status: 'refused'; why: string }

export type Cancelled = { status: 'cancelled'; schedule: ScheduleView } | { status: 'refused'; why: string }

/** One that is due, or whose time was worked out when the clock was ahead of what it is now. */
export interface DueSchedule extends ScheduleView {
  connection: ConnectionId
  nextAt: Millis
  /** The last time it was due that has been dealt with. */
  lastDue: Millis | null
  /** When `nextAt` was worked out. */
  lookedAt: Millis
}

export interface ScheduleStep {
  schedule: number
  /** What `nextAt` was: if it is not any more, somebody else was here. */
  expected: Millis
  next: Millis | null
  now: Millis
  /** Null: only `nextAt` moves. */
  run: {
    due: Millis
    /** `skipped`: it was missed, and is not made up for. */
    what: 'run' | 'skipped'
    /** Earlier times that this one stands for. */
    missed: number
    can: Pick<Capabilities, 'operations' | 'buttons' | 'threads'>
  } | null
}

/** `overlap`: the run before still waits, so this one is left out. */
export type Stepped = 'run' | 'skipped' | 'overlap' | 'moved' | 'gone'

/** The store's part. */
export interface ScheduleStore {
  /** Makes the schedules of golem.yaml what it says now: new ones are armed, changed ones follow, removed ones go. */
  reconcileSchedules(schedules: readonly ConfiguredSchedule[], now: Millis): Promise<void>
  /** Only for the person a running turn works for, in its conversation. */
  createSchedule(wanted: NewSchedule): Promise<Created>
  /** Those of a chat, the next one first. */
  schedulesOf(chatKey: string): Promise<ScheduleView[]>
  /** By who made it, or an owner of the room; from the chat that it belongs to. */
  cancelSchedule(wanted: { id: number; chatKey: string; by: string; now: Millis }): Promise<Cancelled>
  /** What is due, the longest first, and when the next one after them is. */
  dueSchedules(request: {
    now: Millis
    max: number
    connections: readonly ConnectionId[]
  }): Promise<{ due: DueSchedule[]; nextAt: Millis | null }>
  /** Makes the turn and moves on, in one transaction, and never twice for one time. */
  stepSchedule(step: ScheduleStep): Promise<Stepped>
}
