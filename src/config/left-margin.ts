/** Keys of the top of the file that stand within another mapping: lines that were pasted with blanks before them. */
import type { Finding } from './errors.js'
import { isMapping, type Mapping } from './shape.js'

/** The keys at the left margin that hold more than one value: what is pasted in whole. */
export const SECTIONS: readonly string[] = ['groupChat', 'channels', 'gateway', 'rooms', 'agents']

/** @param line where the key stands at the left margin as well, 1-based */
export function belongsAtMargin(key: string, line?: number): string {
  return line === undefined
    ? `${key} belongs at the left margin. Remove the blanks before it, and as many before the lines below it.`
    : `${key} belongs at the left margin, where line ${line} has it already. Put what stands below this one there.`
}

/** Takes such keys out of `rooms`, where every key could be a chat: nothing else is said about them. */
export function takeFromRooms(
  root: Mapping,
  top: readonly string[],
  lineOf: (key: string) => number | undefined,
): Finding[] {
  if (!isMapping(root.rooms)) return []
  const rooms = { ...root.rooms }
  const misplaced = Object.keys(rooms).filter((key) => top.includes(key))
  for (const key of misplaced) delete rooms[key]
  root.rooms = rooms
  return misplaced.map((key) => ({
    path: ['rooms', key],
    at: 'key',
    message: `rooms.${key} is no room: ${belongsAtMargin(key, lineOf(key))}`,
  }))
}
