/** What a person sees of a message: words, links, whom it pages, buttons. */
import { emojiCharacter } from './emoji.js'
import { parseMrkdwn } from './mrkdwn.js'
import { type Block, type Fields, type Inline, type RichElement, unescapeText } from './rich.js'

/** Names instead of ids, and who stands behind a group. */
export interface Names {
  user(id: string): string
  channel(id: string): string
  usergroup(id: string): { handle: string; users: readonly string[] }
  /** Whom `@channel` or `@here` pages in this chat. */
  everyone: readonly string[]
}

export interface Rendered {
  text: string
  links: { text: string; url: string }[]
  /** People it pages, in order, each once. The mark itself (`!here`, `S…`) where it would page but nobody is there. */
  pings: string[]
  buttons: { label: string; value: string; actionId: string; blockId: string; style?: string }[]
}

/** Renders one message's blocks; where there are none, its text. */
export function render(message: { text: string; blocks: readonly Block[] }, names: Names): Rendered {
  const canvas = new Canvas(names)
  if (message.blocks.length === 0) return canvas.done(canvas.elements(parseMrkdwn(message.text)))
  const text = message.blocks
    .map((block) => canvas.block(block))
    .filter((part) => part !== '')
    .join('\n')
  // Beside blocks the text is only the notification's, but what it names may well be notified.
  const quiet = new Canvas(names)
  quiet.elements(parseMrkdwn(message.text))
  const done = canvas.done(text)
  for (const ping of quiet.done('').pings) if (!done.pings.includes(ping)) done.pings.push(ping)
  return done
}

class Canvas {
  readonly #names: Names
  readonly #links: Rendered['links'] = []
  readonly #pings = new Set<string>()
  readonly #buttons: Rendered['buttons'] = []

  constructor(names: Names) {
    this.#names = names
  }

  done(text: string): Rendered {
    return { text, links: this.#links, pings: [...this.#pings], buttons: this.#buttons }
  }

  block(block: Block): string {
    switch (block.type) {
      case 'rich_text':
        return this.elements(block.elements as RichElement[])
      case 'divider':
        return '———'
      case 'table':
        return (block.rows as Block[][])
          .map((row) => row.map((cell) => this.#cell(cell)).join(' | '))
          .join('\n')
      case 'section':
        return (
          [block.text, ...list(block.fields)]
            .map((text) => this.#object(text))
            .filter((text) => text !== '')
            .join('\n') + this.#accessory(block)
        )
      case 'context':
        return list(block.elements)
          .map((part) => this.#object(part))
          .join(' ')
      case 'header':
        return this.#object(block.text)
      case 'image':
      case 'video':
        return this.#object(block.title) || String(block.alt_text ?? '')
      case 'actions':
        for (const element of list(block.elements)) this.#button(element, block)
        return ''
      default:
        return ''
    }
  }

  elements(elements: readonly RichElement[]): string {
    let numbers: number[] = []
    return elements
      .map((element) => {
        if (element.type !== 'rich_text_list') {
          numbers = []
          if (element.type === 'rich_text_quote') return this.#inline(element.elements).replace(/^/gm, '> ')
          return this.#inline(element.elements)
        }
        numbers = numbers.slice(0, element.indent + 1)
        return element.elements
          .map((item) => {
            const at = (numbers[element.indent] ?? element.offset ?? 0) + 1
            numbers[element.indent] = element.style === 'ordered' ? at : 0
            const mark = element.style === 'ordered' ? `${at}. ` : '• '
            const pad = '  '.repeat(element.indent)
            return (
              pad + mark + this.#inline(item.elements).replace(/\n/g, `\n${pad}${' '.repeat(mark.length)}`)
            )
          })
          .join('\n')
      })
      .join('\n')
  }

  #cell(cell: Block): string {
    return cell.type === 'rich_text' ? this.block(cell) : String(cell.text ?? cell.value ?? '')
  }

  #accessory(block: Block): string {
    const accessory = block.accessory as Block | undefined
    if (accessory !== undefined) this.#button(accessory, block)
    return ''
  }

  #button(element: Block, block: Block): void {
    if (element.type !== 'button') return
    this.#buttons.push({
      label: this.#object(element.text),
      value: String(element.value ?? ''),
      actionId: String(element.action_id ?? ''),
      blockId: String(block.block_id ?? ''),
      ...(typeof element.style === 'string' && { style: element.style }),
    })
  }

  /** A text object: `mrkdwn` is read, `plain_text` is not. https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
  #object(object: unknown): string {
    if (typeof object !== 'object' || object === null) return ''
    const { type, text } = object as Fields
    if (typeof text !== 'string') return ''
    if (type === 'mrkdwn') return this.elements(parseMrkdwn(text))
    return unescapeText(text).replace(/:([a-z0-9_+'-]+):/g, (_, name: string) => emojiCharacter(name))
  }

  #inline(elements: readonly Inline[]): string {
    let before: Inline | undefined
    let text = ''
    for (const element of elements) {
      text += this.#piece(element, before)
      before = element
    }
    return text
  }

  #piece(element: Inline, before: Inline | undefined): string {
    switch (element.type) {
      case 'text':
        return element.text
      case 'link': {
        const text = element.text ?? element.url.replace(/^mailto:/, '')
        const last = this.#links.at(-1)
        // Parts of one label that differ in style are one link to the eye.
        if (last !== undefined && before?.type === 'link' && before.url === element.url) last.text += text
        else this.#links.push({ text, url: element.url })
        return text
      }
      case 'user':
        this.#pings.add(element.user_id)
        return `@${this.#names.user(element.user_id)}`
      case 'usergroup': {
        const { handle, users } = this.#names.usergroup(element.usergroup_id)
        for (const user of users.length > 0 ? users : [element.usergroup_id]) this.#pings.add(user)
        return `@${handle}`
      }
      case 'broadcast': {
        const { everyone } = this.#names
        for (const user of everyone.length > 0 ? everyone : [`!${element.range}`]) this.#pings.add(user)
        return `@${element.range}`
      }
      case 'channel':
        return `#${this.#names.channel(element.channel_id)}`
      case 'emoji':
        return emojiCharacter(element.name)
      case 'date':
        return element.fallback ?? new Date(element.timestamp * 1000).toISOString()
    }
  }
}

const list = (value: unknown): Block[] => (Array.isArray(value) ? (value as Block[]) : [])
