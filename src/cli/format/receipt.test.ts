import { describe, expect, it } from 'vitest'
import { receipt, receipts } from '../harness.fixture.js'
import { formatReceipt } from './receipt.js'
import type { Look } from './text.js'
import { displayWidth } from './width.js'

const LOOK: Look = { width: 100, colour: false, timeZone: 'UTC' }
const show = (kind: string, look: Partial<Look> = {}) =>
  `\n${formatReceipt(receipt(kind), { ...LOOK, ...look })}`

describe('golem why', () => {
  it('an answered message', () => {
    expect(show('answered')).toMatchInlineSnapshot(`
      "
      ✓ Message 7  local:lobby:42  answered
        Ann (person), 2026-03-01 10:00:00, in local:lobby
        │ @Golem what can you do?

      Golem answered in 145 ms.

            +3 ms  durable
                   decision: run (mention; addressed; named: Golem)
                   ✓ author     A person spoke.
                                kind: person
                   ✓ access     Nobody is shut out of this connection.
                                rule: none
                   ✓ addressed  It names @Golem.
                                by: mention · names: Golem
                   ✓ policy     The room answers when it is addressed.
                                policy: mention-only · addressed: true
                   ✓ responders Golem was named.
                                route: named · agents: Golem
                   ✓ max-turns  A person has just spoken.
                                repliesInARow: 0 · maxTurns: 10
                   ✓ bounds     There is room in the queue.
                                waitingOfSender: 0 · waitingOfRoom: 0
            +3 ms  turn 5: queued for Golem
                   ✓ admit      Golem is free and the room is idle.
                                held: false · running: 0
            +5 ms  Golem started: engine offline, shown 3 lines (120 characters), memory 9f2c41aa,
                   template v1
           +60 ms  first sign of life from the engine
           +70 ms  ✓ memory_read: group memory, 5 lines
            +3 ms  notice (react)
            +5 ms  ✓ sent
                   │ received
          +140 ms  ✓ turn 5 settled
          +141 ms  answer (post): sending, attempt 1
          +145 ms  ✓ sent as 43
                   │ I answer from skills, group memory and the transcript.
      "
    `)
  })
  it('a message nobody answered: the gate that stopped it', () => {
    expect(show('kept')).toMatchInlineSnapshot(`
      "
      · Message 8  local:lobby:44  kept
        Ann (person), 2026-03-01 10:00:00, in local:lobby
        │ lunch at noon?

      Kept as context: nobody was addressed, and the room answers only when it is.

            +3 ms  durable
                   decision: keep (policy-mention-only; not addressed; nobody answers)
                   ✓ author     A person spoke.
                                kind: person
                   ✓ access     Nobody is shut out of this connection.
                                rule: none
                   · addressed  It names nobody; "@Golem2" is close to Golem.
                                near misses: Golem2
                   ✗ policy     The room answers only when it is addressed.
                                policy: mention-only · addressed: false
      "
    `)
  })
  it('a failed turn whose notice could not be posted either', () => {
    expect(show('failed')).toMatchInlineSnapshot(`
      "
      ✗ Message 12  local:lobby:50  failed
        Ann (person), 2026-03-01 10:00:00, in local:lobby
        │ @Reviewer look at this

      Reviewer failed: the program ended with exit code 3.

            +3 ms  durable
                   decision: run (mention; addressed; named: Reviewer)
                   ✓ author     A person spoke.
                                kind: person
                   ✓ access     Nobody is shut out of this connection.
                                rule: none
                   ✓ addressed  It names @Golem.
                                by: mention · names: Golem
                   ✓ policy     The room answers when it is addressed.
                                policy: mention-only · addressed: true
                   ✓ responders Golem was named.
                                route: named · agents: Golem
                   ✓ max-turns  A person has just spoken.
                                repliesInARow: 0 · maxTurns: 10
                   ✓ bounds     There is room in the queue.
                                waitingOfSender: 0 · waitingOfRoom: 0
            +3 ms  turn 8: queued for Reviewer
                   ✓ admit      Golem is free and the room is idle.
                                held: false · running: 0
            +5 ms  Reviewer started (attempt 2): engine offline, shown 3 lines (120 characters), memory
                   9f2c41aa, template v1
          +140 ms  ✗ turn 8 failed: exit: the program ended with exit code 3
          +141 ms  notice (post): sending, attempt 1
          +900 ms  notice (post): rate-limited until 10:00:05
           +5.1 s  notice (post): forbidden
          +145 ms  ✗ failed after 3 attempts: forbidden: the bot may not write here
                   │ Sorry, Reviewer could not answer. Receipt 12.
      "
    `)
  })
  it('a post of which nobody knows yet whether it arrived; files and costs', () => {
    expect(show('ambiguous')).toMatchInlineSnapshot(`
      "
      · Message 15  local:lobby:54  sending
        Ann (person), 2026-03-01 10:00:00, in local:lobby
        │ @Golem report

      The answer is on its way.

            +3 ms  durable
                   decision: run (mention; addressed; named: Golem)
                   ✓ author     A person spoke.
                                kind: person
                   ✓ access     Nobody is shut out of this connection.
                                rule: none
                   ✓ addressed  It names @Golem.
                                by: mention · names: Golem
                   ✓ policy     The room answers when it is addressed.
                                policy: mention-only · addressed: true
                   ✓ responders Golem was named.
                                route: named · agents: Golem
                   ✓ max-turns  A person has just spoken.
                                repliesInARow: 0 · maxTurns: 10
                   ✓ bounds     There is room in the queue.
                                waitingOfSender: 0 · waitingOfRoom: 0
            +3 ms  turn 11: queued for Golem
                   ✓ admit      Golem is free and the room is idle.
                                held: false · running: 0
            +5 ms  Golem started: engine offline, shown 3 lines (120 characters), memory 9f2c41aa,
                   template v1
           +60 ms  first sign of life from the engine
           +70 ms  ✓ memory_read: group memory, 5 lines
                   file report.md
                   file .env not sent: dot files never leave
          +140 ms  ✓ turn 11 settled (1200 tokens in, 80 out, $0.0042)
          +141 ms  answer (post): sending, attempt 1
          +145 ms  answer (post): sent as 43
                   · ambiguous: the connection broke while posting
                   │ I answer from skills, group memory and the transcript.
      "
    `)
  })
  it('what Golem said itself', () => {
    expect(show('said')).toMatchInlineSnapshot(`
      "
      ✓ Message 18  local:lobby:43  said
        Golem (agent), 2026-03-01 10:00:00, in local:lobby
        │ I answer from skills, group memory and the transcript.
        Answers local:lobby:42

      Golem said this.

            +3 ms  durable
            +3 ms  turn 5: queued for Golem
                   ✓ admit      Golem is free and the room is idle.
                                held: false · running: 0
            +5 ms  Golem started: engine offline, shown 3 lines (120 characters), memory 9f2c41aa,
                   template v1
           +60 ms  first sign of life from the engine
           +70 ms  ✓ memory_read: group memory, 5 lines
          +140 ms  ✓ turn 5 settled
          +141 ms  answer (post): sending, attempt 1
          +145 ms  ✓ sent as 43
                   │ I answer from skills, group memory and the transcript.
      "
    `)
  })
  it('a message that was deleted: its text is not there', () => {
    expect(show('deleted').split('\n').slice(-4).join('\n')).toMatchInlineSnapshot(`
      "     +70 ms  ✓ memory_read: group memory, 5 lines
          +140 ms  ✗ turn 13 cancelled: the message was deleted
           +1 min  the message was deleted; its text is gone from here too
      "
    `)
  })
  it('Chinese on a narrow terminal', () => {
    expect(show('chinese', { width: 60 })).toMatchInlineSnapshot(`
      "
      ✓ Message 16  local:lobby:55  answered
        李雷 (person), 2026-03-01 10:00:00, in local:lobby
        │ @小助手 帮我查一下天气，今天下午要出门，不知道要不要带
        │ 伞，顺便看看明天的情况

      小助手 answered in 145 ms.

            +3 ms  durable
                   decision: run (mention; addressed; named: 小助
                   手)
                   ✓ author     A person spoke.
                                kind: person
                   ✓ access     Nobody is shut out of this
                                connection.
                                rule: none
                   ✓ addressed  点名了 @小助手。
                                by: mention · names: 小助手
                   ✓ policy     The room answers when it is
                                addressed.
                                policy: mention-only · addressed:
                                true
                   ✓ responders Golem was named.
                                route: named · agents: Golem
                   ✓ max-turns  A person has just spoken.
                                repliesInARow: 0 · maxTurns: 10
                   ✓ bounds     There is room in the queue.
                                waitingOfSender: 0 ·
                                waitingOfRoom: 0
            +3 ms  turn 12: queued for 小助手
                   ✓ admit      Golem is free and the room is
                                idle.
                                held: false · running: 0
            +5 ms  小助手 started: engine offline, shown 3 lines
                   (120 characters), memory 9f2c41aa, template v1
           +60 ms  first sign of life from the engine
           +70 ms  ✓ memory_read: group memory, 5 lines
          +140 ms  ✓ turn 12 settled
          +141 ms  answer (post): sending, attempt 1
          +145 ms  ✓ sent as 56
                   │ 今天下午有阵雨，带上伞比较好；明天多云，最高
                   │ 气温十八度，适合出门，不用带伞，早晚注意保
                   │ 暖，别着凉了
           +2.0 s  the message was edited
      "
    `)
  })
  it('a text made to deceive the terminal', () => {
    expect(show('hostile').split('\n').slice(0, 8).join('\n')).toMatchInlineSnapshot(`
      "
      · Message 17  local:lobby:57  kept
        Eve Gates (person), 2026-03-01 10:00:00, in local:lobby
        │ @Golem hievil
        │ fake: ✓ all gates

      Kept.
      "
    `)
  })
})

it.each([40, 60, 100, 120])('no line is wider than %i columns', (width) => {
  for (const one of receipts().values())
    for (const line of formatReceipt(one, { ...LOOK, width })
      .split('\n')
      .slice(1))
      expect(displayWidth(line), line).toBeLessThanOrEqual(width + 1)
})

it('colour changes nothing but the colour', () => {
  for (const one of receipts().values()) {
    const coloured = formatReceipt(one, { ...LOOK, colour: true })
    expect(coloured).toContain('\u001b[')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours themselves
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(formatReceipt(one, LOOK))
  }
})

it('without colour there is no escape at all, whatever was written', () => {
  for (const one of receipts().values()) expect(formatReceipt(one, LOOK)).not.toMatch(/[^\P{Cc}\n]/u)
})
