import { describe, expect, it } from 'vitest'
import { type Doc, mentionsOf, plainText } from '../../src/messaging/contract.js'
import { bodyOf } from './card.js'
import feishu from './index.js'
import { LIMITS } from './limits.js'
import { messageOf, readSample, SAMPLES, SELF } from './samples.fixture.js'

const message = (name: string) => messageOf(readSample(name))
const said = (name: string): string => message(name).doc.source ?? ''

const KINDS: Readonly<Record<string, string>> = {
  'bot-added': 'change',
  'bot-removed': 'change',
  'chat-entered': 'skipped',
  disbanded: 'change',
  'history-recalled': 'skipped',
  'members-added': 'change',
  'members-left': 'change',
  'members-withdrawn': 'change',
  'menu-unknown': 'skipped',
  'message-read': 'skipped',
  'old-schema': 'skipped',
  press: 'press',
  'press-foreign-value': 'press',
  'press-old': 'press',
  'reaction-added': 'reaction',
  'reaction-nowhere': 'skipped',
  'reaction-own': 'skipped',
  'reaction-removed': 'reaction',
  recalled: 'delete',
  renamed: 'change',
  'settings-changed': 'skipped',
  system: 'skipped',
  'text-own': 'skipped',
  'unknown-type': 'skipped',
}

describe('samples', () => {
  it('there are enough of them', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(35)
  })

  it.each(SAMPLES)('%s reads as what it is', (name) => {
    const found = readSample(name)
    expect(found.kind).toBe(KINDS[name] ?? 'message')
    expect(found.at).toBeGreaterThan(1_500_000_000_000)
    expect(JSON.parse(JSON.stringify(found))).toEqual(found)
  })

  it('every node knows its place in the source', () => {
    for (const name of SAMPLES) {
      const found = readSample(name)
      if (found.kind === 'message') checkPlaces(found.doc)
    }
  })

  it('what was said can be said again, and reads the same', () => {
    const bare = (text: string): string => text.replace(/[\s>•]+|\d+\. |———/g, '')
    for (const name of SAMPLES) {
      const found = readSample(name)
      if (found.kind !== 'message' || found.doc.children.length === 0) continue
      const [part] = feishu.codec.write(found.doc, LIMITS)
      const body = bodyOf(part?.body)
      if (body?.type !== 'interactive') throw new Error(`${name} is no card`)
      const item = {
        message_id: 'om_1',
        chat_id: 'oc_1',
        msg_type: 'interactive',
        create_time: '1700000000000',
        sender: { id: 'ou_x', id_type: 'open_id', sender_type: 'user' },
        body: { content: JSON.stringify(body.card) },
      }
      const people = Object.fromEntries(
        mentionsOf(found.doc).flatMap(({ id, name }) => (id === undefined ? [] : [[id, { name }]])),
      )
      const again = messageOf(feishu.codec.read({ body: item, from: 'history', names: { people } }, SELF))
      expect(bare(plainText(again.doc)), name).toBe(bare(plainText(found.doc)))
    }
  })

  it('rich text is read to its depth', () => {
    const { doc, files } = message('post')
    expect(doc.children.map(({ type }) => type)).toEqual([
      'paragraph',
      'paragraph',
      'paragraph',
      'code',
      'thematicBreak',
      'paragraph',
      'list',
      'paragraph',
    ])
    expect(doc.source).toBe(
      '**周报**\n\n@Golem **看看** _[链接](https://doc.example/x)_:SMILE:\n\n~~旧的~~\n\n```js\na < b\n```\n\n---\n\n' +
        '**set** `code`\n\n- one\n- two @李二\n\n未知',
    )
    expect(files?.map(({ id }) => id.split('/').slice(1))).toEqual([
      ['image', 'img_v3_02ab_7ea74629-9191-4176-998c-2e603c9c5e8g'],
      ['file', 'file_v3_0dcdd7d9-fib0-4432-a519-41d25aca542j'],
    ])
    expect(mentionsOf(doc).map(({ id }) => id)).toEqual(['ou_bot', 'ou_user_02'])
    expect(said('post-locales')).toBe('Hello @Everyone')
    expect(mentionsOf(message('post-locales').doc)).toMatchObject([{ target: 'everyone' }])
    expect(said('post-content-v2')).toBe('the whole of it\n[folder: assets]')
    expect(message('post-content-v2').files).toMatchObject([{ name: 'report.pdf' }])
  })

  it('cards of others, in each of their forms', () => {
    expect(said('card-rows')).toBe(
      '**Build 77**\n\nstatus: [failed](https://ci.example/77)\n\nfrom CI\n[Retry]',
    )
    expect(said('card-old')).toBe(
      '**Approval**\n\n**Who** @Ann\n\n_When_ today\n\n---\n\na note\n\n[Approve]',
    )
    expect(said('card-new')).toBe(
      '**Report**\n\n# Head\n\ntext <at id=all> red\n[link](https://x.example)\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n' +
        'in a column\n\nmore\n\ninside',
    )
    expect(mentionsOf(message('card-new').doc)).toEqual([])
    expect(said('card-drawn')).toBe('**Drawn**\n\nhello\n\n@Bob\n\n[Open]\n\n```go\nx := 1\n```')
  })

  it('what has no text is named; what has bytes is a file', () => {
    expect(['sticker', 'location', 'vote', 'todo', 'merged'].map(said)).toEqual([
      '[sticker]',
      '[location: 浙江省杭州市余杭区, 30.27, 119.99]',
      '[vote: Where to?]\n\n- Here\n- There',
      '[task]\n\nship it\n\ndue 2024-03-15 10:53 UTC',
      '[forwarded messages]\n\n> 李雷: first of @Ann\n> \n> Ann: [image.png]',
    ])
    expect(['file', 'image', 'audio', 'media'].map((name) => message(name).files?.[0]?.name)).toEqual([
      'a report.pdf',
      'image.png',
      'audio.opus',
      'demo.mp4',
    ])
  })

  it('topics are threads, quotes are not', () => {
    expect(message('text-topic')).toMatchObject({ place: { thread: expect.stringMatching(/^omt_/) } })
    expect(message('text-topic').replyTo).toBeUndefined()
    expect(message('text-topic-quote').replyTo).toEqual({ id: 'om_intopic' })
    expect(message('text-quote').place.thread).toBeUndefined()
    expect(message('text-quote').replyTo).toMatchObject({
      id: 'om_parent01',
      author: { name: '李雷', kind: 'person' },
      text: 'the quoted words',
    })
  })

  it('history knows whose post it is', () => {
    expect(message('history-own').author).toMatchObject({ id: 'ou_bot', kind: 'self' })
    expect(message('history-other-app').author).toMatchObject({ name: 'Deploy', kind: 'bot' })
    expect(mentionsOf(message('history').doc)).toMatchObject([{ id: 'ou_bot' }])
    expect(message('history-topic').place.thread).toBe('omt_1')
  })

  it('a press says what its button carried, in the old form too', () => {
    expect(readSample('press')).toMatchObject({ value: 'stop:7', author: { name: 'Ann' } })
    expect(readSample('press-old')).toMatchObject({ value: 'stop:7' })
    expect(JSON.stringify(readSample('press-old'))).not.toContain('c-295ee57216a5dc9de90fefd0aadb4b1d7d')
  })

  it('guests are of another organisation', () => {
    expect(message('text-guest').author.outside).toBe(true)
    expect(readSample('members-added')).toMatchObject({
      joined: [{ name: '李雷' }, { name: 'Guest', outside: true }],
    })
    expect(message('text-mention').author.outside).toBeUndefined()
  })

  it('an entry of the menu is a command in the direct chat', () => {
    expect(message('menu')).toMatchObject({ command: { name: 'status' }, chat: { kind: 'dm' } })
  })
})

function checkPlaces(doc: Doc): void {
  const { source = '' } = doc
  const visit = (node: Doc | Doc['children'][number]): void => {
    const { start, end } = node.position ?? {}
    const written = source.slice(start?.offset, end?.offset)
    if (node.type === 'text')
      expect(written.replace(/\n[ >]*/g, '\n')).toBe(node.value.replace(/\n[ >]*/g, '\n'))
    if (node.type === 'mention') expect(written).toBe(`@${node.name}`)
    if ('children' in node) for (const child of node.children) visit(child as never)
  }
  visit(doc)
}
