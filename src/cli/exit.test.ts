import { expect, it } from 'vitest'
import { ConfigError } from '../config/errors.js'
import { MemoryError } from '../memory/error.js'
import { EngineError } from '../messaging/engine.js'
import { ServerError } from '../server/error.js'
import { StoreError } from '../store/error.js'
import { CliError, explainError } from './exit.js'

const errno = (code: string) => Object.assign(new Error(`${code}: something, mkdir '/data'`), { code })

it.each([
  [new ConfigError([]), 3, 'config'],
  [new EngineError('spawn', 'x'), 3, 'spawn'],
  [new StoreError('in-use', 'x'), 4, 'in-use'],
  [new StoreError('full', 'x'), 4, 'full'],
  [new MemoryError('read-only', 'x'), 4, 'read-only'],
  [new ServerError('port-in-use', 'x'), 5, 'port-in-use'],
  [new ServerError('port-forbidden', 'x'), 5, 'port-forbidden'],
  [new ServerError('open-to-network', 'x'), 3, 'open-to-network'],
  [new ServerError('bad-token', 'x'), 3, 'bad-token'],
  [new CliError('not-found', 'x'), 6, 'not-found'],
  [new CliError('stuck', 'x'), 1, 'stuck'],
  [errno('ENOSPC'), 4, 'ENOSPC'],
  [errno('EROFS'), 4, 'EROFS'],
  [errno('EACCES'), 4, 'EACCES'],
  [new TypeError('x'), 1, 'unexpected'],
  [undefined, 1, 'unexpected'],
])('%o ends the process with %i', (error, exitCode, code) => {
  expect(explainError(error)).toMatchObject({ exitCode, code })
})

it('adds the cure to what the operating system says', () => {
  expect(explainError(errno('ENOSPC')).message).toContain('The disk is full. Free some space')
})
