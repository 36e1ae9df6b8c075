/** `golem queue` and `golem status`. */
import type { QueueView, RoomView, StatusView } from '../../messaging/views.js'
import { type Look, oneLine, styleFor } from './text.js'
import { showBytes, showSpan } from './time.js'
import { displayWidth, padEnd, shorten } from './width.js'

/** Columns between two cells. */
const GAP = 2

/** Rows under a heading, each column as wide as its widest cell; the last one is cut at the terminal's edge. */
function table(heading: readonly string[], rows: readonly (readonly string[])[], look: Look): string[] {
  const cells = [heading, ...rows].map((row) => row.map(oneLine))
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? ''))))
  const style = styleFor(look.colour)
  return cells.map((row, index) => {
    const line = row
      .map((cell, column) => padEnd(cell, (widths[column] ?? 0) + GAP))
      .join('')
      .trimEnd()
    return index === 0 ? style.dim(shorten(line, look.width)) : shorten(line, look.width)
  })
}

/** @param now for how long things have waited */
export function formatQueue(queue: QueueView, now: number, look: Look): string {
  const style = styleFor(look.colour)
  const lines: string[] = []
  if (queue.turns.length === 0) lines.push('No turn runs or waits.')
  else
    lines.push(
      style.bold('Turns'),
      ...table(
        ['turn', 'conversation', 'agent', 'state', 'for', 'asked by', 'waits for'],
        queue.turns.map((turn) => [
          String(turn.turn),
          turn.conversation,
          turn.agent,
          turn.state === 'queued' ? `queued, place ${turn.position}` : turn.state.replaceAll('-', ' '),
          showSpan(now - turn.since),
          turn.requester ?? '',
          turn.waitsFor.join(', '),
        ]),
        look,
      ),
    )
  lines.push('')
  if (queue.operations.length === 0) lines.push('Nothing is on its way to a platform.')
  else
    lines.push(
      style.bold('On their way to a platform'),
      ...table(
        ['operation', 'chat', 'kind', 'state', 'attempts', 'for', 'failure'],
        queue.operations.map((one) => [
          String(one.operation),
          one.chatKey,
          one.kind,
          one.state,
          String(one.attempts),
          showSpan(now - one.since),
          one.failure ?? '',
        ]),
        look,
      ),
    )
  return `${lines.join('\n')}\n`
}

function counts(record: Readonly<Record<string, number>>): string {
  const entries = Object.entries(record).filter(([, count]) => count > 0)
  return entries.length === 0 ? 'none' : entries.map(([name, count]) => `${count} ${name}`).join(', ')
}

function scheduled({ schedules, nextSchedule }: StatusView, now: number): string {
  if (schedules === 0) return 'none'
  const next = nextSchedule === null ? '' : `, next in ${showSpan(Math.max(0, nextSchedule - now))}`
  return `${schedules}${next}`
}

/** As the engines reported them. */
function tokens({ turns, inputTokens, outputTokens, cachedTokens, costUsd }: StatusView['usage']): string {
  if (turns === 0) return 'none reported in the last 30 days'
  const cached = cachedTokens === 0 ? '' : ` (${cachedTokens} cached)`
  const cost = costUsd === 0 ? '' : `, $${costUsd.toFixed(2)}`
  return `${inputTokens} in${cached}, ${outputTokens} out${cost} in the last 30 days`
}

/** @param now for how long rooms have been silent */
export function formatStatus(
  status: StatusView,
  rooms: readonly RoomView[],
  now: number,
  look: Look,
): string {
  const style = styleFor(look.colour)
  const facts: [string, string][] = [
    ['rooms', String(status.rooms)],
    ['messages', String(status.messages)],
    ['turns', counts(status.turns)],
    ['operations', counts(status.operations)],
    ['open asks', String(status.asks)],
    ['schedules', scheduled(status, now)],
    ['tokens', tokens(status.usage)],
    ['store', `${showBytes(status.bytes)}, schema ${status.schema}`],
  ]
  const lines = [
    ...facts.map(([name, value]) => `${style.dim(padEnd(name, 10))}  ${value}`),
    ...status.moved.map(
      ({ from, to }) =>
        `${style.dim(padEnd('moved', 10))}  ${oneLine(from)} goes on as ${oneLine(to)}: where golem.yaml names the old key, write the new one`,
    ),
  ]
  if (rooms.length > 0)
    lines.push(
      '',
      ...table(
        ['room', 'title', 'messages', 'last', 'running', 'waiting'],
        rooms.map((room) => [
          room.key,
          room.title ?? '',
          String(room.messages),
          room.lastAt === null ? 'never' : `${showSpan(now - room.lastAt)} ago`,
          String(room.running),
          String(room.waiting),
        ]),
        look,
      ),
    )
  return `${lines.join('\n')}\n`
}
