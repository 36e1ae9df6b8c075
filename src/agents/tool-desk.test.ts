import { expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.js'
import { createRedactor } from '../messaging/redact.js'
import { CALLS_PER_TURN, type DeskOptions, ToolDesk } from './tool-desk.js'

it('calls beyond the bound have one line on the receipt, that counts them', async () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const desk = new ToolDesk({
    scope: {} as DeskOptions['scope'],
    before: async () => undefined,
    signal: new AbortController().signal,
    clock: new TestClock(),
    log,
    redactor: createRedactor(),
  })
  for (let n = 0; n < CALLS_PER_TURN + 3; n++) await expect(desk.call(`tool-${n}`, {})).rejects.toThrow()
  expect(desk.calls).toHaveLength(CALLS_PER_TURN + 1)
  expect(desk.calls.at(-1)).toMatchObject({
    name: `tool-${CALLS_PER_TURN}`,
    ok: false,
    note: 'refused: this turn has made its 100 calls (3 more)',
  })
})
