/** Field cases of Discord and Feishu as they were reported, through the built daemon: what came in, and what people saw. */
import { beforeAll, describe, expect, it } from 'vitest'
import { fieldCase } from '../fixtures/field-cases.js'
import type { DiscordSimulator } from '../simulators/discord/index.js'
import type { FeishuSimulator } from '../simulators/feishu/index.js'
import type { Seen, Simulator } from '../simulators/kit/stage.js'
import { Chat, type Daemon, discord, feishu, onPlatforms, verbatim } from './platforms.js'

let daemon: Daemon
let disc: DiscordSimulator
let feis: FeishuSimulator
let chats = 0

const NOW = new Date().toISOString()

beforeAll(async () => {
  disc = await discord({ bot: 'relay', limits: 'off' })
  feis = await feishu({ bot: '小助手', limits: 'off' })
  daemon = await onPlatforms([{ stage: disc }, { stage: feis }])
})

/** What people see of this Markdown. */
async function shown(stage: Simulator, markdown: string): Promise<Seen[]> {
  const person = stage.person('ann')
  const room = new Chat(daemon, stage, stage.group(`Case ${++chats}`, [person]))
  await room.ask(person, verbatim(markdown))
  return room.own
}

const textOf = (seen: readonly Seen[]): string => seen.map(({ text }) => text).join('\n')

describe('what comes in on Discord', () => {
  it.each(['dc-managed-role-mention', 'dc-reply-ping-is-not-a-typed-mention'])(
    '%s: addressed or not, as Discord delivers it',
    async (id) => {
      const { input, expected } = fieldCase(id)
      const cid = disc.person('ann')
      const room = new Chat(daemon, disc, disc.group(`Case ${++chats}`, [cid]))
      const role = ((input.guild_roles ?? []) as { id: string }[])[0]?.id ?? 'none'
      const names: Record<string, string> = {
        '900000000000000001': disc.bot.id,
        '800000000000000001': disc.discord.guild,
        '700000000000000001': room.id,
        // Ids of messages are never the same in two chats.
        '5000000000000': `50000000${String(chats).padStart(5, '0')}`,
        [role]: disc.discord.botRole(),
      }
      const messages = (input.messages as { id: string }[]).map(
        (message) =>
          JSON.parse(
            Object.entries(names).reduce(
              (text, [from, to]) => text.replaceAll(from, to),
              JSON.stringify(message),
            ),
          ) as { id: string },
      )
      for (const message of messages) disc.inject('MESSAGE_CREATE', { ...message, timestamp: NOW })
      await room.rest()
      const receipts = await Promise.all(messages.map((message) => room.receipt(message.id)))
      expect(receipts.map(({ decision }) => decision?.addressed)).toEqual(expected.addressed)
    },
  )
})

describe('what comes in on Feishu', () => {
  const IN = [
    'fs-external-user-is-not-the-bot',
    'fs-at-all-is-not-a-mention',
    'fs-placeholder-1-inside-10',
    'fs-rich-post-keeps-everything',
  ]
  it.each(IN)('%s: addressed or not, and read as it was meant', async (id) => {
    const { input, expected } = fieldCase(id)
    const room = new Chat(daemon, feis, feis.group(`Case ${++chats}`, [feis.person('ann')]))
    const names = { ou_bot_0001: feis.bot.id, oc_group_01: room.id, om_: `om_${id}_`, 'ev-': `${id}-` }
    const said: string[] = []
    for (const event of input.events as unknown[]) {
      const own = JSON.parse(
        Object.entries(names).reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(event)),
      ) as { event: { message: { message_id: string; create_time: string } } }
      own.event.message.create_time = String(Date.now())
      said.push(own.event.message.message_id)
      feis.inject(own)
      await room.rest()
    }
    const turns = expected.turns as { text: string; addressed: boolean }[] | undefined
    const addressed = expected.addressed ?? turns?.map((turn) => turn.addressed)
    const receipts = await Promise.all(said.map((message) => room.receipt(message)))
    expect(receipts.map(({ decision }) => decision?.addressed)).toEqual([addressed].flat())
    if (turns !== undefined) {
      const asked = feis.calls.filter(({ chat, effect }) => chat === room.id && effect)
      expect(JSON.stringify(asked)).toContain(`heard: ${turns[0]?.text}`)
    }
  })
})

describe('what is shown on Discord and Feishu', () => {
  it('dc-outbound-longest-name-wins: the longer of two names is mentioned, unknown ones stay text', async () => {
    const { input, expected } = fieldCase('dc-outbound-longest-name-wins')
    const members = (input.members as { name: string; id: string }[]).map(({ name, id }) => ({
      id,
      own: disc.discord.person({ name, guild: disc.discord.guild }),
    }))
    const posts = await shown(disc, String(input.markdown))
    const content = members.reduce(
      (text, { id, own }) => text.replaceAll(id, own.id),
      String(expected.content),
    )
    expect(posts.map(({ raw }) => (raw as { content: string }).content)).toEqual([content])
    for (const { own } of members) expect(posts[0]?.pings).toContain(own.id)
  })

  it('fs-more-tables-than-a-card-takes: all of them, in order, none refused', async () => {
    const { input, expected } = fieldCase('fs-more-tables-than-a-card-takes')
    const text = textOf(await shown(feis, String(input.markdown)))
    expect(text.match(/x\d/g)).toEqual(expected.visible_contains)
  })

  it('fs-heading-not-shown-raw: without its sign', async () => {
    const { input, expected } = fieldCase('fs-heading-not-shown-raw')
    const text = textOf(await shown(feis, String(input.markdown)))
    for (const part of expected.visible_contains as string[]) expect(text).toContain(part)
    for (const line of text.split('\n')) expect(line).not.toMatch(/^#/)
  })

  it('fs-limit-is-bytes-not-characters: whole, and no card refused', async () => {
    const { input, expected } = fieldCase('fs-limit-is-bytes-not-characters')
    const from = feis.calls.length
    const posts = await shown(feis, String(input.markdown))
    expect(posts.map(({ text }) => text).join('')).toBe(expected.joined_visible_text)
    const sent = feis.calls.slice(from).filter(({ method }) => /message\.(?:create|reply)$/.test(method))
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200))
  })
})
