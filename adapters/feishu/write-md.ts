/** Runs -> a card's Markdown. What a person sees of it is the text of the runs, whatever that text holds. */
import { codeSpan, escapeAddress, escapeText } from './write-escape.js'
import type { Align, Run, Style } from './write-units.js'

/** `line`: a block of its own. In an item or a cell a line break is a tag, in a quote it has a mark behind it. */
export type Where = 'line' | 'quote' | 'item' | 'cell'

export function markdownOf(runs: readonly Run[], where: Where): string {
  let md = ''
  let last = ''
  runs.forEach((run, index) => {
    const written = markdownRun(run, last, edgeOf(runs[index + 1]), where)
    md += written
    last = written.at(-1) ?? last
  })
  switch (where) {
    case 'quote':
      return `> ${md.replaceAll('\n', '\n> ')}`
    case 'line':
      return md.replace(/\n\s*\n/g, '\n').trim()
    default:
      return md.trim().replace(/\s*\n\s*/g, '<br>')
  }
}

/** Of the kind that a run will begin with (blank, mark or letter): what the end of bold text is judged by. */
function edgeOf(run: Run | undefined): string {
  if (run === undefined) return ''
  if (run.kind !== 'text' || run.style !== undefined) return /^\s/.test(run.shown) ? ' ' : '*'
  return run.shown[0] ?? ''
}

/** @param before the last character in front of it, `next` one of the kind behind it; '' where there is none */
function markdownRun(run: Run, before: string, next: string, where: Where): string {
  switch (run.kind) {
    case 'at':
      return `<at id=${run.id}></at>`
    case 'code':
      return codeSpan(run.shown, where === 'cell')
    case 'link': {
      const link = `[${escapeText(run.shown.trim(), false)}](${escapeAddress(run.url)})`
      const lead = /^\s/.test(run.shown) ? ' ' : ''
      const trail = /\s$/.test(run.shown) ? ' ' : ''
      const mark = markOf(run.style, lead === '' ? before : ' ')
      const fits = canOpen(before, '[') && canClose(')', next)
      return lead + (fits ? mark + link + reversed(mark) : link) + trail
    }
    case 'text':
      return run.style === undefined
        ? escapeText(run.shown, startsLine(before))
        : emphasised(run.shown, run.style, before, next)
  }
}

const startsLine = (before: string): boolean => before === '' || before === '\n'
const reversed = (mark: string): string => [...mark].reverse().join('')

/** Marks of a style; none where they would run into marks that stand there already. */
function markOf(style: Style | undefined, before: string): string {
  if (style === undefined || before === '*' || before === '~') return ''
  return `${style.strike ? '~~' : ''}${style.bold ? '**' : ''}${style.italic ? '*' : ''}`
}

const isPunctuation = (char: string): boolean => /[\p{P}\p{S}]/u.test(char)
const isSpace = (char: string): boolean => char === '' || /\s/u.test(char)

/** https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run */
const canOpen = (before: string, first: string): boolean =>
  !isSpace(first) && (!isPunctuation(first) || isSpace(before) || isPunctuation(before))
const canClose = (last: string, after: string): boolean =>
  !isSpace(last) && (!isPunctuation(last) || isSpace(after) || isPunctuation(after))

/**
 * Marked text. Where Markdown would not take a mark beside punctuation (Chinese has no blanks around it), the marks
 * move inwards until it does: the punctuation is shown all the same, only not bold.
 */
function emphasised(shown: string, style: Style, before: string, next: string): string {
  const lines = shown.split('\n')
  const last = lines.length - 1
  return lines
    .map((line, index) =>
      emphasisedLine(line, style, index === 0 ? before : '\n', index === last ? next : '\n'),
    )
    .join('\n')
}

function emphasisedLine(line: string, style: Style, before: string, next: string): string {
  const characters = [...line]
  let from = 0
  let to = characters.length
  const plain = (start: number, end: number): string =>
    escapeText(characters.slice(start, end).join(''), start === 0 && startsLine(before))
  const previous = () => (from === 0 ? before : (characters[from - 1] ?? ''))
  const following = () => (to === characters.length ? next : (characters[to] ?? ''))
  let mark = ''
  while (from < to) {
    mark = markOf(style, from === 0 ? before : '')
    // The outer marks stand beside the inner ones, which are punctuation.
    const nested = mark.startsWith('~~') && mark.length > 2
    if (nested && !(canOpen(previous(), '*') && canClose('*', following()))) mark = mark.slice(2)
    if (!canOpen(previous(), characters[from] ?? '')) from++
    else if (!canClose(characters[to - 1] ?? '', following())) to--
    else break
  }
  if (from >= to || mark === '') return escapeText(line, startsLine(before))
  const inner = escapeText(characters.slice(from, to).join(''), false)
  return plain(0, from) + mark + inner + reversed(mark) + plain(to, characters.length)
}

export function tableMarkdown(rows: readonly Run[][][], align: readonly Align[]): string {
  const lines = rows.map((row) => `| ${row.map((cell) => markdownOf(cell, 'cell')).join(' | ')} |`)
  const width = rows[0]?.length ?? 0
  const ruler = Array.from({ length: width }, (_, column) => RULERS[align[column] ?? 'left'])
  lines.splice(1, 0, `| ${ruler.join(' | ')} |`)
  return lines.join('\n')
}

const RULERS = { left: '---', center: ':---:', right: '---:' } as const
