/**
 * Which points are killed at. A point stands for a state: what is on the disk, and what the platform has. Two points with
 * nothing between them are the same state, so one of them is enough; and of what repeats many times, a sample is.
 */

/** A point's name without number and side. */
export function actionOf(point: string): string {
  return point.replace(/ (before|after) #\d+$/, '')
}

/** What makes two points alike: of a call the side tells whether it had its effect, of a write it says little. */
export function kindOf(point: string): string {
  return isCall(point) ? point.replace(/ #\d+$/, '') : actionOf(point)
}

function isBefore(point: string): boolean {
  return / before #\d+$/.test(point)
}

/** A call of the platform, or by it. */
function isCall(point: string): boolean {
  return !/^(\S+\.db |file )/.test(point)
}

/** Handing an event to the core changes nothing by itself: its commit does. */
const NO_STATE = / accept (before|after) #/

/**
 * One point for each state that the run went through, in order. Where something ends and the next begins at once, the
 * state has two names; it keeps the one that tells of a call.
 */
export function statesOf(points: readonly string[]): string[] {
  const telling = [...new Set(points)].filter((point) => !NO_STATE.test(point))
  return telling.filter((point, index) => {
    if (isBefore(point)) {
      const previous = telling[index - 1]
      return previous === undefined || isBefore(previous) || !isCall(previous) || isCall(point)
    }
    const next = telling[index + 1]
    return next === undefined || !isBefore(next) || (isCall(point) && !isCall(next))
  })
}

/** Where an answer is lost or doubled: what says something, and what acknowledges. */
const VITAL = / (post|upload|edit|delete|whisper|ack|webhook|getUpdates)\b/

/** Share of a sample that is vital, where there are so many. */
const VITAL_SHARE = 0.5

/**
 * One of each kind that was not killed at yet (`killed` is added to), and then, up to `most` in all, evenly from the vital
 * ones and from the others. Pure but for that.
 */
export function sample(points: readonly string[], most: number, killed: Set<string>): string[] {
  const picked = new Set<string>()
  const pick = (point: string) => {
    picked.add(point)
    killed.add(kindOf(point))
  }
  for (const point of points) if (!killed.has(kindOf(point))) pick(point)
  const left = () => points.filter((point) => !picked.has(point))
  const vital = left().filter((point) => VITAL.test(point))
  for (const point of evenly(vital, Math.ceil((most - picked.size) * VITAL_SHARE))) pick(point)
  for (const point of evenly(left(), most - picked.size)) pick(point)
  return points.filter((point) => picked.has(point))
}

/** So many of them (or all), spread over the whole. */
export function evenly(points: readonly string[], count: number): string[] {
  if (points.length <= count) return [...points]
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    String(points[Math.floor(((index + 0.5) * points.length) / count)]),
  )
}
