/** `/memory` in a chat: what is remembered here, `add`, `workspace` and `forget`. */
import { FACT_CHARACTERS, type FactKept } from '../messaging/facts.js'
import { mayChange, mayNot } from '../messaging/rights.js'
import { safeLine } from '../messaging/text/index.js'
import { one, type Room } from './db.js'
import { type CommandSaid, openErrand } from './errands.js'
import { erase, findFacts, keep, keepHere, mayForget } from './facts.js'
import { settingsOf } from './moves.js'
import type { ChatRow } from './rows.js'

const VERBS: Readonly<Record<string, 'show' | 'add' | 'workspace' | 'forget'>> = {
  show: 'show',
  add: 'add',
  remember: 'add',
  workspace: 'workspace',
  forget: 'forget',
  查看: 'show',
  添加: 'add',
  记住: 'add',
  全员: 'workspace',
  忘记: 'forget',
}
const LISTED = 8
const EXCERPT = 120

/** @returns the answer; null where it is one that needs the memory file, and comes by itself */
export function memoryCommand(room: Room, said: CommandSaid, argument: string): string | null {
  const say = room.policy.language === 'zh' ? ZH : EN
  const [, word = '', words = ''] = /^(\S+)(?:\s+([\s\S]*))?$/u.exec(argument.trim()) ?? []
  const verb = word === '' ? 'show' : VERBS[word.toLowerCase()]
  const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), said.chat)
  if (verb === undefined || chat === undefined || (verb !== 'show' && words.trim() === '')) return say.usage
  if (verb === 'show') {
    openErrand(room, said, 'show', '')
    return null
  }
  if (said.message.author.outside === true) return say.outside
  if (verb === 'forget') return forget(room, said, chat, words)
  const kept = verb === 'add' ? add(room, said, chat, words) : share(room, said, chat, words)
  return typeof kept === 'string' ? kept : answerOf(kept, say)
}

function answerOf(kept: FactKept, say: typeof EN): string {
  if (kept.status === 'refused') return say.refused(kept)
  return kept.status === 'known' ? say.known(excerpt(kept.text)) : say.kept[kept.audience](excerpt(kept.text))
}

const excerpt = (text: string): string => safeLine(text, EXCERPT)

function newFact({ message, id, now }: CommandSaid, text: string) {
  const { id: person, name } = message.author
  return { text, by: { id: person, name }, agent: null, message: id, turn: null, at: now }
}

function add(room: Room, said: CommandSaid, chat: ChatRow, text: string): FactKept {
  return keepHere(room, chat, newFact(said, text))
}

/** Known to everybody of the organisation: by an owner only, and never where somebody else reads along. */
function share(room: Room, said: CommandSaid, chat: ChatRow, text: string): FactKept | string {
  const { language } = room.policy
  const person = said.message.author.id
  if (!(settingsOf(room, chat.key).owners ?? []).includes(person)) return mayNot(chat.key, person, language)
  if (chat.outsiders === 1) return (language === 'zh' ? ZH : EN).guests
  return keep(room, { ...newFact(said, text), connection: chat.connection, audience: 'connection', key: '' })
}

function forget(room: Room, said: CommandSaid, chat: ChatRow, words: string): string | null {
  const { language } = room.policy
  const say = language === 'zh' ? ZH : EN
  const person = said.message.author.id
  const found = findFacts(room, chat, words, said.now)
  const texts = [...new Set(found.map(({ text }) => text))]
  if (texts.length > 1) return say.several(texts.slice(0, LISTED).map(excerpt))
  if (texts.length === 1) {
    const mine = found.filter((row) => mayForget(room, chat, row, person))
    if (mine.length === 0) return mayNot(chat.key, person, language)
    for (const { id } of mine) erase(room, id, said.now)
    return say.forgotten(excerpt(texts[0] ?? ''))
  }
  if (!mayChange(settingsOf(room, chat.key), chat, person))
    return `${say.noFact} ${mayNot(chat.key, person, language)}`
  openErrand(room, said, 'forget', words.trim())
  return null
}

type Refused = Extract<FactKept, { status: 'refused' }>

const EN = {
  usage:
    '`/memory` shows what is remembered here · `/memory add <sentence>` keeps one for this chat · `/memory forget <words>` removes it · `/memory workspace <sentence>` keeps one for every chat of the organisation (owners).',
  outside: 'People of another organisation cannot change what is remembered here.',
  guests: 'Somebody who is not of the organisation has been here: say it in another chat.',
  refused: ({ why }: Refused) => `Not kept. ${why}`,
  known: (text: string) => `That is known already: ${text}`,
  kept: {
    chat: (text: string) => `Kept for this chat: ${text}`,
    person: (text: string) => `Kept for you: ${text}`,
    connection: (text: string) => `Kept for the whole organisation: ${text}`,
  },
  several: (texts: readonly string[]) =>
    `Several facts say that. Say which one, in its own words:\n${texts.map((text) => `- ${text}`).join('\n')}`,
  forgotten: (text: string) => `Forgotten: ${text}`,
  noFact: 'No fact here says that. Lines of the memory file are removed by its owners.',
}

const ZH: typeof EN = {
  usage:
    '`/memory` 查看这里记住的内容 · `/memory add <一句话>` 为本聊天记住 · `/memory forget <词>` 删除 · `/memory workspace <一句话>` 为整个组织记住（负责人）。',
  outside: '外部人员不能更改这里记住的内容。',
  guests: '这里曾有组织外的人：请在其他聊天中设置。',
  refused: ({ code }) =>
    ({
      empty: '没有可以记住的内容。',
      'too-long': `没有记住：一条最多 ${FACT_CHARACTERS} 个字符，请写短一些。`,
      full: '没有记住：已经满了，请先用 `/memory forget` 删除过时的内容。',
      others: '没有记住：这里还有其他人。',
      'not-here': '没有记住。',
    })[code],
  known: (text) => `已经记住了：${text}`,
  kept: {
    chat: (text) => `已为本聊天记住：${text}`,
    person: (text) => `已为你记住：${text}`,
    connection: (text) => `已为整个组织记住：${text}`,
  },
  several: (texts) => `有多条符合，请写出其中一条的原文：\n${texts.map((text) => `- ${text}`).join('\n')}`,
  forgotten: (text) => `已忘记：${text}`,
  noFact: '没有符合的事实。记忆文件中的行由负责人删除。',
}
