import { MEDDLING } from './meddling.js'
import type { Scenario } from './scenario.js'
import { TALK } from './talk.js'

export type { Scenario } from './scenario.js'

/** What people do: the rows of the matrix. */
export const SCENARIOS: readonly Scenario[] = [...TALK, ...MEDDLING]
