/**
 * Rich text: rows of elements, in a wrapper of one or more languages or in none.
 * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
 */
import type { PhrasingContent, RootContent } from 'mdast'
import type { MediaKind } from './file-id.js'
import { mdBlocks } from './read-md.js'
import type { People } from './read-people.js'
import { inlineNodes, linkNode, mentionNode, paragraphsOf, plainPlaceholders, textNode } from './read-text.js'
import { type Fields, fields, list, text } from './shape.js'

/** More than any message has; what stands behind it is not read. */
const MOST_ROWS = 2_000
const MOST_IN_ROW = 500
/** Languages that are looked for first; a person sees the one of their client. */
const LOCALES = ['zh_cn', 'en_us', 'ja_jp', 'zh_hk', 'zh_tw']

export type Media = (kind: MediaKind, key: unknown, name?: string) => void

/** @param media told of every picture and file that the text holds */
export function postBlocks(content: Fields, people: People, media: Media): RootContent[] {
  const post = unwrapped(content)
  const builder = new Rows(people, media)
  const title = text(post.title)
  if (title !== undefined) builder.title(title)
  // Newer clients send the same text twice, the second one complete.
  const rows = list(post.content_v2).length > 0 ? list(post.content_v2) : list(post.content)
  for (const row of rows.slice(0, MOST_ROWS)) builder.row(Array.isArray(row) ? row : [row])
  for (const file of list(content.files).slice(0, 50)) {
    const { file_key: key, file_name: name, is_folder: folder } = fields(file)
    if (folder === true) builder.row([{ tag: 'text', text: `[folder: ${text(name) ?? '?'}]` }])
    else media('file', key, text(name))
  }
  return builder.done()
}

function unwrapped(content: Fields): Fields {
  if (content.content !== undefined || content.content_v2 !== undefined || content.title !== undefined)
    return content
  const inner = content.post === undefined ? content : fields(content.post)
  for (const locale of [...LOCALES, ...Object.keys(inner).sort()]) {
    const found = fields(Object.hasOwn(inner, locale) ? inner[locale] : undefined)
    if (Array.isArray(found.content) || Array.isArray(found.content_v2) || text(found.title) !== undefined)
      return found
  }
  return content
}

/** Rows of elements -> blocks: rows that follow one another are lines of one paragraph. */
export class Rows {
  readonly #blocks: RootContent[] = []
  #lines: PhrasingContent[] = []
  #started = false

  constructor(
    private readonly people: People,
    private readonly media: Media,
  ) {}

  title(title: string): void {
    this.#flush()
    this.#blocks.push({
      type: 'paragraph',
      children: [{ type: 'strong', children: [textNode(plainPlaceholders(title, this.people))] }],
    })
  }

  row(elements: readonly unknown[]): void {
    if (this.#started) this.#lines.push(textNode('\n'))
    this.#started = true
    for (const element of elements.slice(0, MOST_IN_ROW)) this.#element(fields(element), 0)
  }

  blocks(blocks: readonly RootContent[]): void {
    this.#flush()
    this.#blocks.push(...blocks)
  }

  done(): RootContent[] {
    this.#flush()
    return this.#blocks
  }

  #flush(): void {
    this.#blocks.push(...paragraphsOf(joined(this.#lines)))
    this.#lines = []
    this.#started = false
  }

  #element(element: Fields, depth: number): void {
    switch (element.tag) {
      case 'img':
        this.media('image', element.image_key ?? element.img_key)
        break
      case 'media':
        this.media('media', element.file_key, text(element.file_name))
        break
      case 'file':
        this.media('file', element.file_key, text(element.file_name))
        break
      case 'audio':
        this.media('audio', element.file_key)
        break
      case 'hr':
        this.blocks([{ type: 'thematicBreak' }])
        break
      case 'code_block':
      case 'pre': {
        const lang =
          text(element.language)
            ?.toLowerCase()
            .replace(/[^\w+#.-]/g, '') || null
        const value = (text(element.text) ?? text(element.content) ?? '').replace(/\n$/, '')
        this.blocks([{ type: 'code', lang, meta: null, value }])
        break
      }
      case 'md':
      case 'markdown':
        this.#markdown(text(element.text) ?? text(element.content) ?? '')
        break
      default:
        this.#lines.push(...this.#phrase(element, depth))
    }
  }

  #markdown(markdown: string): void {
    const blocks = mdBlocks(markdown, this.people)
    const [only] = blocks
    if (blocks.length === 1 && only?.type === 'paragraph') this.#lines.push(...only.children)
    else this.blocks(blocks)
  }

  #phrase(element: Fields, depth: number): PhrasingContent[] {
    switch (element.tag) {
      case 'a':
        return styled(this.#link(element), element.style)
      case 'at': {
        const id = text(element.user_id) ?? text(element.open_id) ?? text(element.id)
        const name = text(element.user_name)
        if (id !== undefined && /^[\w@-]{1,128}$/.test(id)) {
          return [mentionNode(this.people.mention(id, name))]
        }
        return name === undefined ? [] : [textNode(`@${name}`)]
      }
      case 'button': {
        const label = text(element.text) ?? text(fields(element.text).content)
        return label === undefined ? [] : [textNode(`[${label}]`)]
      }
      case 'emotion':
        return [textNode(`:${text(element.emoji_type) ?? 'emoji'}:`)]
      default:
        return this.#unknown(element, depth)
    }
  }

  #link(element: Fields): PhrasingContent[] {
    const url = text(element.href) ?? text(element.url)
    const label = text(element.text)
    if (url === undefined || !/^[a-z][a-z0-9+.-]*:\S+$/i.test(url)) {
      return label === undefined ? [] : inlineNodes(label, this.people)
    }
    return [linkNode(url, label === undefined ? undefined : plainPlaceholders(label, this.people))]
  }

  /** `text`, and whatever comes: its readable text is passed on. */
  #unknown(element: Fields, depth: number): PhrasingContent[] {
    const said = text(element.text) ?? text(element.content) ?? text(fields(element.text).content)
    if (said !== undefined) {
      const decoded = element.un_escape === true ? unescaped(said) : said
      return styled(inlineNodes(decoded, this.people), element.style)
    }
    if (depth > 4) return []
    const inner = [...list(element.elements), ...list(element.content), ...list(element.children)]
    return inner.slice(0, MOST_IN_ROW).flatMap((child) => this.#phrase(fields(child), depth + 1))
  }
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json: `style` of text. */
function styled(nodes: PhrasingContent[], value: unknown): PhrasingContent[] {
  const styles = new Set(list(value))
  if (styles.size === 0) return nodes
  return nodes.flatMap((node) => {
    // A mention means the same in any style, and blanks around words are no part of what is marked.
    if (node.type === 'mention') return [node]
    if (node.type !== 'text') return [marked(node, styles)]
    const [, lead = '', said = '', trail = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(node.value) ?? []
    return [textNode(lead), ...(said === '' ? [] : [marked(textNode(said), styles)]), textNode(trail)].filter(
      (part) => part.type !== 'text' || part.value !== '',
    )
  })
}

function marked(node: PhrasingContent, styles: ReadonlySet<unknown>): PhrasingContent {
  let outer = node
  if (node.type === 'text' && (styles.has('code') || styles.has('codeInline')))
    outer = { type: 'inlineCode', value: node.value }
  if (styles.has('lineThrough')) outer = { type: 'delete', children: [outer] }
  if (styles.has('italic')) outer = { type: 'emphasis', children: [outer] }
  return styles.has('bold') ? { type: 'strong', children: [outer] } : outer
}

/** Neighbouring texts as one, so that a blank line between rows is seen. */
function joined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const kept: PhrasingContent[] = []
  for (const node of nodes) {
    const last = kept.at(-1)
    if (node.type === 'text' && last?.type === 'text')
      kept[kept.length - 1] = textNode(last.value + node.value)
    else kept.push(node)
  }
  return kept
}

function unescaped(value: string): string {
  return value.replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  amp: '&',
  nbsp: '\u00a0',
}
