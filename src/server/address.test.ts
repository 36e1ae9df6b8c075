import { expect, it } from 'vitest'
import { hostName, isLoopback, urlOf } from './address.js'

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['localhost', true],
  ['LocalHost', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['', false],
])('%s is this machine: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000'],
  ['Golem.Local', 'http://golem.local:3000'],
])('bound to %s, a person opens %s', (host, url) => {
  expect(urlOf(host, 3000)).toBe(url)
})

it.each([
  ['golem.example', 'golem.example'],
  ['Golem.Example:80', 'golem.example'],
  ['[::1]:3000', '::1'],
  ['[::1', null],
  ['a b', null],
  ['a/b', null],
  ['a@b', null],
  ['a:b', null],
  ['a:', null],
  ['', null],
])('the name in a Host of %j is %j', (header, name) => {
  expect(hostName(header)).toBe(name)
})
