/** Errors whose message is a whole sentence with its cure: where they were thrown tells nobody anything. */
const EXPECTED: ReadonlySet<string> = new Set([
  'EngineError',
  'MemoryError',
  'PlatformFailure',
  'StoreError',
  'ToolError',
])

/** What the operating system says of a folder that cannot be used. */
const DISK: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
  'ENOTDIR',
  'EEXIST',
])

/** The system's code for a disk that is full, broken or forbidden; null for any other error. */
export function diskCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return DISK.has(code) ? code : null
}

/** What a log line holds of an error: of an expected one its sentence, of a fault all there is, the stack as well. */
export function loggable(error: unknown): { reason: string } | { err: unknown } {
  const expected = error instanceof Error && (EXPECTED.has(error.name) || diskCode(error) !== null)
  return expected ? { reason: error.message } : { err: error }
}
