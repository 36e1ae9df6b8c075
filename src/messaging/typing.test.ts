import { expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { type Operation, PlatformFailure } from './contract.js'
import { Holds } from './holds.js'
import { showTyping } from './typing.js'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

function chat() {
  const core = new Core(() => '')
  const platform = new TestPlatform(core.clock)
  core.connect(platform)
  const holds = new Holds()
  const shown: boolean[] = []
  platform.before = (op: Operation) => {
    if (op.kind === 'typing') shown.push(op.on)
  }
  const show = () => showTyping(core.directory.get('local'), { chat: 'a' }, holds, core.clock, log)
  return { core, platform, holds, shown, show }
}

it('is shown after a moment, again and again, and taken away', async () => {
  const { core, shown, show } = chat()
  const end = show()
  await core.pass(9_000, 100)
  end()
  expect(shown).toEqual([true, true, true, false])
})

it('is not shown for an answer that comes at once', async () => {
  const { core, shown, show } = chat()
  const end = show()
  await core.pass(200, 100)
  end()
  await core.pass(10_000)
  expect(shown).toEqual([])
})

it('is not shown while the chat must be left alone, and makes others leave it alone', async () => {
  const { core, platform, holds, shown, show } = chat()
  platform.before = (op) => {
    if (op.kind === 'typing') shown.push(op.on)
    throw new PlatformFailure({ kind: 'rate-limited', retryAt: core.clock.now() + 10_000 }, 'too often')
  }
  const end = show()
  await core.pass(9_000, 100)
  expect(shown).toEqual([true])
  expect(holds.holds({ connection: 'local', chatKey: 'local:a', kind: 'post' }, core.clock.now())).toBe(true)
  await core.pass(4_000, 100)
  expect(shown).toEqual([true, true])
  end()
  await settled()
  expect(shown).toEqual([true, true])
})
