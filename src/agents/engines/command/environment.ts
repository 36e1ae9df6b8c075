/** What of Golem's own environment a program may see. Everything else, tokens above all, stays out. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const

/** Names every process that descends from a run, so that none outlives it by leaving its process group. */
export const RUN_VARIABLE = 'GOLEM_RUN'

/** The environment of an agent's program: the few names above, what golem.yaml adds, and the run's mark. */
export function environment(
  own: NodeJS.ProcessEnv,
  configured: Readonly<Record<string, string>>,
  run: string,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of PASSED) {
    const value = own[name]
    if (value !== undefined) env[name] = value
  }
  return { ...env, ...configured, [RUN_VARIABLE]: run }
}
