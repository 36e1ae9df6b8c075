/** List items of a Markdown text, line by line, as far as it matters what stands in which of them. */

/** The marks in front of an item's content; one behind another where items begin within each other. */
const MARKS = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?=\S)/
const EMPTY_ITEM = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:[-*+]|\d{1,9}[.)])[ \t]*$/
const RULE = /^[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}$/

/** Whether an item with content begins on this line. */
export const beginsItem = (line: string): boolean => MARKS.test(line)

/** The list items that are open at a line: the column in which the content of each begins. */
export class OpenItems {
  readonly #columns: number[] = []
  /** The innermost has no content yet, only its mark. */
  #empty = false

  /** Goes on to a line that is in no fence; `lazy`: it may continue a paragraph. The column of what it stands in. */
  enter(line: string, lazy: boolean): number {
    const columns = this.#columns
    if (line.trim() === '') {
      // An item may begin with one empty line, the one with its mark.
      if (this.#empty) columns.pop()
      this.#empty = false
      return columns.at(-1) ?? 0
    }
    const indent = indentOf(line)
    // What has no content yet has no paragraph either.
    const continues = lazy && !this.#empty
    const isRule = RULE.test(line)
    const marks = isRule ? '' : (MARKS.exec(line)?.[0] ?? '')
    this.#empty = !isRule && EMPTY_ITEM.test(line) && (!continues || indent < (columns.at(-1) ?? 0))
    if (!continues || this.#empty || marks !== '') while ((columns.at(-1) ?? 0) > indent) columns.pop()
    const before = this.#empty ? `${line.trimEnd()} ` : marks
    let column = 0
    for (const [part] of before.matchAll(/^[ \t]+|[^ \t]+[ \t]+/g)) {
      column = columnsOf(part, column)
      if (part.trim() !== '') columns.push(column)
    }
    return columns.at(-1) ?? 0
  }
}

const columnsOf = (blank: string, from = 0): number => {
  let column = from
  for (const character of blank) column += character === '\t' ? 4 - (column % 4) : 1
  return column
}

const indentOf = (line: string): number => columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '')

/** Whether a line stands outside of an item whose content begins in this column: it is not indented as far. */
export const leaves = (line: string, within: number): boolean => line.trim() !== '' && indentOf(line) < within
