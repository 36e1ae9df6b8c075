/** Words on a terminal: colour where it is wanted, and nothing that an untrusted text could do to the terminal. */

const ESC = String.fromCharCode(0x1b)
const BEL = String.fromCharCode(0x07)
const CSI = String.fromCharCode(0x9b)
/** Terminal sequences whole, so that their letters do not remain when the escape itself is taken out. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`, // colours, cursor
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`, // titles, links
    `${ESC}[@-Z\\\\^_-]`,
  ].join('|'),
  'g',
)
/** Every control character but the line break. */
const CONTROLS = /[^\P{Cc}\n]/gu
/** They reorder what a reader sees: a text could pretend to be another. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text that others wrote, made harmless; line breaks stay. */
export function harmless(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .replace(CONTROLS, '')
    .replace(REORDERING, '')
}

/** The same on one line. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s*\n\s*/g, ' ')
}

export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

const paint = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`
const none = (text: string): string => text

const COLOUR: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  cyan: paint(36, 39),
}
const PLAIN: Style = { bold: none, dim: none, red: none, green: none, yellow: none, cyan: none }

export function styleFor(colour: boolean): Style {
  return colour ? COLOUR : PLAIN
}

/** How a command may show its answer. */
export interface Look {
  /** Columns there are. */
  width: number
  colour: boolean
  /** IANA name; the machine's own when absent. */
  timeZone?: string
}
