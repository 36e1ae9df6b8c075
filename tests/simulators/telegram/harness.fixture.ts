/** A simulated Telegram on a clock that stands still, and a bot that calls it by plain HTTP. */
import { afterEach } from 'vitest'
import { VirtualClock } from '../kit/clock.js'
import { type StartTelegram, startTelegram, type TelegramSimulator } from './index.js'

export interface Answered {
  status: number
  ok: boolean
  result: Record<string, unknown>
  description?: string
  parameters?: { retry_after?: number; migrate_to_chat_id?: number }
}

export type Ask = (method: string, params?: object) => Promise<Answered>

const open: TelegramSimulator[] = []
afterEach(async () => {
  for (const telegram of open.splice(0)) await telegram.close()
})

/** Limits are off unless asked for. */
export async function box(
  options: StartTelegram = {},
): Promise<{ telegram: TelegramSimulator; clock: VirtualClock; ask: Ask }> {
  const clock = options.clock ?? new VirtualClock({ manual: true, start: 1_790_000_000_000 })
  const telegram = await startTelegram({ limits: 'off', ...options, clock })
  open.push(telegram)
  const { botToken } = telegram.settings('socket')
  const ask: Ask = async (method, params = {}) => {
    const response = await fetch(`${telegram.url}/bot${String(botToken)}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    })
    return { status: response.status, ...((await response.json()) as Omit<Answered, 'status'>) }
  }
  return { telegram, clock, ask }
}

/** The updates that wait, all at once; confirms none. */
export async function updates(ask: Ask, offset = 0): Promise<Record<string, Record<string, unknown>>[]> {
  return (await ask('getUpdates', { offset })).result as unknown as Record<string, Record<string, unknown>>[]
}
