import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const find = (room: TestRoom, query: string, limit = 20) =>
  COMMANDS.searchTranscript(room.room, 'local:lobby', query, limit).map(({ text }) => text)

function saying(...lines: string[]): TestRoom {
  const room = new TestRoom()
  for (const line of lines) room.say(line)
  return room
}

describe('search in scripts without blanks', () => {
  it.each([
    ['大阪出張の件、東京で話しましょう', '東京'],
    ['大阪出張の件、東京で話しましょう', '件、東'],
    ['サーバーの再起動は来週です', 'サーバー'],
    ['サーバーの再起動は来週です', 'ｻｰﾊﾞｰ'],
    ['ｻｰﾊﾞｰの再起動は来週です', 'サーバー'],
    ['おはようございます', 'よう'],
    ['時々雨', '々雨'],
    ['这是我的书', '我的'],
    ['这是我的书', '的书'],
    ['好的吗', '的吗'],
    ['版本２.０明天发布', '2'],
    ['API延迟看板', '延迟'],
    ['延迟API看板', 'api看板'],
    ['배포는 금요일에 합니다', '요일'],
    ['𠮷野家で昼食', '𠮷野'],
    ['㍿ゴーレム', '株式会社'],
  ])('%s is found by %s', (line, query) => {
    expect(find(saying('lunch at noon', line, '明日'), query)).toContain(line)
  })

  it.each(['版', '本', '布', 'は', 'ー'])('one character finds it anywhere in a line: %s', (character) => {
    const room = saying('新版本明天发布', 'これはサーバー')
    expect(find(room, character)).toHaveLength(1)
  })

  it('any two or more characters that stand together in a line find it', () => {
    const unit = fc.constantFrom(
      ...'版本明天发布的吗呢吧啊会議は金曜日ですサーバーガ々〆ヶ배포금요일𠮷a１b 、。-\n',
    )
    const line = fc.string({ unit, minLength: 2, maxLength: 24 })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), (lines, from, size) => {
        const runs = lines.flatMap((text) =>
          (
            text
              .normalize('NFKC')
              .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々〆]{2,}/gu) ??
            []
          ).map((run) => ({ text, run: [...run] })),
        )
        fc.pre(runs.length > 0)
        const { text, run } = runs[from % runs.length] ?? { text: '', run: [] }
        const start = size % (run.length - 1)
        const part = run.slice(start, start + 2 + (from % 4)).join('')
        // As it was stored: what a platform's reader makes of blanks is not what is tested here.
        const kept = saying(...lines)
        const stored = find(kept, part).map((one) => one.normalize('NFKC'))
        expect(
          stored.some((one) => one.includes(part)),
          JSON.stringify({ text, part, stored }),
        ).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('what holds all of it comes first, then what holds more of it, then the newer', () => {
    const room = saying('发布', '新版本发布', '版本发布说明', '明天发布会', '今天发布会')
    expect(find(room, '版本发布').slice(0, 2).sort()).toEqual(['新版本发布', '版本发布说明'].sort())
    expect(find(room, '发布会').slice(0, 3)).toEqual(['今天发布会', '明天发布会', '发布'])
  })

  it('words that were edited away or deleted find nothing', () => {
    const room = new TestRoom()
    room.say('秘密の計画', { id: 'a' })
    room.say('金曜の計画', { id: 'b' })
    expect(find(room, '計画')).toHaveLength(2)
    room.edit('a', '公開の予定')
    room.remove('b')
    expect(find(room, '計画')).toEqual([])
    expect(find(room, '秘')).toEqual([])
    expect(find(room, '予定')).toEqual(['公開の予定'])
  })
})

describe('ranking', () => {
  it('is not changed by what was said elsewhere', () => {
    const lines = ['the heron', 'a walrus and a heron', 'walrus', 'an otter, a walrus']
    const here = saying(...lines)
    const before = find(here, 'heron walrus otter')
    for (let n = 0; n < 50; n++) here.say('heron heron', { place: { chat: 'den' } })
    expect(find(here, 'heron walrus otter')).toEqual(before)
  })

  it('common words do not hide a line that holds the rare one', () => {
    const room = saying('the walrus')
    for (let n = 0; n < 30; n++) room.say(`this is the line ${n} of the day`)
    expect(find(room, 'where is the walrus of the day?', 3)[0]).toBe('the walrus')
  })
})
