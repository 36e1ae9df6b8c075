import { expect, it } from 'vitest'
import { EngineError } from '../messaging/engine.js'
import { loggable } from './loggable.js'

it('shows no stack of what was to be expected, and all of what was not', () => {
  expect(loggable(new EngineError('exit', 'The program ended.'))).toEqual({ reason: 'The program ended.' })
  const full = Object.assign(new Error('ENOSPC: no space left on device, mkdir /d'), { code: 'ENOSPC' })
  expect(loggable(full)).toEqual({ reason: 'ENOSPC: no space left on device, mkdir /d' })
  const fault = new TypeError('x is not a function')
  expect(loggable(fault)).toEqual({ err: fault })
  expect(loggable('odd')).toEqual({ err: 'odd' })
})
