/** Lines with a column for the time on their left; everything in them is wrapped to the width there is. */
import { displayWidth, padEnd, padStart, wrap } from './width.js'

/** Columns of the time, the blank behind it not counted. */
const TIME = 11
const INDENT = ' '.repeat(TIME + 2)

export class Page {
  readonly #lines: string[] = []

  constructor(private readonly width: number) {}

  /** A line over the whole width. */
  line(text = ''): void {
    this.#lines.push(text)
  }

  /** Wrapped over the whole width. `paint` is applied to each line, so that colour costs no columns. */
  text(text: string, indent = '', paint: (line: string) => string = (line) => line): void {
    for (const line of wrap(text, this.width - displayWidth(indent))) this.#lines.push(indent + paint(line))
  }

  /** Something that happened `at` a time that is already worded. `paint` is told which line is the first. */
  event(at: string, text: string, paint: (line: string, first: boolean) => string = (line) => line): void {
    const [first = '', ...more] = wrap(text, this.width - TIME - 2)
    this.#lines.push(`${padStart(at, TIME)}  ${paint(first, true)}`)
    for (const line of more) this.#lines.push(INDENT + paint(line, false))
  }

  /** Under the event: a mark, a label of a fixed width, a text hanging beside them. */
  item(mark: string, label: string, text: string, labelWidth: number): void {
    const columns = this.width - INDENT.length - 2 - labelWidth - 1
    const [first = '', ...more] = wrap(text, columns)
    this.#lines.push(`${INDENT}${mark} ${padEnd(label, labelWidth)} ${first}`.trimEnd())
    for (const line of more) this.#lines.push(`${INDENT}  ${' '.repeat(labelWidth)} ${line}`)
  }

  /** Under the event: what somebody said. */
  quote(text: string, indent = INDENT): void {
    for (const paragraph of text.split('\n'))
      for (const line of wrap(paragraph, this.width - indent.length - 2))
        this.#lines.push(`${indent}│ ${line}`.trimEnd())
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`
  }
}
