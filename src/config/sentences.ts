/** Says in a sentence what a schema found wrong. No sentence holds a value that could be a secret. */
import type { z } from 'zod'
import type { Finding, Path } from './errors.js'
import { showPath } from './errors.js'
import { nearest } from './suggest.js'

type Issue = z.core.$ZodIssue
type RawIssue = z.core.$ZodRawIssue

/** What the sentences need to know besides the issue. */
export interface Context {
  /** The variables a value holds, when it came from the environment: then the value itself is not shown. */
  variables(path: Path): readonly string[]
  /** Where a key that is unknown here would be known, or what it is called. */
  hint(path: Path, key: string): string | undefined
  /** Keys that are known at a path although its schema has been relieved of them. */
  alsoKnown(path: Path): readonly string[]
}

// zod hands the schema of an issue to error maps only. What the sentence needs of it travels in the message.
const KNOWN = '\u0000known\u0000'
const ABOUT = '\u0000about\u0000'

/** Error map for `safeParse`: puts known keys, or the description of a missing value, into the message. */
export function carry(issue: RawIssue): string | undefined {
  const schema = issue.inst
  if (issue.code === 'unrecognized_keys') {
    const shape = schema !== undefined && 'shape' in schema._zod.def ? schema._zod.def.shape : {}
    return KNOWN + Object.keys(shape as object).join('\u0000')
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    const description = schema !== undefined && 'description' in schema ? schema.description : undefined
    return typeof description === 'string' ? ABOUT + description : undefined
  }
  return undefined
}

/** The single issues behind unions, with whole paths. Of a union, the branch that the value was meant for speaks. */
export function leaves(issues: readonly Issue[], base: Path = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path.map(plainStep)]
    if (issue.code === 'invalid_union' && issue.errors.length > 0 && !isOwn(issue.message)) {
      const meant = issue.errors.filter(
        (branch) => !branch.some((each) => each.path.length === 0 && isKind(each)),
      )
      const [only] = meant.sort((a, b) => a.length - b.length)
      if (only !== undefined) return leaves(only, path)
    }
    return [{ ...issue, path }]
  })
}

function plainStep(step: PropertyKey): string | number {
  return typeof step === 'number' ? step : String(step)
}

function isKind(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value'
}

/** Messages of our schemas are predicates (`must be …`); zod's own begin with a capital. */
function isOwn(message: string): boolean {
  return /^(?:must|needs|is|has|may) /.test(message)
}

/** One finding for each thing that an issue holds. `issue` comes from {@link leaves}. */
export function findingsOf(issue: Issue, context: Context): Finding[] {
  const path = issue.path.map(plainStep)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(path, key, issue.message, context))
  const shown = showPath(path)
  const say = (rest: string): Finding[] => [{ path, message: `${shown} ${rest}` }]
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    const about = issue.message.startsWith(ABOUT) ? ` ${issue.message.slice(ABOUT.length)}` : ''
    return say(`is missing.${about}`)
  }
  if (isOwn(issue.message)) return say(`${issue.message}${valueNote(issue, path, context)}.`)
  switch (issue.code) {
    case 'invalid_type': {
      const is =
        issue.expected === 'int' && typeof issue.input === 'number' ? issue.input : kindOf(issue.input)
      const from = context.variables(path).map(reference)
      const source = from.length > 0 ? ` (from ${listed(from, 'and')})` : ''
      return say(
        `must be ${kind(issue.expected)}, but it is ${is}${source}.${cure(issue.expected, issue.input)}`,
      )
    }
    case 'invalid_value':
      return oneOf(path, issue.input, issue.values.map(String), context)
    case 'invalid_union': {
      if (issue.discriminator !== undefined) return choice(issue, path, context)
      const kinds = issue.errors
        .flatMap((branch) => branch.filter((each) => each.path.length === 0))
        .flatMap(branchKind)
      return say(`must be ${listed([...new Set(kinds)], 'or')}, but it is ${kindOf(issue.input)}.`)
    }
    case 'too_big':
      return say(`${size(issue.origin, 'most', Number(issue.maximum))}${valueNote(issue, path, context)}.`)
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1)
        return say('is empty. Write a text, or remove the key.')
      return say(`${size(issue.origin, 'least', Number(issue.minimum))}${valueNote(issue, path, context)}.`)
    case 'invalid_key':
      return [
        { path, at: 'key', message: `${shown}: this key ${issue.issues[0]?.message ?? 'is not allowed'}.` },
      ]
    default:
      return [{ path, message: `${shown}: ${issue.message.replace(/[.\s]*$/, '')}.` }]
  }
}

function unknownKey(path: Path, key: string, message: string, context: Context): Finding {
  const carried = message.startsWith(KNOWN) ? message.slice(KNOWN.length).split('\u0000').filter(Boolean) : []
  const known = [...carried, ...context.alsoKnown(path)]
  const full = [...path, key]
  const shown = showPath(full)
  const isPlatform = path.length === 1 && path[0] === 'channels'
  const what = isPlatform ? `${shown}: no platform is named ${key}.` : `${shown} is not a known key.`
  const near = nearest(key, known)
  const hint = context.hint(path, key)
  const list = known.length === 0 ? 'It takes no keys here.' : `Known here: ${known.join(', ')}.`
  const finding: Finding = { path: full, at: 'key', message: what }
  if (hint !== undefined) finding.message += ` ${hint}`
  else if (near !== undefined) {
    finding.nearest = near
    finding.message += ` Did you mean ${near}?`
  }
  if ((isPlatform && hint === undefined) || (near === undefined && hint === undefined))
    finding.message += ` ${list}`
  return finding
}

/** A value outside a closed list. */
export function oneOf(path: Path, input: unknown, values: readonly string[], context: Context): Finding[] {
  const variables = context.variables(path)
  const shown = showPath(path)
  const is =
    variables.length > 0
      ? `(from ${listed(variables.map(reference), 'and')}) is`
      : `is ${whatIs(input)}, which is`
  const near = typeof input === 'string' ? nearest(input, values) : undefined
  const message = `${shown} ${is} not one of ${values.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`
  return [near === undefined ? { path, message } : { path, message, nearest: near }]
}

function choice(issue: z.core.$ZodIssueInvalidUnion, path: Path, context: Context): Finding[] {
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
  const key = String(issue.discriminator)
  const input =
    typeof issue.input === 'object' && issue.input !== null ? Reflect.get(issue.input, key) : undefined
  if (input === undefined) {
    return [{ path, message: `${showPath(path)} is missing. Write one of ${options.join(', ')}.` }]
  }
  return oneOf(path, input, options, context)
}

function branchKind(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [kind(issue.expected)]
  return issue.code === 'invalid_value' ? issue.values.map(String) : []
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping (key: value)',
  record: 'a mapping (key: value)',
  array: 'a list',
  null: 'null',
}

function kind(expected: string): string {
  return KINDS[expected] ?? expected
}

/** The kind of a value, never the value: what was expected to be a mapping may be a token. */
function kindOf(input: unknown): string {
  if (typeof input === 'string') return 'text'
  return typeof input === 'number' ? 'a number' : whatIs(input)
}

function whatIs(input: unknown): string {
  if (input === null) return 'empty'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'object') return 'a mapping'
  if (typeof input === 'string')
    return input.length <= 40 && !/[\r\n]/.test(input) ? JSON.stringify(input) : 'a longer text'
  return String(input)
}

const YES_NO: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  y: 'true',
  no: 'false',
  off: 'false',
  n: 'false',
}

function cure(expected: string, input: unknown): string {
  if (expected === 'string' && (typeof input === 'boolean' || typeof input === 'number'))
    return ' Put it in quotes.'
  if (expected === 'array' && typeof input === 'string') return ' Write [a, b], or one `- entry` a line.'
  if (typeof input !== 'string') return ''
  const meant =
    YES_NO[input.toLowerCase()] ?? (/^(?:true|false)$/i.test(input) ? input.toLowerCase() : undefined)
  if (expected === 'boolean' && meant !== undefined) return ` Write ${meant}, without quotes.`
  if ((expected === 'number' || expected === 'int') && /^\d+(?:\.\d+)?$/.test(input))
    return ' Remove the quotes.'
  return ''
}

function size(origin: string, end: 'most' | 'least', limit: number): string {
  const number = limit.toLocaleString('en')
  if (origin === 'string') return `must have at ${end} ${number} characters`
  if (origin === 'array' || origin === 'set')
    return `needs at ${end} ${number} ${limit === 1 ? 'entry' : 'entries'}`
  return end === 'most' ? `must be ${number} or less` : `must be ${number} or more`
}

function valueNote(issue: Issue, path: Path, context: Context): string {
  const variables = context.variables(path)
  if (variables.length > 0) return ` (it comes from ${listed(variables.map(reference), 'and')})`
  return typeof issue.input === 'number' ? `, but it is ${issue.input}` : ''
}

function reference(name: string): string {
  return `\${${name}}`
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
