/** Says in plain words where and why a text is no YAML. */
import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml'
import type { Finding } from './errors.js'
import { belongsAtMargin, SECTIONS } from './left-margin.js'

type Placed = Finding & { offset: number }

/** More would be echoes of the first ones. */
const MOST = 5

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab stands at the start of this line. Indent with blanks only.',
  BAD_INDENT: 'the indentation is wrong. Line the keys of one mapping up with blanks.',
  BLOCK_AS_IMPLICIT_KEY:
    'a second `key:` stands in this value. Put a text that holds a colon and a blank in quotes, or start a new line.',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line. Check the indentation and the quotes before it.',
  BAD_SCALAR_START: 'a text may not begin with this mark. Put the text in quotes.',
  BAD_DQ_ESCAPE:
    'this backslash means nothing in double quotes. Write \\\\ for a backslash, or use single quotes.',
  MULTIPLE_DOCS: 'a second document begins here (---). A golem.yaml holds one; remove the line.',
  MULTIPLE_ANCHORS: 'one value has two names (&name). Keep one.',
  MULTIPLE_TAGS: 'one value has two tags (!tag). Remove them.',
  ALIAS_PROPS: 'an alias (*name) takes no tag and no name of its own. Remove them.',
  BAD_ALIAS: 'this alias (*name) is wrong. A text that begins with * needs quotes.',
  BAD_DIRECTIVE: 'this line begins with %, which is a directive of YAML that is not known. Remove the line.',
  TAG_RESOLVE_FAILED: 'this tag (!tag) is not known. Remove it; a text that begins with ! needs quotes.',
  BAD_COLLECTION_TYPE: 'this tag (!tag) does not fit the value. Remove it.',
  BLOCK_IN_FLOW:
    'inside [ ] or { } nothing can be written as an indented block. Use one form for the whole value.',
  BAD_PROP_ORDER: 'a name (&name) or tag stands in the wrong place. Put it directly before its value.',
  KEY_OVER_1024_CHARS: 'this key is too long. A quote or a bracket before it may not be closed.',
  RESOURCE_EXHAUSTION: 'too many lists or mappings stand within each other. Write the file flatter.',
}

/** At most one finding a line, in order. Warnings of the parser count: what it did not understand is not guessed. */
export function syntaxFindings(document: Document, text: string): Finding[] {
  const findings = new Map<number, Finding>()
  const errors = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  for (const error of errors) {
    const finding = withMargin(
      unclosed(error, document) ??
        tooDeepLine(error, errors, text) ?? {
          path: [],
          offset: error.pos[0],
          message: sentence(error, text),
        },
      text,
    )
    const line = text.slice(0, finding.offset).split('\n').length
    if (!findings.has(line) && findings.size < MOST) findings.set(line, finding)
  }
  return [...findings.values()]
}

/** The parser notices a missing `"`, `}` or `]` where the text ends; a person looks for the one that opened it. */
function unclosed(error: YAMLError, document: Document): Placed | undefined {
  const quote = error.code === 'MISSING_CHAR' ? /Missing closing (["'])/.exec(error.message)?.[1] : undefined
  const bracket =
    error.code === 'BAD_INDENT' ? /^Flow .* end with a ([\]}])/.exec(error.message)?.[1] : undefined
  if (quote === undefined && bracket === undefined) return undefined
  let opened = error.pos[0]
  visit(document, {
    Node(_, node) {
      const at = node.range?.[0]
      if (at === undefined || at > error.pos[0]) return
      const isQuote = isScalar(node) && /^QUOTE/.test(node.type ?? '')
      const isBracket = isCollection(node) && node.flow === true
      if (quote !== undefined ? isQuote : isBracket) opened = at
    },
  })
  const mark = quote ?? (bracket === '}' ? '{' : '[')
  return {
    path: [],
    offset: opened,
    message: `this ${mark} is not closed. Add the missing ${quote ?? bracket}.`,
  }
}

/** A section's key that fits nowhere because of the blanks before it. */
function withMargin(finding: Placed, text: string): Placed {
  const line = text.lastIndexOf('\n', finding.offset - 1) + 1
  const [, blanks = '', key = ''] = /^( +)(\w+):(?=\s|$)/.exec(text.slice(line, line + 40)) ?? []
  const isFirst = finding.offset <= line + blanks.length
  if (!isFirst || !SECTIONS.includes(key)) return finding
  const at = new RegExp(`^${key}:`, 'm').exec(text)?.index
  const first = at === undefined ? undefined : text.slice(0, at).split('\n').length
  return { path: [], offset: line + blanks.length, message: belongsAtMargin(key, first) }
}

/** A key that is indented deeper than the one before it is read as more of its value. */
function tooDeepLine(error: YAMLError, all: readonly YAMLError[], text: string): Placed | undefined {
  const start = error.pos[0]
  const isKey = error.code === 'BLOCK_AS_IMPLICIT_KEY' || error.code === 'MULTILINE_IMPLICIT_KEY'
  if (!isKey || !all.some((other) => other.code === 'MULTILINE_IMPLICIT_KEY' && other.pos[0] === start))
    return undefined
  const next = /\n[ ]*/.exec(text.slice(start))
  if (next === null) return undefined
  const message = 'this line is indented deeper than the key before it. Line the keys of one mapping up.'
  return { path: [], offset: start + next.index + next[0].length, message }
}

function sentence(error: YAMLError, text: string): string {
  if (error.code === 'MISSING_CHAR') {
    if (error.message.includes('Implicit map keys')) return 'a colon is missing here. Write `key: value`.'
    return 'a mark is missing: a comma between entries, a blank after a colon, or a closing ] or }.'
  }
  if (error.code === 'UNEXPECTED_TOKEN') {
    const mark = text.charAt(error.pos[0])
    if (mark === ']' || mark === '}') return `a ${mark} closes nothing here. Remove it, or open it before.`
    return 'this does not belong here. Line up the keys of one mapping, and put texts with special marks in quotes.'
  }
  return (
    SENTENCES[error.code] ?? 'this is no valid YAML. Check the indentation, quotes and brackets of this line.'
  )
}
