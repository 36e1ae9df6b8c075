/** A logger for the SDKs that says nothing. */
import { type Logger, LogLevel } from '@slack/bolt'

export const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
}
