import { z } from 'zod'

const rule = z.enum(['ask', 'allow', 'deny'])

export const schema = z
  .object({
    command: z.array(z.string()).min(1).optional(),
    env: z.record(z.string(), z.string()).default({}),
    model: z.string().optional(),
    mode: z.string().optional(),
    permissions: z
      .union([rule, z.object({ read: rule, edit: rule, execute: rule, fetch: rule, other: rule })])
      .default('ask'),
    /** `idle` in milliseconds. */
    pool: z
      .object({ max: z.number().int().nonnegative(), idle: z.number().positive() })
      .default({ max: 4, idle: 600_000 }),
    skipPermissions: z.boolean().optional(),
    systemPrompt: z.string().optional(),
  })
  .transform(({ skipPermissions, ...settings }) => ({
    ...settings,
    permissions: skipPermissions === true ? ('allow' as const) : settings.permissions,
  }))

/** What golem.yaml says of an agent with engine `acp`, or with that of a coding agent by name. */
export type AcpSettings = z.output<typeof schema>

/** Defaults filled in. @throws ZodError */
export function acpSettings(options: z.input<typeof schema>): AcpSettings {
  return schema.parse(options)
}
