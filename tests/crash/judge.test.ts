import { describe, expect, it } from 'vitest'
import type { Seen } from '../simulators/kit/stage.js'
import { answered, fileOnce, inParts, leftOver } from './judge.js'

const LABEL = '(may be a duplicate: the connection broke while posting)\n\n'

function post(text: string, more: Partial<Seen> = {}): Seen {
  return {
    id: text,
    author: { id: 'bot', name: 'Golem', bot: true },
    text,
    raw: null,
    pings: [],
    links: [],
    buttons: [],
    reactions: [],
    files: [],
    silent: false,
    edited: false,
    ...more,
  }
}

const reply = (text: string) => post(text, { replyTo: 'q' })

describe('an answer', () => {
  it.each([
    ['none', [], 1, 1],
    ['one', [reply('yes')], 0, 0],
    ['one with a label only', [reply(`${LABEL}yes`)], 1, 0],
    ['a second one with a label', [reply('yes'), reply(`${LABEL}yes`)], 1, 0],
    ['a label where none may be', [reply(`${LABEL}yes`)], 0, 1],
    ['two without a label', [reply('yes'), reply('yes')], 1, 1],
    ['another answer', [reply('yes'), reply('no')], 1, 1],
    ['an answer to something else', [post('yes', { replyTo: 'other' })], 1, 1],
    ['an answer only one person sees', [post('yes', { replyTo: 'q', onlyFor: 'ann' })], 1, 1],
  ])('%s', (_, seen, labels, problems) => {
    expect(answered(seen, 'q', /^yes$/, { labels })).toHaveLength(problems)
  })
})

describe('parts', () => {
  const part = (...numbers: number[]) => numbers.map((number) => `line 000${number} text`).join('\n')

  it.each([
    ['in order', [part(1, 2), part(3, 4)], 0, 0],
    ['a second copy with a label', [part(1, 2), part(3, 4), `${LABEL}${part(3, 4)}`], 1, 0],
    ['the label on a part in the middle', [part(1, 2), `${LABEL}${part(1, 2)}`, part(3, 4)], 1, 0],
    ['a second copy without a label', [part(1, 2), part(1, 2), part(3, 4)], 1, 2],
    ['out of order', [part(3, 4), part(1, 2)], 1, 2],
    ['one is missing', [part(1), part(3, 4)], 1, 2],
    ['the last one is missing', [part(1, 2), part(3)], 1, 1],
    ['no parts', [part(1, 2, 3, 4)], 1, 1],
  ])('%s', (_, texts, labels, problems) => {
    expect(
      inParts(
        texts.map((text) => post(text)),
        4,
        { labels },
      ),
    ).toHaveLength(problems)
  })
})

it('a file is there once, or twice with a label in its name', () => {
  const file = (name: string) => post('', { files: [{ name, bytes: 1 }] })
  const labelled = file('a (may be a duplicate).txt')
  expect(fileOnce([file('a.txt')], 'a.txt', { labels: 0 })).toEqual([])
  expect(fileOnce([file('a.txt'), labelled], 'a.txt', { labels: 1 })).toEqual([])
  expect(fileOnce([file('a.txt'), file('a.txt')], 'a.txt', { labels: 1 })).toHaveLength(1)
  expect(fileOnce([], 'a.txt', { labels: 1 })).toHaveLength(1)
})

it('a status post that is still there is left over', () => {
  expect(leftOver([post('Working on it…'), post('done')])).toHaveLength(1)
})
