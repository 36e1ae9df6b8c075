import { z } from 'zod'

const provider = z.object({
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
const id = z.string().regex(/^[^/\s]+\/\S+$/)

export const schema = provider.extend({
  model: id,
  fallback: z.array(id).default([]),
  models: z.array(id).default([]),
  providers: z.record(z.string(), provider).default({}),
  temperature: z.number().optional(),
  effort: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
  maxSteps: z.number().int().positive().default(20),
  maxOutputTokens: z.number().int().positive().optional(),
  prices: z
    .record(
      z.string(),
      z.object({ input: z.number(), output: z.number(), cachedInput: z.number().optional() }),
    )
    .default({}),
  providerOptions: z.record(z.string(), z.record(z.string(), z.json())).default({}),
  proxy: z.string().optional(),
})

/** What golem.yaml says of an agent with engine `ai`. */
export type AiSettings = z.output<typeof schema>

/** Defaults filled in. @throws ZodError */
export function aiSettings(options: z.input<typeof schema>): AiSettings {
  return schema.parse(options)
}
