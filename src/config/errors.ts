/** What is wrong with a golem.yaml: all of it at once, each with its place and its cure. */

/** Where a value stands: keys and list indexes from the top of the file. */
export type Path = readonly (string | number)[]

/** One thing that is wrong. */
export interface Problem {
  /** The file as it was named by the caller. */
  file: string
  /** 1-based; 0 when the problem is the file itself. */
  line: number
  column: number
  /** `agents[1].name`; empty for the file itself. */
  path: string
  /** What is wrong and the cure, free of secrets. */
  message: string
  /** The known key or value that was probably meant. */
  nearest?: string
}

/** A problem before its line and column are looked up. `offset` wins over the place of `path`. */
export interface Finding {
  path: Path
  /** Point at the key instead of its value. */
  at?: 'key' | 'value'
  offset?: number
  message: string
  nearest?: string
}

/** `rooms["slack:C1"].members[0]`. */
export function showPath(path: Path): string {
  let shown = ''
  for (const step of path) {
    if (typeof step === 'number') shown += `[${step}]`
    else if (/^[A-Za-z_][\w-]*$/.test(step)) shown += shown === '' ? step : `.${step}`
    else shown += shown === '' ? step : `[${JSON.stringify(step)}]`
  }
  return shown
}

/** `golem.yaml:7:3: groupChat.groupPolicyy is not a known key. Did you mean groupPolicy?` */
export function formatProblem(problem: Problem): string {
  const place = problem.line > 0 ? `:${problem.line}:${problem.column}` : ''
  return `${problem.file}${place}: ${problem.message}`
}

/** The configuration cannot be used. `message` holds every problem, one a line, in the order of the file. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
  }
}
