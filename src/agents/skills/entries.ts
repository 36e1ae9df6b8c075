/** What a skill's Markdown answers, cut into passages that can be found and quoted on their own. */
import { unwrap } from './unwrap.js'

export interface SkillEntry {
  /** The question, or the heading with the one above it where it does not stand alone. */
  title: string
  /** Markdown of the answer, without its heading. */
  text: string
  /** Line of the title in the file, from 1. */
  line: number
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** `Q:`, `**Q:**`, `- Q.`, `问：` and the answers' likes. */
const QUESTION =
  /^ {0,3}(?:[-*][ \t]+)?[*_]{0,2}(?:Q|Question|问|問|问题)[ \t]*\d*[ \t]*[.:：、][*_]{0,2}[ \t]*(\S.*)$/i
const ANSWER =
  /^ {0,3}(?:[-*][ \t]+)?[*_]{0,2}(?:A|Answer|答|回答)[ \t]*\d*[ \t]*[.:：、][*_]{0,2}[ \t]*(.*)$/i

interface Draft {
  title: string
  line: number
  text: string[]
  /** Begun by `Q:`, so its first line may begin with `A:`. */
  pair: boolean
}

function plainTitle(text: string): string {
  return text.replace(/[*_`]+/g, '').trim()
}

/**
 * Headings with the text below them, and `Q:`/`A:` pairs. A part without text of its own gives no entry; a heading that
 * is no question carries its parent's title in front, so that "Limits" of two chapters stay apart.
 *
 * @param firstLine line of the file on which `body` begins
 */
export function parseEntries(body: string, firstLine = 1): SkillEntry[] {
  const out: SkillEntry[] = []
  const above: { level: number; title: string }[] = []
  let draft: Draft | null = null
  let fence = ''

  const finish = (): void => {
    const text =
      draft?.text
        .join('\n')
        .replace(/<!--[\s\S]*?-->/g, '')
        .trim() ?? ''
    if (draft && draft.title !== '' && text !== '')
      out.push({ title: draft.title, text: unwrap(text), line: draft.line })
    draft = null
  }

  body.split(/\r?\n/).forEach((line, index) => {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = ''
      draft?.text.push(line)
      return
    }
    if (mark !== undefined) fence = mark
    const heading = HEADING.exec(line)
    if (heading) {
      finish()
      const level = heading[1]?.length ?? 1
      while ((above.at(-1)?.level ?? 0) >= level) above.pop()
      const own = plainTitle(heading[2] ?? '')
      const parent = above.at(-1)
      const title = parent && parent.level > 1 && !/[?？]$/.test(own) ? `${parent.title}: ${own}` : own
      above.push({ level, title: own })
      draft = { title, line: firstLine + index, text: [], pair: false }
      return
    }
    const question = QUESTION.exec(line)?.[1]
    if (question !== undefined && mark === undefined) {
      finish()
      draft = { title: plainTitle(question), line: firstLine + index, text: [], pair: true }
      return
    }
    const answer = draft?.pair && draft.text.length === 0 ? ANSWER.exec(line)?.[1] : undefined
    draft?.text.push(answer ?? line)
  })
  finish()
  return out
}
