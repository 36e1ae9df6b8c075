/** Rich text: paragraphs of elements. https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json#45e0953e */
import { type Fields, listOf, textOf } from '../fields.js'
import type { Canvas } from './canvas.js'
import { emojiCharacter } from './emoji.js'
import { renderMarkdown } from './markdown.js'

/** Every element that a post can hold. */
export const POST_TAGS = new Set(['text', 'a', 'at', 'img', 'media', 'emotion', 'hr', 'code_block', 'md'])

/** Paragraphs of a post as it is kept: `{title, content: [[element]]}`. */
export const paragraphsOf = (content: Fields): Fields[][] =>
  Array.isArray(content.content) ? content.content.map((line) => listOf(line)) : []

export function renderPost(content: Fields, canvas: Canvas): string {
  const lines = paragraphsOf(content).map((line) => line.map((element) => piece(element, canvas)).join(''))
  const title = textOf(content.title)
  return (title === '' ? lines : [title, ...lines]).join('\n')
}

function piece(element: Fields, canvas: Canvas): string {
  const text = textOf(element.text)
  switch (element.tag) {
    case 'text':
      return canvas.bare(element.un_escape === true ? unescapeText(text) : text)
    case 'a':
      return canvas.link(text, textOf(element.href))
    case 'at':
      return canvas.mention(textOf(element.user_id)) ?? `@${textOf(element.user_name)}`
    case 'emotion':
      return emojiCharacter(textOf(element.emoji_type))
    case 'hr':
      return '———'
    case 'md':
      return renderMarkdown(text, canvas, 'post')
    case 'img':
    case 'media':
      return ''
    default:
      return text
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: '\u00a0' }

export const unescapeText = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(lt|gt|amp|quot|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')

/**
 * As others are told: the `md` element is never given back, but what it was turned into.
 * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
 *
 * @param shown what is seen of a Markdown text
 */
export function toldPost(content: Fields, shown: (markdown: string) => string): Fields {
  const lines = paragraphsOf(content).flatMap((line) => {
    const markdown = line.find(({ tag }) => tag === 'md')
    if (markdown === undefined) return [line]
    const lines = shown(textOf(markdown.text)).split('\n')
    return lines.map((text) => [{ tag: 'text', text, style: [] }] as Fields[])
  })
  return { title: textOf(content.title), content: lines }
}
