/** References to environment variables inside the text values of golem.yaml. */

export type Environment = Readonly<Record<string, string | undefined>>

/** A reference that cannot be followed. `index` is where it starts in the text. */
export interface BadReference {
  index: number
  message: string
}

/** A variable that was asked for. `value` is null where the default of the reference took its place. */
export interface Used {
  name: string
  value: string | null
}

export interface Expansion {
  text: string
  /** Variables that the text was made with. */
  used: readonly Used[]
  bad: readonly BadReference[]
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const REFERENCE = /\$\$\{|\$\{([^{}]*)(\}?)/g

/**
 * Puts the values of `${NAME}` and `${NAME:-default}` into a text; `$${` stands for a plain `${`. A variable that is
 * missing or empty is never taken for an empty text: it is a bad reference, unless a default is given.
 */
export function expand(text: string, env: Environment): Expansion {
  const used: Used[] = []
  const bad: BadReference[] = []
  if (!text.includes('${')) return { text, used, bad }
  const expanded = text.replace(REFERENCE, (whole, inner: string | undefined, end: string, index: number) => {
    if (inner === undefined) return '${'
    const split = inner.indexOf(':-')
    const name = split < 0 ? inner : inner.slice(0, split)
    if (end === '' || !NAME.test(name)) {
      const what =
        end === '' ? 'a reference is not closed by }' : `\${${inner}} names no environment variable`
      bad.push({ index, message: `${what}. Write \${NAME} or \${NAME:-default}, or $\${ for a plain \${.` })
      return whole
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined && value !== '') {
      used.push({ name, value })
      return value
    }
    if (split >= 0) {
      used.push({ name, value: null })
      return inner.slice(split + 2)
    }
    bad.push({
      index,
      message: `the environment variable ${name} is ${value === '' ? 'empty' : 'not set'}. Set it, or write \${${name}:-default}.`,
    })
    return whole
  })
  return { text: expanded, used, bad }
}

// In `{ token: ${TOKEN} }` YAML would read the braces as its own. Before parsing, the marks inside a reference that mean
// something to YAML are replaced, one for one, by code points that are never text; afterwards they are put back.
const MARKS = '{}[],#'
const FIRST_STAND_IN = 0xfdd0
const STAND_INS = /[\uFDD0-\uFDD5]/g
const WHOLE_REFERENCE = /\$\{[^{}\r\n]*\}/g
const MARK = /[{}[\],#]/g

/** Hides the marks inside references from the YAML parser; every offset stays what it was. */
export function maskReferences(source: string): string {
  return source.replace(WHOLE_REFERENCE, (reference) =>
    reference.replace(MARK, (mark) => String.fromCharCode(FIRST_STAND_IN + MARKS.indexOf(mark))),
  )
}

export function unmaskReferences(text: string): string {
  return text.replace(STAND_INS, (standIn) => MARKS[standIn.charCodeAt(0) - FIRST_STAND_IN] ?? standIn)
}

/** Where a text holds one of the stand-ins itself; -1 when it does not. */
export function findStandIn(text: string): number {
  return text.search(STAND_INS)
}
