import { expect, test } from 'vitest'
import { size } from './bytes.js'

test('sizes in words', () => {
  expect([size(999), size(4_000_000), size(1_500)]).toEqual(['999 bytes', '4 MB', '1.5 kB'])
})
