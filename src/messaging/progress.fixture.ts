/** One agent that says what the test has it say, and what people see of it. */
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Budget, Operation } from './contract.js'
import { type Failure, PlatformFailure } from './failure.js'
import type { RoomSettings } from './roster.js'
import type { TurnWork } from './runner.js'

export interface House {
  budgets?: Budget[]
  settings?: Partial<RoomSettings>
  can?: Partial<TestPlatform['can']>
}

/** One agent that says what the test has it say. */
export function house({ budgets = [], settings = {}, can = {} }: House = {}) {
  let release: (text: string) => void = () => undefined
  let work: TurnWork | undefined
  const given = policy(settings)
  const core = new Core(
    (it) => {
      work = it
      return new Promise<string>((resolve) => {
        release = resolve
      })
    },
    given,
    new TestRoom(given),
  )
  const platform = new TestPlatform(core.clock)
  platform.limits = { budgets, timeoutMs: 20_000 }
  platform.can = can
  const host = core.connect(platform)
  const start = core.clock.now()
  const calls: { at: number; op: Operation }[] = []
  platform.before = (op) => void calls.push({ at: core.clock.now() - start, op })
  return {
    core,
    platform,
    host,
    calls,
    start,
    get work(): TurnWork {
      if (work === undefined) throw new Error('no turn is at work')
      return work
    },
    say: (text: string) => work?.progress(text),
    answer: async (text: string) => {
      release(text)
      await settled()
    },
    /** What stands in the chat now: by native id. */
    standing: () => standing(platform),
    edits: () => platform.sent.flatMap(({ op }) => (op.kind === 'edit' ? [op.part.text] : [])),
  }
}

function standing(platform: TestPlatform): string[] {
  const posts = new Map<string, string>()
  platform.sent.forEach(({ op }, index) => {
    if (op.kind === 'post') posts.set(`n${index + 1}`, op.part.text)
    if (op.kind === 'edit' && posts.has(op.id)) posts.set(op.id, op.part.text)
    if (op.kind === 'delete') posts.delete(op.id)
  })
  return [...posts.values()]
}

export const refuse = (failure: Failure): never => {
  throw new PlatformFailure(failure, `the platform said ${failure.kind}`)
}
