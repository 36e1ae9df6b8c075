/** Slips of the hand in the small words that make a question or a request: `hwo` is how, `somebdy` is somebody. */

const SMALL_WORDS =
  'can could would does what where when which how why who anyone anybody someone somebody please know explain help is are'.split(
    ' ',
  )
const KNOWN = new Set(SMALL_WORDS)

/** The text with those words as they were meant. Every other word stays as it is. */
export function correct(text: string): string {
  return text.replace(/[a-z]{3,12}/giu, (word) => {
    const typed = word.toLowerCase()
    if (KNOWN.has(typed)) return word
    return SMALL_WORDS.find((meant) => isSlip(typed, meant)) ?? word
  })
}

/** Two neighbours exchanged; in longer words also one letter left out, the first one always being right. */
function isSlip(typed: string, meant: string): boolean {
  if (typed[0] !== meant[0]) return false
  let same = 0
  while (same < typed.length && typed[same] === meant[same]) same++
  const swapped =
    typed.length === meant.length &&
    typed[same] === meant[same + 1] &&
    typed[same + 1] === meant[same] &&
    typed.slice(same + 2) === meant.slice(same + 2)
  if (swapped) return true
  return meant.length >= 6 && typed.length === meant.length - 1 && typed.slice(same) === meant.slice(same + 1)
}
