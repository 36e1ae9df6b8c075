/** When two agent names are the same name, and which names nobody may have. */

/** Two names that fold alike are one name: Unicode case folding over NFC. */
export function foldName(name: string): string {
  // Up and then down folds what a single lower-casing leaves apart (ß and SS, final sigma).
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** Words that name everybody, so no single agent may. */
export const BROADCAST_NAMES: readonly string[] = ['everyone', 'all']
/** Words that `defaultResponder` already gives a meaning. */
export const RESPONDER_WORDS: readonly string[] = ['everyone', 'mentions', 'auto']

const RESERVED = new Set([...BROADCAST_NAMES, ...RESPONDER_WORDS])

export function isReserved(name: string): boolean {
  return RESERVED.has(foldName(name))
}
