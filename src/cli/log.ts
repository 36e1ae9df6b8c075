/** The daemon's log, on standard error: one JSON object a line, or one readable line on a terminal. Never a secret. */
import { pino } from 'pino'
import type { Logger } from '../messaging/ambient.js'
import { createRedactor } from '../messaging/redact.js'
import { harmless, type Style, styleFor } from './format/text.js'

export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type Level = (typeof LEVELS)[number]

export interface LogOptions {
  write(text: string): void
  /** One readable line instead of JSON. */
  pretty: boolean
  colour: boolean
  level: Level
}

export interface Log extends Logger {
  /** Takes these values out of every later line. */
  hide(secrets: Iterable<string>): void
}

/** `GOLEM_LOG`; anything else than a level is `info`. */
export function levelFrom(env: Readonly<Record<string, string | undefined>>): Level {
  return LEVELS.find((level) => level === env.GOLEM_LOG?.toLowerCase()) ?? 'info'
}

export function createLog(options: LogOptions): Log {
  const secrets = new Set<string>()
  let redactor = createRedactor()
  const style = styleFor(options.colour)
  const log = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => options.write(options.pretty ? `${prettyLine(line, style)}\n` : line) },
  )
  const write = (level: Exclude<Level, 'silent'>) => (fields: object, message: string) => {
    if (log.isLevelEnabled(level)) log[level](redactor.value(fields), redactor.text(message))
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    hide(values) {
      for (const value of values) secrets.add(value)
      redactor = createRedactor(secrets)
    },
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function showField(name: string, value: unknown): string {
  const text = typeof value === 'string' ? harmless(value) : JSON.stringify(value)
  return `${name}=${typeof value === 'string' && (/[\s"=]/.test(text) || text === '') ? JSON.stringify(text) : text}`
}

const COLOURS: Readonly<Record<string, keyof Style>> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
}

/** `10:00:00.123 warn  a message  field=value`, and the stack of an error below it. */
export function prettyLine(json: string, style: Style): string {
  const entry: unknown = JSON.parse(json)
  if (!isRecord(entry)) return json
  const { level, time, msg, ...fields } = entry
  const name = String(level)
  const clock = typeof time === 'string' ? time.slice(11, 23) : ''
  const rest: string[] = []
  const stacks: string[] = []
  for (const [key, value] of Object.entries(fields)) {
    if (isRecord(value) && typeof value.stack === 'string') stacks.push(harmless(value.stack))
    else if (typeof value === 'string' && /\n\s+at /.test(value)) stacks.push(harmless(value))
    else rest.push(showField(key, value))
  }
  const paint = style[COLOURS[name] ?? 'bold']
  const line = `${style.dim(clock)} ${paint(name.padEnd(5))} ${harmless(String(msg ?? ''))}`
  const below = stacks.map((stack) => `\n${stack.replace(/^/gm, '    ')}`).join('')
  return `${line}${rest.length === 0 ? '' : `  ${style.dim(rest.join(' '))}`}${below}`
}
