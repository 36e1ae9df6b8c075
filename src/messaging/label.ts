/** What is said a second time, perhaps: it says so. */
import type { Member, Operation, Part, Platform } from './contract.js'
import { parseDoc } from './doc/index.js'
import { DUPLICATE_FILE, wording } from './notices.js'
import { renderText } from './render.js'
import type { Language } from './roster.js'

type Writer = Pick<Platform, 'codec' | 'limits'>

/** The text with everything that could be markup made literal. */
export function plainPart(text: string, platform: Writer): Part {
  if (platform.codec.plain) return platform.codec.plain(text)
  const doc = parseDoc('')
  doc.children = text
    .split(/\n{2,}/)
    .map((block) => ({ type: 'paragraph' as const, children: [{ type: 'text' as const, value: block }] }))
  const { source: _, ...bare } = doc
  return platform.codec.write(bare, platform.limits)[0] ?? { text, body: { text }, mentions: [] }
}

/** The words of an answer, and who may be named in them. */
export interface Words {
  markdown: string
  members: readonly Member[]
}

/**
 * A post that may already stand in the chat, with a label in front; a file, with a label in its name.
 *
 * @param words what the post says, where that is known and one post holds it; else it is said as plain text
 */
export function labelled(op: Operation, platform: Writer, language: Language, words?: Words): Operation {
  if (op.kind === 'upload') return { ...op, name: labelledName(op.name, DUPLICATE_FILE[language]) }
  if (op.kind !== 'post') return op
  const label = wording({ kind: 'fell-back', what: 'duplicate' }, language)
  if (op.part.text.startsWith(label)) return op
  return { ...op, part: labelledPart(op.part, label, platform, words) }
}

function labelledPart(part: Part, label: string, platform: Writer, words: Words | undefined): Part {
  if (words !== undefined) {
    const [whole, ...more] = renderText(`${label}\n\n${words.markdown}`, platform, words.members)
    if (whole !== undefined && more.length === 0) return whole
  }
  return plainPart(`${label}\n\n${part.text}`, platform)
}

function labelledName(name: string, label: string): string {
  if (name.includes(label)) return name
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? `${name}${label}` : `${name.slice(0, dot)}${label}${name.slice(dot)}`
}
