import { it } from 'vitest'

/** A law for those whom it concerns: what a platform does not declare is held to nothing, and skips nothing. */
export function where(concerned: boolean, law: string, holds: () => Promise<void>): void {
  if (concerned) it(law, holds)
}
