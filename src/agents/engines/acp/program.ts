/** Where a coding agent that is known by name is installed. */
import { access, constants } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { EngineError } from '../../../messaging/engine.js'

/** What is known of a coding agent besides golem.yaml. */
export interface Preset {
  /** Commands that start it, the first that is installed counts. */
  commands: readonly (readonly string[])[]
  install: string
  login: string
  variables: readonly string[]
  methods: Readonly<Record<string, string | null>>
}

/**
 * The first command that is installed, with the whole path of its program. Looked for in PATH and beside Node itself,
 * where `npm install -g` puts it: a service's PATH is often shorter than a person's.
 *
 * @throws EngineError `spawn`, with the way to install it
 */
export async function installed(
  preset: Preset,
  environment: NodeJS.ProcessEnv,
  node = process.execPath,
): Promise<readonly string[]> {
  const folders = [...(environment.PATH ?? '').split(delimiter), dirname(node)].filter((folder) =>
    isAbsolute(folder),
  )
  for (const [program = '', ...args] of preset.commands) {
    for (const folder of folders) {
      const path = join(folder, program)
      if (await isProgram(path)) return [path, ...args]
    }
  }
  const names = preset.commands.map(([program]) => program).join(' or ')
  throw new EngineError(
    'spawn',
    `The program ${names} was not found in PATH: install it with \`${preset.install}\`, or write its full path as this agent’s command.`,
  )
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
