/**
 * A merged forward: other messages, quoted. The event says nothing of them; where the connection looked them up, they
 * stand in {@link FeishuRaw.merged}. Files of forwarded messages are given to nobody
 * (https://open.feishu.cn/document/server-docs/im-v1/message/get-2).
 */
import type { Paragraph, RootContent } from 'mdast'
import { type FileRef, plainText, type SkipReason } from '../../src/messaging/contract.js'
import { docOf } from './doc-builder.js'
import { People } from './read-people.js'
import { note, textNode } from './read-text.js'
import { saidInHistory } from './said.js'
import { fields } from './shape.js'

/** https://open.feishu.cn/document/server-docs/im-v1/message/merge_forward: at most 100 messages. */
const MOST = 100
const MOST_UNITS = 4_000

/** What a message holds. */
export interface Content {
  blocks: RootContent[]
  files: FileRef[]
  /** Nobody spoke: why. */
  skip?: { reason: SkipReason; detail: string }
}

/** Reads what one of them holds. */
type ReadContent = (message: string, type: string, written: unknown, people: People) => Content

export function mergedBlocks(people: People, contentOf: ReadContent): RootContent[] {
  const lines = (people.raw.merged ?? []).slice(0, MOST).flatMap((item): Paragraph[] => {
    const said = saidInHistory(fields(item))
    // A forward within the forward is named by its own messages, which follow it.
    if (said === undefined || said.deleted || said.type === 'merge_forward') return []
    const { merged: _, ...raw } = people.raw
    const own = new People(people.self, raw, said.mentions, people.tenant)
    const { blocks, files } = contentOf(said.id, said.type, said.content, own)
    const shown = plainText(docOf(blocks)).slice(0, MOST_UNITS)
    const held = [shown, ...files.map(({ name }) => `[${name}]`)].filter((part) => part !== '').join(' ')
    if (held === '') return []
    const who = said.sender.id === undefined ? '?' : own.name(said.sender.id)
    return [{ type: 'paragraph', children: [textNode(`${who}: ${held}`)] }]
  })
  return lines.length === 0
    ? [note('[forwarded messages]')]
    : [note('[forwarded messages]'), { type: 'blockquote', children: lines }]
}
