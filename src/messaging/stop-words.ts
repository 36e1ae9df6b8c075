/** "@Bee stop": a word that ends work, said to agents by their names and with nothing else. */
import type { Naming } from './gates/naming.js'

/** A verb with an object of its own ("stop the build") is work for an agent, and no command. */
const STOP =
  /^[\s,，:：]*(?:please\s+|请\s*)?(?:stop|停|停止|停下|暂停)(?:[\s,，]*please|吧)?[\s,，.!。！]*$/iu

/** In place of names. */
export const STOP_EVERYONE = '@everyone'

/** The command to stop those who are named, or all where everybody is. */
export function stopAimed(
  naming: Pick<Naming, 'named' | 'everyone' | 'bare'>,
): { name: 'stop'; argument: string } | null {
  if ((naming.named.length === 0 && !naming.everyone) || !STOP.test(naming.bare)) return null
  return {
    name: 'stop',
    argument: naming.everyone ? STOP_EVERYONE : naming.named.map(({ name }) => `@${name}`).join(' '),
  }
}
