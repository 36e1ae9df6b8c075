import { expect, it } from 'vitest'
import { checkTranscribe } from './transcribe.js'

const says = (transcribe: unknown, env = {}) =>
  checkTranscribe({ transcribe }, env)
    .map(({ message }) => message)
    .join()

it('takes a program, or a model that can be reached', () => {
  expect(checkTranscribe({}, {})).toEqual([])
  expect(says({ command: ['whisper'] })).toBe('')
  expect(says({ model: 'openai/whisper-1', apiKey: 'k' })).toBe('')
  expect(says({ model: 'openai/whisper-1' }, { OPENAI_API_KEY: 'k' })).toBe('')
  expect(says({ model: 'openai-compatible/w', baseUrl: 'http://127.0.0.1:1' })).toBe('')
})

it.each([
  [{}, /by whom/],
  [{ command: ['x'], model: 'openai/whisper-1' }, /exclude each other/],
  [{ model: 'openai/whisper-1' }, /OPENAI_API_KEY/],
  [{ model: 'openai-compatible/w' }, /baseUrl/],
])('refuses %j with the cure', (written, message) => {
  expect(says(written)).toMatch(message)
})
