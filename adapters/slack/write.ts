/**
 * A document -> posts of Slack, as `rich_text`.
 *
 * Why not the `markdown` block, which takes an agent's Markdown as it is? Because there Slack parses a second time: it
 * reads `<…>` as its own tokens, decodes entities, and splits the text into blocks of its own that then count against
 * limits nobody can compute (two tables or some dozens of headings refuse the whole post). And why not `mrkdwn`
 * sections: they have no escape for `*`, `_` and `` ` ``, no nested lists, and 3,000 characters. In rich text every
 * character of a text element is literal: nothing an agent writes can page anybody or change its form, depth of lists
 * is a number, and a mention is an element with an id. What a person sees is the document's text by construction.
 *
 * Tables are Slack's `table` block, one a post as Slack demands: a second table begins the next post.
 */
import type { Doc, Limits, Part } from '../../src/messaging/contract.js'
import { blocksOf } from './write-blocks.js'
import { pack } from './write-pack.js'
import { fallbackText, shownText } from './write-shown.js'
import { mentionsIn, unitsOf } from './write-units.js'

export function write(doc: Doc, limits: Limits): readonly Part[] {
  return pack(unitsOf(doc), limits.text.max).map((units) => {
    const text = shownText(units)
    return {
      text,
      body: { blocks: blocksOf(units), text: fallbackText(text) },
      mentions: mentionsIn(units),
    }
  })
}
