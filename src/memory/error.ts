/** Why group memory could not do what it was asked. Closed: each code has its own cure. */
export type MemoryErrorCode =
  /** The file's heading names another chat. */
  | 'wrong-key'
  /** A chat key that is none. */
  | 'bad-key'
  | 'read-only'
  | 'disk-full'
  /** One line is longer than a line may be. */
  | 'too-long'
  /** Nothing is left of the line. */
  | 'empty'
  /** A section nobody knows. */
  | 'section'
  /** The file is full and holds too little that may be summarised. */
  | 'full'
  /** A file far beyond what memory may be; it is neither read nor changed. */
  | 'too-large'
  /** A link, folder or device where the file should be. */
  | 'not-a-file'
  /** The file is not the one any more that was to be replaced. */
  | 'conflict'
  /** Somebody else kept changing the file. */
  | 'busy'
  | 'io'

/** The one exception of the memory room. `message` says what failed, which file, and the cure. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
  constructor(
    readonly code: MemoryErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether a file system refused with one of these codes. */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error))
}

/** A file system's refusal in this room's words. What is no refusal of a file system passes through unchanged. */
export function asMemoryError(error: unknown, path: string): unknown {
  if (error instanceof MemoryError) return error
  const code = codeOf(error)
  switch (code) {
    case '':
      return error
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new MemoryError(
        'read-only',
        `Group memory ${path} cannot be written or read (${code}): give the user that runs Golem read and write access to its folder, or set memoryDir to a folder it may write.`,
        { cause: error },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return new MemoryError(
        'disk-full',
        `Group memory ${path} was not written: no space is left on the disk (${code}). The file is as it was; free some space and say it again.`,
        { cause: error },
      )
    case 'ELOOP':
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENXIO':
      return new MemoryError(
        'not-a-file',
        `Group memory ${path} is not a plain file in a plain folder (${code}): put the file itself there instead of a link or folder.`,
        { cause: error },
      )
    default:
      return new MemoryError('io', `Group memory ${path} failed (${code}): check the disk that holds it.`, {
        cause: error,
      })
  }
}
