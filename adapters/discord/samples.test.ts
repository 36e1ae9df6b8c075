import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type InboundMessage, mentionsOf, plainText } from '../../src/messaging/contract.js'
import discord from './index.js'
import { LIMITS } from './limits.js'
import { type DiscordBody, type DiscordRaw, eventsOf } from './raw.js'

const folder = new URL('./samples/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const SELF = { id: '1187204481620426842', name: 'Golem' }
const CHAN = '1042381906123407410'
const raw = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as DiscordRaw
const read = (name: string) => discord.codec.read(raw(name), SELF)
const message = (name: string): InboundMessage => {
  const found = read(name)
  if (found.kind !== 'message') throw new Error(`${name} is ${found.kind}`)
  return found
}

/** What is no message. */
const KINDS: Readonly<Record<string, string>> = {
  autocomplete: 'skipped unsupported-kind',
  delete: 'delete',
  'delete-bulk': 'skipped malformed',
  edit: 'edit',
  'edit-own': 'skipped own-message',
  'edit-partial': 'skipped service-notice',
  'edit-preview': 'skipped service-notice',
  'guild-left': 'skipped service-notice',
  'member-joined': 'skipped service-notice',
  'member-left': 'skipped service-notice',
  'menu-user': 'skipped unsupported-kind',
  'message-blanked': 'skipped no-content',
  'message-no-parent': 'skipped malformed',
  'message-own': 'skipped own-message',
  'notice-join': 'change',
  'notice-pin': 'skipped service-notice',
  'notice-thread-created': 'skipped service-notice',
  press: 'press',
  'press-menu': 'skipped unsupported-kind',
  'reaction-added': 'reaction',
  'reaction-custom': 'reaction',
  'reaction-own': 'skipped own-message',
  'reaction-removed': 'reaction',
  'reactions-cleared': 'skipped service-notice',
  renamed: 'change',
  'thread-created': 'skipped service-notice',
  'thread-renamed': 'skipped service-notice',
}

describe('samples', () => {
  it.each(files)('%s reads as what it is', (file) => {
    const found = read(file.replace(/\.json$/, ''))
    const kind = found.kind === 'skipped' ? `skipped ${found.reason}` : found.kind
    expect(kind).toBe(KINDS[file.replace(/\.json$/, '')] ?? 'message')
  })

  it('what was said can be said again, and reads the same', () => {
    const bare = (text: string) => text.replace(/[\s\u200b>•#]+|\d+\. /g, '')
    for (const file of files) {
      const found = read(file.replace(/\.json$/, ''))
      if (found.kind !== 'message' || found.doc.children.length === 0) continue
      const [part] = discord.codec.write(found.doc, LIMITS)
      if (part === undefined) throw new Error(`${file} is written as nothing`)
      const { content } = part.body as DiscordBody
      const people = Object.fromEntries(
        mentionsOf(found.doc).flatMap(({ id, name }) => (id === undefined ? [] : [[id, { name }]])),
      )
      const channels = { [CHAN]: { type: 0, name: 'general' } }
      const golem = { ...raw(file.replace(/\.json$/, '')).golem, channels, people }
      const d = {
        id: '1',
        channel_id: CHAN,
        author: { id: '2', username: 'x' },
        content,
        mention_everyone: true,
      }
      const again = discord.codec.read({ t: 'MESSAGE_CREATE', d, from: 'history', golem }, SELF)
      if (again.kind !== 'message') throw new Error(`${file} is ${again.kind}`)
      expect(bare(plainText(again.doc)), file).toBe(bare(plainText(found.doc)))
    }
  })

  it('text is read to its depth: code, quotes, links and mentions are nodes, emphasis stays as it was written', () => {
    const { doc } = message('message-rich')
    expect(doc.children.map(({ type }) => type)).toEqual(['paragraph', 'blockquote', 'code', 'paragraph'])
    expect(mentionsOf(doc)).toMatchObject([{ target: 'user', id: '312908123456790528', name: 'Benny' }])
    expect(doc.source).toBe(
      `# Plan\n**Ship** it ||soon|| *really*, [docs](https://docs.example/a_(b)) and https://x.example/?a=1.\n- #general :party: 2023-11-14 22:13 UTC /golem ask\n\n> @Benny: said so\n> twice\n\n\`\`\`ts\nconst a = '<@${SELF.id}>'\n\`\`\`\n\nthanks @Benny`,
    )
  })

  it('the bot is named by its account and by its own role, no other role is it', () => {
    expect(mentionsOf(message('message-mention').doc)).toMatchObject([{ target: 'user', id: SELF.id }])
    expect(mentionsOf(message('message-managed-role').doc)).toMatchObject([{ target: 'user', id: SELF.id }])
    expect(mentionsOf(message('message-role').doc)).toMatchObject([{ target: 'role', name: 'devs' }])
    expect(mentionsOf(message('message-everyone').doc)).toMatchObject([{ target: 'everyone' }])
  })

  it('a thread is a thread of its parent, and a forum post one of its forum', () => {
    expect(message('message-in-thread')).toMatchObject({
      place: { chat: CHAN, thread: '1201522213440192533' },
      chat: { kind: 'group', title: 'general' },
    })
    const post = message('message-forum-post')
    expect(post).toMatchObject({
      place: { chat: '1098110110223155270', thread: post.id },
      chat: { title: 'help' },
    })
    expect(mentionsOf(post.doc)).toEqual([])
    expect(message('command-in-thread').place).toEqual({ chat: CHAN, thread: '1201522213440192533' })
  })

  it('files are named by their message: addresses expire', () => {
    expect(message('message-files').files).toMatchObject([
      { id: `${CHAN}-${message('message-files').id}-1201522300110022111`, name: 'a b.csv', bytes: 1024 },
      { name: 'SPOILER_image.png', mime: 'image/png' },
    ])
    expect(message('message-voice').files).toMatchObject([{ name: 'voice-message.ogg', mime: 'audio/ogg' }])
    expect(message('message-sticker').files).toMatchObject([
      { id: 'sticker-749054660769218631-3', name: 'Wave.json' },
    ])
    expect(message('message-forward').files).toMatchObject([{ name: 'log.txt' }])
  })

  it('what is forwarded is a quote, and whoever is named in it is not called', () => {
    const { doc, replyTo } = message('message-forward')
    expect(doc.children).toMatchObject([{ type: 'blockquote' }])
    expect(mentionsOf(doc)).toEqual([])
    expect(replyTo).toBeUndefined()
  })

  it('what apps say in embeds is theirs, a preview of a link nobody’s', () => {
    expect(message('message-bot')).toMatchObject({ author: { kind: 'bot', name: 'deploy-bot' } })
    expect(message('message-bot').doc.source).toContain('[Deploy failed](https://ci.example/7)')
    expect(message('message-bot').doc.source).toContain('Branch: main')
    expect(message('message-link-preview').doc.source).toBe('https://x.example/page')
    expect(message('message-poll').doc.source).toBe('Poll: Lunch?\n- 🍕 Pizza\n- Soup')
    expect(message('message-webhook').author).toMatchObject({ kind: 'bot', name: 'GitHub' })
  })

  it('a reply tells whose words it answers, as far as Discord does', () => {
    expect(message('message-reply-to-bot').replyTo).toMatchObject({
      author: { kind: 'self' },
      text: 'Restart_it with make up',
    })
    expect(message('message-reply-ping')).toMatchObject({
      replyTo: { author: { name: 'ben' }, text: 'try restarting' },
    })
    expect(message('message-reply-to-deleted').replyTo).toEqual({ id: '1201500000000000000' })
  })

  it('a deletion of many is many deletions', () => {
    const all = eventsOf(raw('delete-bulk')).map((one) => discord.codec.read(one, SELF))
    expect(all.map(({ kind }) => kind)).toEqual(['delete', 'delete'])
    expect(new Set(all.map(({ event }) => event)).size).toBe(2)
  })

  it('commands bring what was asked, and a menu its message', () => {
    expect(message('command-ask')).toMatchObject({ command: { name: 'ask' }, author: { name: 'Annie' } })
    expect(message('command-ask').doc.source).toBe('what did @Benny mean by **that**?')
    expect(message('command-dm')).toMatchObject({ command: { name: 'new' }, chat: { kind: 'dm' } })
    expect(message('menu-why')).toMatchObject({
      command: { name: 'why' },
      replyTo: { text: 'try restarting' },
    })
    expect(read('press')).toMatchObject({ value: 'stop:7', author: { name: 'Annie' } })
  })

  it('history knows whose post it is, and what a thread was made of', () => {
    expect(message('history-own')).toMatchObject({
      author: { kind: 'self' },
      place: { chat: CHAN, thread: '1201522213440192533' },
    })
    expect(message('history-own').doc.source).toBe('Look at [the log](https://ci.example/7), @Annie: *red*')
    expect(message('history-starter')).toMatchObject({
      id: '1201522213440192533',
      event: 'message:1201522213440192533',
      place: { chat: CHAN, thread: '1201522213440192533' },
      doc: { source: 'Why is the build so slow?' },
    })
  })
})
