/**
 * Stands for `fast-check` in tests. Where `CI` is set, every run tries the same cases: what lands is judged by what was
 * changed, not by luck. Everywhere else the cases are new each time, and that is how the laws find what nobody thought of.
 * `GOLEM_SEED` names a seed for either; a failure prints the one it was found with.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js'

export const seed = seedFrom(process.env)
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })

export * from '../../node_modules/fast-check/lib/fast-check.js'
export default fc

export function seedFrom({ GOLEM_SEED, CI }: { GOLEM_SEED?: string; CI?: string }): number | undefined {
  if (GOLEM_SEED !== undefined && GOLEM_SEED !== '') return Number(GOLEM_SEED)
  return CI === undefined || CI === '' ? undefined : 1
}
