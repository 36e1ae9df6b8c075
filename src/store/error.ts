/** What can be wrong with a data folder, each with what the person can do. */
export type StoreErrorCode =
  | 'in-use'
  | 'read-only'
  | 'full'
  | 'corrupt'
  | 'newer'
  | 'missing'
  | 'closed'
  | 'failed'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** Turns what SQLite or the file system says into one sentence with its cure. */
export function storeError(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error
  const code = codeOf(error)
  const said = error instanceof Error ? error.message : String(error)
  const at = (kind: StoreErrorCode, message: string) => new StoreError(kind, message, { cause: error })
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return at(
      'full',
      `The disk that holds ${file} is full. Free some space; nothing that was accepted is lost.`,
    )
  if (code.startsWith('SQLITE_IOERR'))
    return at(
      'full',
      `Reading or writing ${file} failed (${code}). Check the disk's free space and health; nothing that was accepted is lost.`,
    )
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return at(
      'corrupt',
      `${file} is damaged (${said}). Nothing was changed. Move it aside and restore a backup, or start with a new dataDir.`,
    )
  if (
    code === 'SQLITE_READONLY' ||
    code.startsWith('SQLITE_READONLY') ||
    code === 'EROFS' ||
    code === 'EACCES' ||
    code === 'EPERM'
  )
    return at(
      'read-only',
      `${file} cannot be written (${code}). Give this user write access to its folder, or set dataDir in golem.yaml.`,
    )
  if (code === 'SQLITE_CANTOPEN' || code === 'ENOTDIR' || code === 'ENOENT' || code === 'EEXIST')
    return at(
      'read-only',
      `${file} cannot be opened (${code}). Check that its folder exists and may be written, or set dataDir in golem.yaml.`,
    )
  if (code === 'SQLITE_BUSY' || code.startsWith('SQLITE_BUSY'))
    return at('in-use', `${file} is locked by another program (${code}). Stop it and start again.`)
  return at('failed', `The store at ${file} failed: ${said}`)
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
