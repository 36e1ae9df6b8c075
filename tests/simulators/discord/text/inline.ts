/**
 * Discord's Markdown inside a line, as its app shows it.
 * https://support.discord.com/hc/articles/210298617 · mentions and times: https://docs.discord.com/developers/reference#message-formatting
 */

/** What stands behind ids. */
export interface Names {
  user(id: string): string
  role(id: string): string
  channel(id: string): string
  /** Now, for "3 minutes ago". */
  now(): number
}

export interface Link {
  text: string
  url: string
}

/** Text as a person sees it, with the links in it. */
export interface Shown {
  text: string
  links: Link[]
}

type Rule = (match: RegExpExecArray, inside: (text: string) => string, sink: Sink) => string | null

interface Sink {
  names: Names
  links: Link[]
  /** A link's label holds no link. */
  isLabel: boolean
}

const plain: Rule = (match, inside) => inside(match[1] ?? '')

const RULES: readonly (readonly [pattern: RegExp, rule: Rule])[] = [
  [/^\\([^0-9A-Za-z\s])/, ([, mark = '']) => mark],
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, ([, , code = '']) => code.replace(/^ (?=`)|(?<=`) $/g, '')],
  [/^<@!?(\d+)>/, ([, id = ''], _, { names }) => `@${names.user(id)}`],
  [/^<@&(\d+)>/, ([, id = ''], _, { names }) => `@${names.role(id)}`],
  [/^<#(\d+)>/, ([, id = ''], _, { names }) => `#${names.channel(id)}`],
  [/^<a?:(\w+):\d+>/, ([, name = '']) => `:${name}:`],
  [/^<\/([^:>\n]+):\d+>/, ([, name = '']) => `/${name}`],
  [/^<id:(customize|browse|guide|linked-roles)(?::\d+)?>/, ([, what = '']) => what],
  [
    /^<t:(-?\d{1,13})(?::([tTdDfFRsS]))?>/,
    ([, at = '', style = 'f'], _, { names }) => time(Number(at), style, names.now()),
  ],
  [/^<((?:https?:\/\/|mailto:)[^\s<>]+)>/, ([, url = ''], _, sink) => linked(sink, url, url)],
  [
    /^\[((?:\\.|\[[^\]\n]*\]|[^[\]\\\n])+)\]\(\s*<?(https?:\/\/(?:\\.|\([^\s()]*\)|[^\s()<>\\])+)>?(?:\s+["'][^\n]*?["'])?\s*\)/,
    maskedLink,
  ],
  [/^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/, bareLink],
  [/^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, plain],
  [/^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, plain],
  [/^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/, plain],
  [/^_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/, plain],
  [/^~~((?:\\[\s\S]|[^\\])+?)~~(?!_)/, plain],
  [/^\|\|([\s\S]+?)\|\|/, plain],
]

/** A label that looks like an address itself is not hidden behind another one: the whole is shown as it was written. */
function maskedLink(match: RegExpExecArray, _: unknown, sink: Sink): string | null {
  const [, label = '', address = ''] = match
  if (sink.isLabel || /https?:\/\//i.test(label)) return null
  const text = inline(label, { ...sink, isLabel: true })
  if (text.trim() === '') return null
  return linked(sink, text, address.replace(/\\([^0-9A-Za-z\s])/g, '$1'))
}

/** A bracket at an address's end belongs to it only where it was opened in it. */
function addressOf(found: string): string {
  let url = found
  const count = (mark: string) => url.split(mark).length
  while (url.endsWith(')') && count(')') > count('(')) url = url.slice(0, -1)
  return url
}

function bareLink(match: RegExpExecArray, _: unknown, sink: Sink): string {
  const url = addressOf(match[0])
  return `${linked(sink, url, url)}${match[0].slice(url.length)}`
}

function linked({ links, isLabel }: Sink, text: string, url: string): string {
  if (!isLabel) links.push({ text, url })
  return text
}

/** @param links where found links are put, in order */
export function showInline(text: string, names: Names, links: Link[]): string {
  return inline(text, { names, links, isLabel: false })
}

function inline(text: string, sink: Sink): string {
  let shown = ''
  let at = 0
  let before = ''
  while (at < text.length) {
    const rest = text.slice(at)
    const [length, value] = step(rest, before, sink)
    shown += value
    before = text[at + length - 1] ?? ''
    at += length
  }
  return shown
}

/** The next piece: how long it is as written, and how it is seen. */
function step(rest: string, before: string, sink: Sink): [length: number, value: string] {
  // Most text holds no mark at all: it goes in one piece.
  const quiet = /^[^\\`<[h*_~|]+/.exec(rest)?.[0]
  if (quiet !== undefined) return [quiet.length, quiet]
  for (const [pattern, rule] of RULES) {
    const match = pattern.exec(rest)
    if (match === null) continue
    // `snake_case_name` is no emphasis, and `xhttp://` no address.
    if (/^_(?!_)/.test(rest) && /\w/.test(before)) continue
    const value = rule(match, (inner) => inline(inner, sink), sink)
    if (value !== null) return [match[0].length, value]
  }
  const one = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  return [one.length, one]
}

/** In the reader's own time zone and language; here: UTC, and English. */
function time(seconds: number, style: string, now: number): string {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return 'Invalid Date'
  const day = date.toISOString().slice(0, 10)
  const minute = date.toISOString().slice(11, 16)
  switch (style) {
    case 't':
      return minute
    case 'T':
      return date.toISOString().slice(11, 19)
    case 'd':
    case 'D':
      return day
    case 'R':
      return relative(date.getTime() - now)
    default:
      return `${day} ${minute}`
  }
}

function relative(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const
  const [unit, size] = units.find(([, one]) => Math.abs(ms) >= one) ?? ['second', 1_000]
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(Math.trunc(ms / size), unit)
}
