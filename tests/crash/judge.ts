/** What people may see, and what not: each answer once, or once more where it says so itself. */
import type { Seen } from '../simulators/kit/stage.js'

export interface Rules {
  /**
   * How many labelled copies may stand there at most: one for each accident of a platform that cannot say whether a post
   * arrived, none elsewhere.
   */
  labels: number
}

const LABEL = /^\(may be a duplicate[^)]*\)\s*/
const FILE_LABEL = ' (may be a duplicate)'
/** Posts that are about a moment, and must be gone afterwards. */
const STATUS = /^(?:Working on it|Waiting behind |Asked .*, waiting\.)|\n\s*Working on it…/

/** Golem's posts that everybody sees. */
export function posts(seen: readonly Seen[]): Seen[] {
  return seen.filter((message) => message.author.bot && message.onlyFor === undefined)
}

/** Golem's posts that quote a message. */
export function repliesTo(seen: readonly Seen[], id: string): Seen[] {
  return posts(seen).filter((message) => message.replyTo === id)
}

export function isLabelled({ text }: Seen): boolean {
  return LABEL.test(text)
}

/** What a post says, without a label. */
export function words({ text }: Seen): string {
  return text.replace(LABEL, '')
}

/** One post among these says it: once, or once more with a label. */
export function once(among: readonly Seen[], what: RegExp, rules: Rules): string[] {
  const copies = among.filter((message) => what.test(words(message)))
  return counted(
    copies.filter((copy) => !isLabelled(copy)).length,
    copies.filter(isLabelled).length,
    `${what}, among ${JSON.stringify(among.map(({ text }) => text.slice(0, 80)))}`,
    rules,
  )
}

/** The only answer to a message is this one. */
export function answered(seen: readonly Seen[], id: string, what: RegExp, rules: Rules): string[] {
  const replies = repliesTo(seen, id)
  const others = replies.filter((reply) => !what.test(words(reply)))
  return [
    ...once(replies, what, rules),
    ...others.map(({ text }) => `message ${id} is answered by ${JSON.stringify(text.slice(0, 200))}`),
  ]
}

function counted(plain: number, labelled: number, what: string, rules: Rules): string[] {
  const total = plain + labelled
  if (total === 0) return [`nowhere: ${what}`]
  if (plain > 1) return [`${plain} times without a label: ${what}`]
  return labelled > rules.labels
    ? [`${labelled} times with a label, not ${rules.labels} at most: ${what}`]
    : []
}

/** The file stands there: once, or once more with a label in its name. */
export function fileOnce(seen: readonly Seen[], name: string, rules: Rules): string[] {
  const names = posts(seen).flatMap((message) => message.files.map((file) => file.name))
  const dot = name.lastIndexOf('.')
  const second = `${name.slice(0, dot)}${FILE_LABEL}${name.slice(dot)}`
  const count = (wanted: string) => names.filter((found) => found === wanted).length
  return counted(count(name), count(second), `file ${name}, among ${JSON.stringify(names)}`, rules)
}

/**
 * A long answer, of numbered lines, in several posts: every line is there, in order; none twice, unless the post with
 * the second copy is labelled.
 */
export function inParts(seen: readonly Seen[], lines: number, rules: Rules): string[] {
  const parts = posts(seen)
    .map((post) => ({ labelled: isLabelled(post), numbers: numbersIn(post.text) }))
    .filter(({ numbers }) => numbers.length > 0)
  const problems: string[] = []
  const labels = parts.filter(({ labelled }) => labelled).length
  if (labels > rules.labels) problems.push(`${labels} parts are labelled`)
  if (parts.length < 2) problems.push(`${parts.length} parts are no several`)
  const shown = new Set<number>()
  let last = 0
  for (const { labelled, numbers } of parts)
    for (const number of numbers) {
      if (shown.has(number)) {
        if (!labelled) problems.push(`line ${number} stands there twice`)
      } else if (number !== last + 1) problems.push(`line ${number} comes after line ${last}`)
      last = shown.has(number) ? last : number
      shown.add(number)
    }
  for (let number = 1; number <= lines; number++)
    if (!shown.has(number)) problems.push(`line ${number} is missing`)
  return problems.slice(0, 5)
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(/line (\d{4}) /g)].map(([, digits]) => Number(digits))
}

/** Status posts that are still there. */
export function leftOver(seen: readonly Seen[]): string[] {
  return posts(seen)
    .filter(({ text }) => STATUS.test(text))
    .map(({ text }) => `left over: ${text}`)
}
