/** Telegram in a box. */
import { VirtualClock } from '../kit/clock.js'
import { extras } from './control.js'
import { TelegramSimulator } from './simulator.js'

export { type Flood, flood } from '../kit/flood.js'
export type { SaidFile, TelegramSaid } from './people.js'
export { TelegramSimulator } from './simulator.js'

export interface StartTelegram {
  /** 0 or absent: any free port. */
  port?: number
  /** Absent: real time, which can be advanced. */
  clock?: VirtualClock
  /** Absent: a token that is good here only. */
  token?: string
  /** BotFather's /setprivacy: default off, so that the bot is given every message of its groups. */
  privacyMode?: boolean
  /** The bot joins groups as an administrator, as it must to be told of reactions. Default no. */
  botIsAdmin?: boolean
  /**
   * Bot-to-Bot Communication Mode: the bot is given other bots' messages too, by the same rules as people's. Default
   * off: none (https://core.telegram.org/api/bots/bot-to-bot).
   */
  botToBot?: boolean
  /** The platform's limits on sending. Default enforced. */
  limits?: 'enforced' | 'off'
  /**
   * Added to the ids of messages and updates. A bot that lives on while simulators come and go knows the ids of the one
   * before, and takes what has them for redelivered: give each a greater number, e.g. the time in seconds. Default 0.
   */
  session?: number
  name?: string
  username?: string
  /** Puts people and chats there before anybody connects. */
  seed?: (simulator: TelegramSimulator) => void
}

/** Starts a simulated Telegram on 127.0.0.1. Point a bot's API root at its `url`. */
export async function startTelegram(options: StartTelegram = {}): Promise<TelegramSimulator> {
  const simulator = new TelegramSimulator(
    {
      clock: options.clock ?? new VirtualClock(),
      ownsClock: options.clock === undefined,
      botToBot: options.botToBot ?? false,
      token: options.token ?? '7000000001:AAsimulated-token_good-here-only-000',
      privacyMode: options.privacyMode ?? false,
      botIsAdmin: options.botIsAdmin ?? false,
      limits: options.limits ?? 'enforced',
      session: options.session ?? 0,
      bot: { name: options.name ?? 'Golem', username: options.username ?? 'golem_bot' },
    },
    extras,
  )
  options.seed?.(simulator)
  await simulator.listen(options.port ?? 0)
  return simulator
}
