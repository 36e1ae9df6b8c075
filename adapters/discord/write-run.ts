/** A stretch of a line in one style, or what stays whole in it: code, a mention, a link. */
import { clean } from './write-escape.js'

export interface Style {
  bold?: boolean
  italic?: boolean
  strike?: boolean
}

export interface TextRun {
  kind: 'text'
  text: string
  style: Style
}
export interface CodeRun {
  kind: 'code'
  text: string
}
export type Run =
  | TextRun
  | CodeRun
  | { kind: 'mention'; id: string; text: string; style: Style }
  /** `label` empty: the address itself is shown. */
  | { kind: 'link'; url: string; label: (TextRun | CodeRun)[] }

export type Line = Run[]

export const plain = (text: string, style: Style = {}): TextRun => ({
  kind: 'text',
  text: clean(text),
  style,
})

/** What a person sees of it. */
export function shownRun(run: Run): string {
  if (run.kind !== 'link') return run.text
  return run.label.length === 0 ? run.url : run.label.map(({ text }) => text).join('')
}
