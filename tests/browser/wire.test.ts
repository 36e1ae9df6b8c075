/** The page's types of the daemon's JSON, compared with the daemon's own by the compiler (`npm run check`). */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import type { localSchemas } from '../../adapters/local/schemas.js'
import { GATES } from '../../src/messaging/decision.js'
import type { QueueView, ReceiptView, RoomMessage, RoomView } from '../../src/messaging/views.js'
import type { healthSchema } from '../../src/server/health.js'
import type {
  CoreRoom,
  Health,
  LocalFile,
  LocalMessage,
  LocalPerson,
  LocalRoom,
  QueuedTurn,
  Receipt,
  TranscriptRow,
} from '../../web/src/api/wire.js'
import { GATE_NAMES } from '../../web/src/api/wire.js'

describe('what the daemon answers with is what the page reads', () => {
  it("holds for the core's views", () => {
    expectTypeOf<ReceiptView>().toExtend<Receipt>()
    expectTypeOf<RoomMessage>().toExtend<TranscriptRow>()
    expectTypeOf<RoomView>().toExtend<CoreRoom>()
    expectTypeOf<QueueView['turns'][number]>().toExtend<QueuedTurn>()
    expectTypeOf<z.infer<typeof healthSchema>>().toExtend<Health>()
  })

  it('holds for the local rooms', () => {
    type Answers = { [Name in keyof typeof localSchemas]: z.infer<(typeof localSchemas)[Name]> }
    expectTypeOf<Answers['LocalMessage']>().toExtend<LocalMessage>()
    expectTypeOf<Answers['LocalRoom']>().toExtend<LocalRoom>()
    expectTypeOf<Answers['LocalPerson']>().toExtend<LocalPerson>()
    expectTypeOf<Answers['LocalFile']>().toExtend<LocalFile>()
  })

  it('knows every gate', () => {
    expect(GATE_NAMES).toEqual(GATES)
  })
})
