/** Files: what is made durable, and what takes another's place. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { around, aroundAsync } from './points.mjs'

const { fsyncSync, renameSync } = fs
fs.fsyncSync = (fd) => around('file sync', () => fsyncSync(fd))
fs.renameSync = (from, to) => around('file rename', () => renameSync(from, to))
const { link, open, rename } = fs.promises
fs.promises.rename = (from, to) => aroundAsync('file rename', () => rename(from, to))
fs.promises.link = (from, to) => aroundAsync('file link', () => link(from, to))
fs.promises.open = async (...args) => {
  const handle = await open(...args)
  const sync = handle.sync.bind(handle)
  handle.sync = () => aroundAsync('file sync', sync)
  return handle
}
syncBuiltinESMExports()
