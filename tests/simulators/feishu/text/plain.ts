/**
 * Text messages. Those of people are as typed; in those of apps some tags and links are read.
 * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json#c9e08671
 */
import type { Canvas } from './canvas.js'
import { isLink } from './canvas.js'

const PLACEHOLDER = /@_user_\d+|@_all/g
const STYLE = /<(\/?)([bius])>/g
const LINK = /\[([^[\]\n]*)\]\(([^()\s]+)\)/g

export function renderText(text: string, canvas: Canvas, isOfApp: boolean): string {
  const named = (part: string): string => part.replace(PLACEHOLDER, (key) => canvas.mention(key) ?? key)
  if (!isOfApp) return canvas.bare(named(text))
  const styled = isNested(text) ? text.replace(STYLE, '') : text
  let shown = ''
  let from = 0
  for (const found of styled.matchAll(LINK)) {
    const [whole, label = '', url = ''] = found
    if (!isLink(url)) continue
    shown += canvas.bare(named(styled.slice(from, found.index)))
    shown += canvas.link(named(label), url)
    from = found.index + whole.length
  }
  return shown + canvas.bare(named(styled.slice(from)))
}

/** Tags that do not match leave the whole text as it is. */
function isNested(text: string): boolean {
  const open: string[] = []
  for (const [, slash, name] of text.matchAll(STYLE)) {
    if (slash === '') open.push(name ?? '')
    else if (open.pop() !== name) return false
  }
  return open.length === 0
}
