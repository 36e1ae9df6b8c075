/** golem.yaml as a JSON Schema file: completion, descriptions and checks in editors. */
import { z } from 'zod'
import type { EngineSchemas } from './engines.js'
import { editorSchema, type PlatformSchemas } from './schema.js'

/** A text that holds a reference to an environment variable. */
const REFERENCE = '\\$\\{[A-Za-z_]'

/** The part of a JSON Schema that golem.yaml needs. */
export interface JsonSchema {
  $schema?: string
  title?: string
  description?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
}

/** What may be written (not what is made of it), draft 2020-12. The same input gives the same text. */
export function jsonSchema(platforms: PlatformSchemas, engines: EngineSchemas): JsonSchema {
  const schema = z.toJSONSchema(editorSchema(platforms, engines), {
    target: 'draft-2020-12',
    io: 'input',
    // A schema used in two places is written out in both, so that each place keeps its own description.
    reused: 'inline',
    override: ({ zodSchema, jsonSchema: made }) => {
      // zod drops the examples of whatever is transformed; here they are of what may be written.
      const examples = z.globalRegistry.get(zodSchema)?.examples
      if (Array.isArray(examples)) made.examples = examples
      // A number or switch may come from the environment as well.
      if (made.type === 'integer' || made.type === 'number' || made.type === 'boolean') {
        if (made.const !== undefined) return
        Object.assign(made, { type: [made.type, 'string'], pattern: REFERENCE })
      }
    },
  })
  return { title: 'golem.yaml', ...(schema as JsonSchema) }
}
