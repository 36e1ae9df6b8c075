/**
 * Discord's text: tokens between `<` and `>`, code, quotes, masked links, escapes.
 * https://docs.discord.com/developers/reference#message-formatting. Marks of emphasis stay as they were written.
 */
import type { DocBuilder, Piece } from './doc-builder.js'
import type { People } from './read-people.js'

/** What one text brings with it. */
export interface Reading {
  people: People
  /** `@everyone` and `@here` do what they say: Discord tells, for not everybody may. */
  everyone: boolean
}

/** Where a block of code, or a line that is a quote, begins. */
const BLOCK = /```(?:([\w+.#-]+)\n)?\n*([^\n](?:[\s\S]*?[^\n])??)\n*```|^ *(>>> |> )/gm

export function addText(text: string, reading: Reading, builder: DocBuilder): void {
  let from = 0
  BLOCK.lastIndex = 0
  for (let match = BLOCK.exec(text); match !== null; match = BLOCK.exec(text)) {
    builder.section(piecesOf(text.slice(from, match.index), reading))
    if (match[3] === undefined) {
      builder.code(match[2] ?? '', match[1] ?? null)
      from = BLOCK.lastIndex
    } else {
      const end = match[3] === '> ' ? endOfQuote(text, match.index) : text.length
      builder.quote(piecesOf(text.slice(match.index, end).replace(/^ *(?:>>> |> ?)/gm, ''), reading))
      from = end
    }
    BLOCK.lastIndex = from
  }
  builder.section(piecesOf(text.slice(from), reading))
}

function endOfQuote(text: string, start: number): number {
  const line = /[^\n]*(?:\n|$)/y
  let end = start
  while (end < text.length && /^ *> /.test(text.slice(end, end + 20))) {
    line.lastIndex = end
    line.exec(text)
    end = Math.max(line.lastIndex, end + 1)
  }
  return end
}

const TOKEN = new RegExp(
  [
    /(?<ticks>`{1,2})(?<code>[^`](?:[\s\S]*?[^`])??|[\s\S]*?[^`])\k<ticks>(?!`)/,
    /\\(?<escaped>[^0-9A-Za-z\s])/,
    /<@!?(?<user>\d{1,20})>/,
    /<@&(?<role>\d{1,20})>/,
    /<#(?<channel>\d{1,20})>/,
    /<a?:(?<emoji>\w{1,64}):\d{1,20}>/,
    /<\/(?<command>[^<>:\n]{1,100}):\d{1,20}>/,
    /<id:(?<place>customize|browse|guide|linked-roles)(?::\d+)?>/,
    /<t:(?<time>-?\d{1,13})(?::[tTdDfFRsS])?>/,
    /<(?<angled>(?:https?:\/\/|mailto:)[^\s<>]+)>/,
    /\[(?<label>(?:\\.|\[[^\]\n]*\]|[^[\]\n\\])+)\]\(\s*<?(?<url>https?:\/\/(?:\\.|\([^\s()]*\)|[^\s()<>\\])+)>?(?:\s+["'][^\n]*?["'])?\s*\)/,
    /(?<bare>https?:\/\/[^\s<]+[^<.,:;"'\])\s])/,
    /@(?<everyone>everyone|here)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** One line or more of text, without blocks. */
export function piecesOf(text: string, reading: Reading): Piece[] {
  if (!/[`\\<[@]|:\/\//.test(text)) return text === '' ? [] : [{ kind: 'text', text }]
  const pieces: Piece[] = []
  const add = (plain: string): void => {
    if (plain === '') return
    const last = pieces.at(-1)
    if (last?.kind === 'text') last.text += plain
    else pieces.push({ kind: 'text', text: plain })
  }
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    add(text.slice(from, match.index))
    from = match.index + match[0].length
    const piece = pieceOf(match[0], match.groups ?? {}, reading)
    if (piece.kind === 'text') add(piece.text)
    else pieces.push(piece)
  }
  add(text.slice(from))
  return pieces
}

type Groups = Readonly<Record<string, string | undefined>>

function pieceOf(written: string, groups: Groups, { people, everyone }: Reading): Piece {
  const { code, user, role, label, url, angled, bare } = groups
  // Blanks that only keep a backtick away from the mark.
  if (code !== undefined)
    return { kind: 'code', text: code.replace(/^ (?=`)|(?<=`) $/g, '').replace(/\n/g, ' ') }
  if (user !== undefined) return { kind: 'mention', mention: people.mention(user) }
  if (role !== undefined) return { kind: 'mention', mention: people.role(role) }
  if (label !== undefined && url !== undefined)
    return { kind: 'link', url: unescaped(url), label: plainLabel(label, people) }
  if (angled !== undefined || bare !== undefined) return { kind: 'link', url: angled ?? bare ?? '' }
  if (groups.everyone !== undefined && everyone)
    return { kind: 'mention', mention: { target: 'everyone', name: groups.everyone } }
  return { kind: 'text', text: wordOf(written, groups, people) }
}

function wordOf(written: string, groups: Groups, people: People): string {
  const { escaped, channel, emoji, command, place, time } = groups
  if (escaped !== undefined) return escaped
  if (channel !== undefined) return people.channel(channel)
  if (emoji !== undefined) return `:${emoji}:`
  if (command !== undefined) return `/${command}`
  if (place !== undefined) return `#${place}`
  return time === undefined ? written : isoTime(Number(time), written)
}

const unescaped = (text: string): string => text.replace(/\\([^0-9A-Za-z\s])/g, '$1')

/** A label without its marks. */
function plainLabel(label: string, people: People): string {
  const text = piecesOf(label.replace(/(\*\*|~~|__)(?=\S)(.+?)(?<=\S)\1/g, '$2'), { people, everyone: false })
    .map((piece) =>
      piece.kind === 'mention' ? `@${piece.mention.name}` : piece.kind === 'link' ? piece.url : piece.text,
    )
    .join('')
  return text.trim() === '' ? label : text
}

/** Every reader has a time zone of their own; an agent has none. */
function isoTime(seconds: number, otherwise: string): string {
  const at = new Date(seconds * 1_000)
  return Number.isNaN(at.getTime()) ? otherwise : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
