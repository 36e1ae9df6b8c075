import { describe, expect, it } from 'vitest'
import { plainText, sourceText } from '../../src/messaging/contract.js'
import { eventsOf } from './raw.js'
import { ALLOWED_UPDATES, read } from './read.js'
import { messageOf, readSample, SAMPLES, SELF, sample } from './samples.fixture.js'

/** What each sample is read as; of a message, what it says. */
const READ: Readonly<Record<string, string>> = {
  'bot-added': 'change',
  'bot-blocked': 'change',
  'bot-promoted': 'skipped service-notice',
  'bot-removed': 'change',
  'button-pressed': 'press',
  'button-pressed-old': 'press',
  'channel-post': 'message @relaybot summarise',
  'edited-channel-post': 'edit',
  'edited-message': 'edit',
  'member-joined': 'change',
  'message-album-item': 'message ',
  'message-animation': 'message ',
  'message-anonymous-admin': 'message be nice',
  'message-as-channel': 'message we at News think so too',
  'message-audio': 'message ',
  'message-checklist': 'message [Checklist: Release: Tag / Publish]',
  'message-command': 'message /why@RelayBot that answer',
  'message-contact': 'message [Contact: Carol +49301234567]',
  'message-dice': 'message [Dice 🎲: 4]',
  'message-dm': 'message hello',
  'message-document': 'message the report',
  'message-external-reply': 'message [reply to a message of News]\n\n> the new plan\n\nwhat about this?',
  'message-formatted':
    'message Bold and italic, code: x = 1\n\nprint(x)\n\nSee the docs or https://example.com/a_b. ||hidden|| gone\n\n> Quoted words\n\nDone',
  'message-forward-channel': 'message [forwarded from News (Dora)]\n\n> We ship on Monday.',
  'message-forward-hidden': 'message [forwarded from Somebody Else]\n\n> look',
  'message-forward-user': 'message [forwarded from Bob]\n\n> /stop @relaybot now',
  'message-general-topic': 'message @relaybot hi',
  'message-in-topic': 'message status?',
  'message-linked-channel-post': 'message [forwarded from News]\n\n> Big news for @relaybot',
  'message-location': 'message [Location: 52.52001, 13.40495]',
  'message-mention': 'message 🚀🚀 @relaybot status?',
  'message-of-a-bot': 'message @relaybot it rains',
  'message-photo-caption': 'message 请看这张图 @relaybot 是什么',
  'message-poll': 'message [Poll: Lunch? Options: Pizza / Soup]',
  'message-reply-chain': 'message more please',
  'message-reply-in-topic': 'message yes',
  'message-reply-to-bot': 'message why so?',
  'message-reply-with-quote': 'message this part?',
  'message-sticker': 'message [Sticker 👍 HotCherry]',
  'message-text-mention': 'message @Relay Helper please summarise',
  'message-topic-root': 'message lunch at one?',
  'message-venue': 'message [Place: Eiffel Tower, 5 Avenue Anatole France (48.85837, 2.29448)]',
  'message-via-bot': 'message Sunny, 21 degrees',
  'message-video': 'message ',
  'message-voice': 'message ',
  'reaction-anonymous': 'reaction',
  'reaction-changed': 'reaction reaction',
  'service-bot-joined': 'skipped service-notice',
  'service-joined': 'change',
  'service-left': 'change',
  'service-moved-from': 'change',
  'service-moved-to': 'change',
  'service-pinned': 'skipped service-notice',
  'service-renamed': 'change',
  'service-topic-created': 'skipped service-notice',
  'update-poll': 'skipped unsupported-kind',
}

describe('samples', () => {
  it.each(SAMPLES)('%s', (name) => {
    const events = readSample(name)
    const shown = events.map((event) => {
      if (event.kind === 'skipped') return `skipped ${event.reason}`
      return event.kind === 'message' ? `message ${plainText(event.doc)}` : event.kind
    })
    expect(shown.join(' ')).toBe(READ[name])
    for (const event of events) expect(event.event).toBeTruthy()
  })

  it('cover every kind of update that is asked for', () => {
    const kinds = new Set(SAMPLES.flatMap((name) => Object.keys(sample(name))))
    for (const kind of ALLOWED_UPDATES) expect(kinds).toContain(kind)
  })

  it('have a key each, the same at every delivery and whatever update brings it', () => {
    const keys = SAMPLES.flatMap((name) => readSample(name).map(({ event }) => event))
    // The move of a group is told twice, once in each chat.
    expect(keys.length - new Set(keys).size).toBe(1)
    for (const name of SAMPLES) {
      if (name === 'update-poll') continue
      const again = eventsOf({ ...sample(name), update_id: 900_000_000 }).map((raw) => read(raw, SELF).event)
      expect(again).toEqual(readSample(name).map(({ event }) => event))
    }
  })

  it('keep their Markdown as source, in which every node has its place', () => {
    const { doc } = messageOf(readSample('message-formatted')[0])
    expect(sourceText(doc, ({ name }) => `@${name}`)).toBe(
      '**Bold** and *italic*, code: `x = 1`\n```python\nprint(x)\n```\nSee the [docs](https://docs.example.com/) or https://example.com/a_b. ||hidden|| ~~gone~~\n> Quoted words\n\nDone',
    )
  })
})
