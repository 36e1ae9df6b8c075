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
      `${file} is damaged (${oneLine(said)}). Nothing was changed. Move it aside and restore a backup, or start with a new dataDir.`,
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
      `${file} cannot be written (${code}). Give this user write access to its folder (or mount the disk for writing), or set dataDir in golem.yaml.`,
    )
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return at(
      'read-only',
      `${file} cannot be made, because a file stands where a folder should be (${code}). Move that file away, or set dataDir in golem.yaml.`,
    )
  if (code === 'SQLITE_CANTOPEN' || code === 'ENOENT' || code === 'EISDIR')
    return at(
      'read-only',
      `${file} cannot be made or opened (${code}). Give this user write access to its folder, see that nothing else bears its name, or set dataDir in golem.yaml.`,
    )
  if (code === 'SQLITE_BUSY' || code.startsWith('SQLITE_BUSY'))
    return at('in-use', `${file} is locked by another program (${code}). Stop it and start again.`)
  return at('failed', `The store at ${file} failed: ${said}`)
}

/** What SQLite's check finds is a list of lines. */
export function oneLine(text: string): string {
  return text
    .replace(/\*\*\* in database main \*\*\*/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}
