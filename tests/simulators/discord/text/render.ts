/** Discord's Markdown by the line: code blocks, headings, quotes, lists; and what stands in embeds and components. */
import type { Fields } from '../world.js'
import { type Link, type Names, type Shown, showInline } from './inline.js'

const FENCE = /(?<!(?<!\\)\\)```(?:([\w+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/
/** `> ` quotes its line, `>>> ` all that follows. */
const QUOTE = /^>>> ([\s\S]*)|^(?:> .*(?:\n|$))+/m

/** What a person sees of a text. */
export function showText(text: string, names: Names): Shown {
  const links: Link[] = []
  return { text: showBlocks(text, names, links), links }
}

function showBlocks(text: string, names: Names, links: Link[]): string {
  const shown: string[] = []
  let rest = text
  while (rest !== '') {
    const fence = FENCE.exec(rest)
    const quote = QUOTE.exec(rest)
    const next = fence !== null && fence.index <= (quote?.index ?? rest.length) ? fence : quote
    const before = next === null ? rest : rest.slice(0, next.index).replace(/\n$/, '')
    if (before !== '' || next === null) shown.push(showLines(before, names, links))
    if (next === null) break
    if (next === fence) shown.push(next[2] ?? '')
    else {
      const inner = next[1] ?? next[0].replace(/\n$/, '').replace(/^> /gm, '')
      shown.push(showBlocks(inner, names, links).replace(/^/gm, '> '))
    }
    rest = rest.slice(next.index + next[0].length)
    if (next === fence) rest = rest.replace(/^\n/, '')
  }
  return shown.join('\n')
}

/** Marks of a line are its own; emphasis may run over lines, so those without a mark are read together. */
function showLines(text: string, names: Names, links: Link[]): string {
  const shown: string[] = []
  let open: string[] = []
  const flush = () => {
    if (open.length > 0) shown.push(showInline(open.join('\n'), names, links))
    open = []
  }
  for (const line of text.split('\n')) {
    const marked = markOf(line)
    if (marked === null) {
      open.push(line)
      continue
    }
    flush()
    shown.push(`${marked.drawn}${showInline(marked.rest, names, links)}`)
  }
  flush()
  return shown.join('\n')
}

function markOf(line: string): { drawn: string; rest: string } | null {
  const heading = /^(?:#{1,3}|-#)\s+(\S.*)$/.exec(line)
  if (heading !== null) return { drawn: '', rest: heading[1] ?? '' }
  const bullet = /^( *)[-*] +(\S.*)$/.exec(line)
  if (bullet !== null) return { drawn: `${bullet[1]}• `, rest: bullet[2] ?? '' }
  const numbered = /^( *)(\d{1,9})\. +(\S.*)$/.exec(line)
  if (numbered !== null) return { drawn: `${numbered[1]}${numbered[2]}. `, rest: numbered[3] ?? '' }
  return null
}

/** What a person reads of an embed. https://docs.discord.com/developers/resources/message#embed-object */
export function showEmbed(embed: Fields, names: Names): Shown {
  const links: Link[] = []
  const lines: string[] = []
  const say = (value: unknown, isMarkdown = true) => {
    if (typeof value !== 'string' || value === '') return
    const shown = isMarkdown ? showText(value, names) : { text: value, links: [] }
    lines.push(shown.text)
    links.push(...shown.links)
  }
  say((embed.author as Fields | undefined)?.name, false)
  if (typeof embed.title === 'string') {
    say(embed.title)
    if (typeof embed.url === 'string') links.push({ text: embed.title, url: embed.url })
  }
  say(embed.description)
  for (const field of (embed.fields ?? []) as Fields[]) {
    say(field.name)
    say(field.value)
  }
  say((embed.footer as Fields | undefined)?.text, false)
  return { text: lines.join('\n'), links }
}

export interface Button {
  label: string
  value: string
  /** It opens an address, and tells nobody. */
  url?: string
  disabled: boolean
}

/** Buttons, in whatever they stand; texts of the newer components. https://docs.discord.com/developers/components/reference */
export function showComponents(components: readonly Fields[], names: Names): Shown & { buttons: Button[] } {
  const found: Shown & { buttons: Button[] } = { text: '', links: [], buttons: [] }
  const texts: string[] = []
  const walk = (one: Fields): void => {
    if (one.type === 2) found.buttons.push(buttonOf(one))
    if (one.type === 10 && typeof one.content === 'string') {
      const shown = showText(one.content, names)
      texts.push(shown.text)
      found.links.push(...shown.links)
    }
    for (const inner of (one.components ?? []) as Fields[]) walk(inner)
    if (typeof one.accessory === 'object' && one.accessory !== null) walk(one.accessory as Fields)
  }
  for (const one of components) walk(one)
  return { ...found, text: texts.join('\n') }
}

function buttonOf(button: Fields): Button {
  const emoji = (button.emoji as Fields | undefined)?.name
  const label = [emoji, button.label].filter((part) => typeof part === 'string' && part !== '').join(' ')
  return {
    label,
    value: typeof button.custom_id === 'string' ? button.custom_id : '',
    ...(typeof button.url === 'string' && { url: button.url }),
    disabled: button.disabled === true,
  }
}
