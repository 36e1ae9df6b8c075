/**
 * Slack's `text`: tokens between `<` and `>`, code, quotes, three escaped characters.
 * https://docs.slack.dev/messaging/formatting-message-text. Marks of emphasis stay as they were written.
 */
import type { Piece } from './doc-builder.js'
import type { People } from './read-people.js'
import { unescapeText } from './rich.js'
import type { Fields } from './shape.js'

export type MrkdwnBlock = { kind: 'section' | 'quote'; pieces: Piece[] } | { kind: 'code'; text: string }

export function mrkdwnBlocks(text: string, people: People): MrkdwnBlock[] {
  const blocks: MrkdwnBlock[] = []
  let from = 0
  for (const fence of text.matchAll(/```([\s\S]+?)```/g)) {
    pushLines(text.slice(from, fence.index), people, blocks)
    blocks.push({ kind: 'code', text: plainTokens((fence[1] ?? '').replace(/^\n|\n$/g, ''), people) })
    from = fence.index + fence[0].length
  }
  pushLines(text.slice(from), people, blocks)
  return blocks
}

/** Lines that begin with `>` are a quote; `>>>` quotes all that follows. */
function pushLines(text: string, people: People, blocks: MrkdwnBlock[]): void {
  let kind: 'section' | 'quote' = 'section'
  let lines: string[] = []
  let rest = false
  const flush = (): void => {
    if (lines.some((line) => line.trim() !== '')) {
      blocks.push({ kind, pieces: inlinePieces(lines.join('\n'), people) })
    }
    lines = []
  }
  for (const line of text.split('\n')) {
    const mark = rest ? null : /^(?:&gt;|>){3} ?|^(?:&gt;|>) ?/.exec(line)
    if (mark !== null && /(?:&gt;|>){3}/.test(mark[0])) rest = true
    const next = rest || mark !== null ? 'quote' : 'section'
    if (next !== kind) flush()
    kind = next
    lines.push(mark === null ? line : line.slice(mark[0].length))
  }
  flush()
}

const TOKEN = /`([^`\n]+)`|<([^<>\n]+)>/g

export function inlinePieces(text: string, people: People): Piece[] {
  const pieces: Piece[] = []
  const add = (plain: string): void => {
    if (plain === '') return
    const last = pieces.at(-1)
    if (last?.kind === 'text' && last.style === undefined) last.text += plain
    else pieces.push({ kind: 'text', text: plain })
  }
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    add(unescapeText(text.slice(from, match.index)))
    from = match.index + match[0].length
    const [written, code, token] = match
    if (code !== undefined)
      pieces.push({ kind: 'text', text: plainTokens(code, people), style: { code: true } })
    else {
      const piece = tokenPiece(token ?? '', people)
      if (piece === undefined) add(unescapeText(written))
      else if (piece.kind === 'text') add(piece.text)
      else pieces.push(piece)
    }
  }
  add(unescapeText(text.slice(from)))
  return pieces
}

/** What stands between `<` and `>`; undefined where it is no token. */
function tokenPiece(token: string, people: People): Piece | undefined {
  const bar = token.indexOf('|')
  const target = bar < 0 ? token : token.slice(0, bar)
  const label = bar < 0 ? undefined : unescapeText(token.slice(bar + 1)) || undefined
  if (/^@[A-Z0-9]+$/.test(target)) return { kind: 'mention', mention: people.mention(target.slice(1), label) }
  if (/^#[A-Z0-9]+$/.test(target)) return { kind: 'text', text: people.channel(target.slice(1), label) }
  if (target.startsWith('!')) return command(target.slice(1), label, people)
  if (!/^[a-z][a-z0-9+.-]*:\S/i.test(target)) return undefined
  const url = unescapeText(target)
  return label === undefined ? { kind: 'link', url } : { kind: 'link', url, label }
}

function command(name: string, label: string | undefined, people: People): Piece | undefined {
  if (name === 'here' || name === 'channel' || name === 'everyone')
    return { kind: 'mention', mention: { target: 'everyone', name } }
  const [kind, id] = name.split('^')
  if (kind === 'subteam' && id !== undefined) return { kind: 'mention', mention: people.group(id, label) }
  if (kind === 'date' && label !== undefined) return { kind: 'text', text: label }
  return label === undefined ? undefined : { kind: 'text', text: label }
}

/** Inside code a token is what it reads as, and means nobody. */
function plainTokens(text: string, people: People): string {
  return unescapeText(
    text.replace(/<([^<>\n]+)>/g, (written, token: string) => {
      const piece = tokenPiece(token, people)
      if (piece === undefined) return written
      if (piece.kind === 'mention') return `@${piece.mention.name}`
      return piece.kind === 'link' ? (piece.label ?? piece.url) : piece.text
    }),
  )
}

/** A text object of Block Kit. */
export function textObject(object: Fields, people: People): MrkdwnBlock[] {
  const { type, text } = object
  if (typeof text !== 'string' || text.trim() === '') return []
  return type === 'mrkdwn'
    ? mrkdwnBlocks(text, people)
    : [{ kind: 'section', pieces: [{ kind: 'text', text: unescapeText(text) }] }]
}
