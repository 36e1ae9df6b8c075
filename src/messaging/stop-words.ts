/** "@Bee stop": a word that ends work, said to agents by their names and with nothing else. */
import type { Naming } from './gates/naming.js'

/** A verb with an object of its own ("stop the build") is work for an agent, and no command. */
const STOP =
  /^[\s,，:：、*]*(?:(?:and|和|与)[\s,，]+)*(?:please\s+|请\s*)?(?:stop|停|停止|停下|停下来|停一下|暂停)(?:\s+(?:now|it)\b)?(?:[\s,，]*please|吧)?[\s,，.!。！*]*$/iu

/** In place of names. */
export const STOP_EVERYONE = '@everyone'

/**
 * The command to stop those who are named; all, where everybody is or nobody but the bot.
 *
 * @param mentioned the bot itself is spoken to
 */
export function stopAimed(
  naming: Pick<Naming, 'named' | 'everyone' | 'bare'>,
  mentioned: boolean,
): { name: 'stop'; argument: string } | null {
  const isAimed = naming.named.length > 0 || naming.everyone || mentioned
  if (!isAimed || !STOP.test(naming.bare)) return null
  return {
    name: 'stop',
    argument: naming.everyone ? STOP_EVERYONE : naming.named.map(({ name }) => `@${name}`).join(' '),
  }
}
