/**
 * Which points are killed at. A point stands for a state: what is on the disk, and what the platform has. Two points with
 * nothing between them are the same state, so one of them is enough; and of what repeats many times, a sample is.
 */

/** A point's name without its number. */
export function kindOf(point: string): string {
  return point.replace(/ #\d+$/, '')
}

/** Bare names of requests and frames, writes and syncs, without their side. */
export function actionOf(point: string): string {
  return kindOf(point).replace(/ (before|after)$/, '')
}

const SIDES = / (before|after) #\d+$/

/** Handing an event to the core changes nothing by itself: its commit does. */
const NO_STATE = / accept (before|after) #/

/**
 * One point for each state that the run went through, in order. What ends without a next step (`after` directly before
 * another `before`) is the state that the next one begins in.
 */
export function statesOf(points: readonly string[]): string[] {
  const telling = [...new Set(points)].filter((point) => !NO_STATE.test(point))
  return telling.filter((point, index) => {
    const next = telling[index + 1]
    return sideOf(point) === 'before' || next === undefined || sideOf(next) !== 'before'
  })
}

function sideOf(point: string): string | undefined {
  return SIDES.exec(point)?.[1]
}

/**
 * At most about `most` of them: the first and the last of every kind, because that is where things begin and end; then
 * evenly from the rest.
 */
export function sample(points: readonly string[], most: number): string[] {
  if (points.length <= most) return [...points]
  const kinds = new Map<string, number[]>()
  for (const [index, point] of points.entries()) {
    const indices = kinds.get(kindOf(point)) ?? []
    indices.push(index)
    kinds.set(kindOf(point), indices)
  }
  const picked = new Set<number>()
  const pick = (index: number | undefined) => {
    if (index !== undefined && picked.size < most) picked.add(index)
  }
  for (const indices of kinds.values()) pick(indices[0])
  for (const indices of kinds.values()) pick(indices.at(-1))
  const rest = [...points.keys()].filter((index) => !picked.has(index))
  const left = most - picked.size
  for (let step = 0; step < left; step++) pick(rest[Math.floor(((step + 0.5) * rest.length) / left)])
  return [...picked].sort((a, b) => a - b).map((index) => points[index] ?? '')
}
