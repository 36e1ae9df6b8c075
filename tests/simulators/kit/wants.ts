/** What the control API reads from a request, checked. */
import type { FaultRule } from './faults.js'
import type { Said } from './stage.js'

export type Fields = Readonly<Record<string, unknown>>

/** A request of the control API that cannot be done. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message)
  }
}

/** @throws Refusal when it is missing and there is no `fallback` */
export function text(fields: Fields, name: string, fallback?: string): string {
  const value = fields[name] ?? fallback
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw new Refusal('missing_field', `Needs the field "${name}"`)
}

/** Files as `[{name, mime, base64}]`. */
export function readFiles(fields: Fields): NonNullable<Said['files']> {
  const files = fields.files
  if (!Array.isArray(files)) return []
  return files.map((file: unknown) => {
    const one = (typeof file === 'object' && file !== null ? file : {}) as Fields
    return {
      name: text(one, 'name'),
      mime: text(one, 'mime', 'application/octet-stream'),
      bytes: Buffer.from(text(one, 'base64', ''), 'base64'),
    }
  })
}

const KINDS: readonly FaultRule['do']['kind'][] = [
  'rate-limit',
  'refuse',
  'status',
  'reset',
  'silent-success',
  'hang',
  'delay',
  'revoke',
]
/** Fields of `do` that each kind cannot do without, and their types. */
const NEEDED: Partial<Record<FaultRule['do']['kind'], Readonly<Record<string, readonly string[]>>>> = {
  'rate-limit': { retryAfterMs: ['number'] },
  refuse: { code: ['string', 'number'] },
  status: { status: ['number'] },
  'silent-success': { how: ['string'] },
  delay: { ms: ['number'] },
}

/** @throws Refusal that says what a fault rule needs */
export function fault(fields: Fields): FaultRule {
  const what = (typeof fields.do === 'object' && fields.do !== null ? fields.do : {}) as Fields
  const kind = KINDS.find((one) => one === what.kind)
  if (!kind) throw new Refusal('bad_fault', `do.kind: one of ${KINDS.join(', ')}`)
  for (const [name, types] of Object.entries(NEEDED[kind] ?? {})) {
    if (!types.includes(typeof what[name])) {
      throw new Refusal('bad_fault', `do.${name} of ${kind}: needs a ${types.join(' or ')}`)
    }
  }
  const { onMeet: _program, ...rule } = fields
  return rule as unknown as FaultRule
}
