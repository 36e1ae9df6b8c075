export { characterBoundary } from './graphemes.js'
export { type Mark, type MentionTarget, markedDoc } from './marked.js'
export {
  type Addressable,
  addressable,
  type MentionOptions,
  type MentionSpan,
  mentionsOf,
  withMentions,
} from './mentions.js'
export { parseDoc, warmParser } from './parse.js'
export { type PlainOptions, plainText } from './plain.js'
export { sourceText, toMarkdown } from './source.js'
export { type SplitOptions, splitMarkdown } from './split.js'
export type { Doc, Mention } from './types.js'
