import { stat } from 'node:fs/promises'
import { EngineError } from '../../../messaging/engine.js'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}

/** Why a program did not start, as one sentence with its cure. The system says ENOENT for a missing folder as well. */
export async function spawnError(error: unknown, program: string, cwd: string): Promise<EngineError> {
  const folder = await stat(cwd).catch(() => null)
  if (folder?.isDirectory() !== true) {
    return new EngineError(
      'folder',
      `The working folder ${cwd} is missing: create it again, or change workingFolder for this room.`,
      { cause: error },
    )
  }
  return new EngineError('spawn', reason(codeOf(error), program, cwd), { cause: error })
}

function reason(code: string, program: string, cwd: string): string {
  switch (code) {
    case 'ENOENT':
      return `The program ${program} was not found: install it, or write its full path in this agent's command (a path is looked up from ${cwd}, a bare name in PATH).`
    case 'EACCES':
    case 'EPERM':
      // A folder of PATH that this user may not enter hides a missing program behind this code.
      if (!/[\\/]/.test(program))
        return `The program ${program} was not found where this user may look for it in PATH (${code}): install it, write its full path in this agent's command, or make it executable (chmod +x).`
      return `The program ${program} may not be started (${code}): make it executable (chmod +x) and let this user enter ${cwd}.`
    case 'ENOEXEC':
      return `The program ${program} is no program this machine can run: give it a first line such as #!/usr/bin/env node, or name its interpreter in this agent's command.`
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'ENOMEM':
      return `The program ${program} could not be started because this machine has no more processes, files or memory to give (${code}): close something, or lower agentConcurrency.`
    default:
      return `The program ${program} could not be started (${code}): try to start it by hand in ${cwd}.`
  }
}
