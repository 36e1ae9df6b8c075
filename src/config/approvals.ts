/** `approvals` in golem.yaml, and who decides in a room: questions that agents put to people. */
import { z } from 'zod'
import { APPROVAL_EXPIRE, APPROVAL_PARK } from '../messaging/limits.js'
import { duration, showDuration } from './duration.js'

const SECOND = 1_000
const DAY = 86_400_000

export const approvals = z
  .strictObject({
    expire: duration('m', SECOND, 30 * DAY)
      .prefault(showDuration(APPROVAL_EXPIRE))
      .meta({
        description: 'A question that nobody decides is refused after this. Minutes, or text with a unit.',
        examples: ['8h'],
      }),
    park: duration('m', 0, 60 * 60 * SECOND)
      .prefault(showDuration(APPROVAL_PARK))
      .meta({
        description:
          'A run waits for a decision this long. Then it ends, so that its conversation goes on; the decision begins it again. Minutes, or text with a unit.',
        examples: ['30m'],
      }),
  })
  .prefault({})
  .meta({ description: 'Questions and requests for permission that agents put to people.' })

export const approvers = z.array(z.union([z.string().min(1), z.int().transform(String)])).meta({
  description:
    'Ids of the people who decide what agents ask in this room, in place of who asked the agent; `requester` stands for that person. Empty or absent: who asked the agent, and nobody else.',
  examples: [['requester', 'U0123']],
})
