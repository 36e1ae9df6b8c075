import type { Text } from 'mdast'
import { parseMarkdown } from './parse.js'

/**
 * Where each unit of a text node stands in the source: `map[i]` is the offset of value unit `i`, `map[length]` the end.
 * They differ where the source has escapes, character references, line prefixes or blanks at line ends. Undefined when
 * the two cannot be brought together.
 */
export function alignText(node: Text, source: string): readonly number[] | undefined {
  const start = node.position?.start.offset
  const end = node.position?.end.offset
  if (start === undefined || end === undefined) return undefined
  const { value } = node
  const map: number[] = []
  if (source.slice(start, end) === value) {
    for (let at = start; at <= end; at++) map.push(at)
    return map
  }
  let at = start
  for (let index = 0; index < value.length; ) {
    const wanted = value[index]
    if (wanted === '\n' || wanted === '\r') {
      while (source[at] === ' ' || source[at] === '\t') at++
      const length = source[at] === '\r' && source[at + 1] === '\n' ? 2 : 1
      const shown = value.startsWith('\r\n', index) ? 2 : 1
      if (!/[\r\n]/.test(source[at] ?? '')) return undefined
      for (let unit = 0; unit < shown; unit++) map.push(at)
      at += length
      index += shown
      // What a line begins with inside lists and quotes is no text.
      while (at < end && /[ \t>]/.test(source[at] ?? '') && source[at] !== value[index]) at++
      continue
    }
    if (source[at] === '\\' && source[at + 1] === wanted && /[!-/:-@[-`{-~]/.test(wanted ?? '')) {
      map.push(at)
      at += 2
      index++
      continue
    }
    const reference =
      source[at] === '&'
        ? /^&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z\d]{1,31});/i.exec(source.slice(at, at + 40))
        : null
    const decoded = reference === null ? undefined : decode(reference[0])
    if (reference !== null && decoded !== undefined && value.startsWith(decoded, index)) {
      for (let unit = 0; unit < decoded.length; unit++) map.push(at)
      at += reference[0].length
      index += decoded.length
      continue
    }
    if (source[at] !== wanted && !(source[at] === '\0' && wanted === '\ufffd')) return undefined
    map.push(at)
    at++
    index++
  }
  map.push(at)
  return map
}

const decoded = new Map<string, string>()

/** The text of a character reference, as the parser reads it. */
function decode(reference: string): string | undefined {
  const known = decoded.get(reference)
  if (known !== undefined) return known
  const [paragraph] = parseMarkdown(`x${reference}x`).children
  const text = paragraph?.type === 'paragraph' ? paragraph.children[0] : undefined
  if (text?.type !== 'text' || text.value.length < 3) return undefined
  const value = text.value.slice(1, -1)
  if (decoded.size < 1000) decoded.set(reference, value)
  return value
}
