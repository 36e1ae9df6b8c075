/**
 * The simulated platforms that `golem simulate` starts. The only place of the product that reaches into tests/: they are
 * the base of the tests, and useful to anyone who writes a bot.
 */
import type { Simulators } from './world.js'

/** Numbers of sessions begin here, so that ids stay within the 32 bits that Telegram's have. */
const SESSIONS_FROM = Date.UTC(2026, 0)

/** The chats are the same from start to start: what is said in them must not have the ids of what was said before. */
const session = (): number => Math.floor((Date.now() - SESSIONS_FROM) / 1_000)

/** Ports that stay the same from start to start, so that a golem.yaml which points there stays good. */
export const SIMULATORS: Simulators = {
  discord: {
    port: 4603,
    start: async (options) =>
      (await import('../../tests/simulators/discord/index.js')).startDiscord({
        ...options,
        bot: options.name,
        founded: SESSIONS_FROM,
      }),
  },
  feishu: {
    port: 4604,
    start: async (options) =>
      (await import('../../tests/simulators/feishu/index.js')).startFeishu({
        ...options,
        bot: options.name,
        session: session(),
      }),
  },
  slack: {
    port: 4602,
    start: async (options) =>
      (await import('../../tests/simulators/slack/index.js')).startSlack({ ...options, bot: options.name }),
  },
  telegram: {
    port: 4601,
    start: async (options) =>
      (await import('../../tests/simulators/telegram/index.js')).startTelegram({
        ...options,
        session: session(),
      }),
  },
}
