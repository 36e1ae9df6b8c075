/** What the process tells its caller, and how an error of any layer becomes that. */

/** Exit codes. Part of the interface: documented in `--help` and docs/cli.md, never reused for something else. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  config: 3,
  data: 4,
  port: 5,
  notFound: 6,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An error the command line itself makes. */
export class CliError extends Error {
  override readonly name = 'CliError'
  constructor(
    readonly code: 'usage' | 'not-found' | 'stuck' | 'port',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

export interface Explained {
  exitCode: ExitCode
  /** For programs. */
  code: string
  /** For people. */
  message: string
  /** The cause is not one of ours: worth a bug report, so show where it came from. */
  unexpected: boolean
}

/**
 * Exit codes by the error class of a layer, then by its `code`; `''` stands for every other code. Classes are known by
 * name, so that no command has to load a layer to understand what it throws.
 */
const LAYERS: Readonly<Record<string, Readonly<Record<string, ExitCode>>>> = {
  CliError: { usage: EXIT.usage, 'not-found': EXIT.notFound, port: EXIT.port, '': EXIT.unexpected },
  ConfigError: { '': EXIT.config },
  EngineError: { '': EXIT.config },
  SkillError: { '': EXIT.config },
  MemoryError: { '': EXIT.data },
  StoreError: { '': EXIT.data },
  StoreFailed: { '': EXIT.data },
  ServerError: { 'bad-token': EXIT.config, 'open-to-network': EXIT.config, '': EXIT.port },
}

/** What the operating system says when a folder cannot be used, wherever it was noticed. */
const DISK: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space and start again; nothing that was accepted is lost.',
  EDQUOT: 'The disk quota is used up. Free some space and start again; nothing that was accepted is lost.',
  EROFS:
    'The file system is read-only. Set dataDir and memoryDir in golem.yaml to folders that can be written.',
  EACCES: 'This user may not write there. Give it the right to, or set dataDir and memoryDir in golem.yaml.',
  EPERM: 'This user may not write there. Give it the right to, or set dataDir and memoryDir in golem.yaml.',
  EMFILE: 'Too many files are open. Raise the limit (ulimit -n) and start again.',
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The exit code and sentence for whatever was thrown. */
export function explainError(error: unknown): Explained {
  if (!(error instanceof Error))
    return { exitCode: EXIT.unexpected, code: 'unexpected', message: String(error), unexpected: true }
  const code = codeOf(error)
  const layer = LAYERS[error.name]
  if (layer !== undefined) {
    const exitCode = layer[code] ?? layer[''] ?? EXIT.unexpected
    const kind = error.name.replace(/Error$/, '').toLowerCase()
    return { exitCode, code: code === '' ? kind : code, message: error.message, unexpected: false }
  }
  const disk = DISK[code]
  if (disk !== undefined)
    return { exitCode: EXIT.data, code, message: `${error.message}. ${disk}`, unexpected: false }
  return {
    exitCode: EXIT.unexpected,
    code: code === '' ? 'unexpected' : code,
    message: error.message,
    unexpected: true,
  }
}
