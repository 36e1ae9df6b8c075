/**
 * How often a property is tried: as often as the law says, times `CONFORMANCE_RUNS` for a longer look
 * (`CONFORMANCE_RUNS=20 npx vitest run tests/conformance`).
 */
export function runs(usual: number): { numRuns: number } {
  return { numRuns: Math.ceil(usual * Number(process.env.CONFORMANCE_RUNS ?? 1)) }
}
