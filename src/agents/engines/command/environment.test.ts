import { expect, test } from 'vitest'
import { environment } from './environment.js'

test('only the named variables and the configured ones reach a program', () => {
  const own = {
    PATH: '/bin',
    HOME: '/h',
    SLACK_BOT_TOKEN: 'xoxb-1',
    NODE_OPTIONS: '--inspect',
    GOLEM_TOKEN: 't',
  }
  expect(environment(own, { MODEL: 'm', PATH: '/opt' }, 'r1')).toEqual({
    PATH: '/opt',
    HOME: '/h',
    MODEL: 'm',
    GOLEM_RUN: 'r1',
  })
})
