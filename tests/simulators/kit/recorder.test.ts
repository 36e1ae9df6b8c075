import { expect, it } from 'vitest'
import { VirtualClock } from './clock.js'
import { Recorder, readRecording, redact, replay } from './recorder.js'

it('writes no secret, in no form', () => {
  expect(redact('a 1:A/b c 1%3AA%2Fb d', ['1:A/b', ''])).toBe('a [redacted] c [redacted] d')
  const recorder = new Recorder('x', new VirtualClock({ manual: true, start: 0 }), () => ['s3cret'])
  recorder.delivery('1', { text: 'the s3cret word' })
  recorder.call(
    { method: 'm', at: 0, status: 200, effect: false, params: { token: 's3cret' } },
    { ok: 's3cret' },
  )
  recorder.acknowledged('1')
  expect(recorder.text()).not.toContain('s3cret')
  expect(readRecording(recorder.text()).map(({ kind }) => kind)).toEqual([
    'start',
    'delivery',
    'call',
    'acknowledged',
  ])
  recorder.on = false
  recorder.delivery('2', {})
  expect(readRecording(recorder.text())).toHaveLength(4)
})

it('plays in order, at the distances there were', async () => {
  const clock = new VirtualClock({ manual: true, start: 500 })
  const recorder = new Recorder('x', clock, () => [])
  recorder.delivery('1', 'a')
  clock.advance(100)
  recorder.delivery('2', 'b')
  recorder.delivery('3', 'c')
  const other = new VirtualClock({ manual: true, start: 9000 })
  const played: string[] = []
  const done = replay(recorder.text(), other, (id, body) =>
    played.push(`${id} ${String(body)} ${other.now()}`),
  )
  expect(played).toEqual(['1 a 9000'])
  other.advance(100)
  expect(await done).toBe(3)
  expect(played.slice(1)).toEqual(['2 b 9100', '3 c 9100'])
  expect(await replay('', other, () => {})).toBe(0)
  expect(() => readRecording('{}\nnot json')).toThrow('Line 2 of the recording')
})
