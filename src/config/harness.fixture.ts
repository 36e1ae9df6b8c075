/** For this folder's tests: two platforms and the shortest ways to load a text. */
import { z } from 'zod'
import type { Config } from './config.js'
import { ENGINES } from './engines.js'
import type { Environment } from './env.js'
import { ConfigError, type Problem } from './errors.js'
import { loadConfig } from './load.js'

export const PLATFORMS = {
  local: z.strictObject({ rooms: z.array(z.string()).default(['lobby']) }),
  slack: z
    .strictObject({
      botToken: z.string().min(1).describe('Bot token, begins with xoxb-.'),
      appToken: z.string().min(1).optional(),
      signingSecret: z.string().min(1).optional(),
    })
    .refine(
      (slack) => slack.appToken !== undefined || slack.signingSecret !== undefined,
      'needs appToken or signingSecret',
    ),
}

export function load(text: string, env: Environment = {}, file = '/etc/golem/golem.yaml'): Config {
  return loadConfig({ text, file, env, platforms: PLATFORMS, engines: ENGINES })
}

/** What is wrong with a text. Fails when nothing is. */
export function problemsOf(text: string, env: Environment = {}): readonly Problem[] {
  try {
    load(text, env, 'golem.yaml')
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error('This configuration was accepted.')
}
