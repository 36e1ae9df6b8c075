/** An extract of a conversation: its most telling lines, in their speakers' own words. */
import { keywords } from '../../../messaging/text/score.js'
import { oneLine, shortName } from './quote.js'

export interface Line {
  author: string
  text: string
}

export interface Extract {
  /** Lines looked at. */
  count: number
  names: string[]
  picked: { author: string; text: string }[]
}

const MOST = 7
const SENTENCE_CHARACTERS = 220
/** Marks of what people want to find in notes: decisions, duties, dates, numbers. */
const TELLING =
  /\b(?:decid|agree|deadline|due|must|will|should|todo|to do|action|plan|release|ship|launch|blocked|blocker|problem|broken|fail|fixed|done|because|instead|owner|by (?:mon|tue|wed|thu|fri|sat|sun)|next week|tomorrow)|决定|同意|截止|必须|需要|计划|发布|上线|问题|阻塞|完成|负责|因为|改为|明天|下周|周[一二三四五六日]/iu
const IDLE =
  /^(?:ok(?:ay)?|yes|no|sure|thanks|thank you|great|nice|cool|lol|haha|\+1|👍|好的?|嗯+|行|可以|谢谢|收到|哈哈+|是的?|不是|对|没问题)[\s!！.。~]*$/iu

interface Sentence {
  author: string
  text: string
  order: number
  first: boolean
}

function sentences(lines: readonly Line[]): Sentence[] {
  const out: Sentence[] = []
  for (const line of lines) {
    const flat = line.text
      .replace(/```[\s\S]*?(?:```|$)/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    const parts = flat.split(/(?<=[.!?])\s+|(?<=[。！？；])/u).filter((part) => part.trim() !== '')
    parts.forEach((part, index) => {
      out.push({ author: line.author, text: part.trim(), order: out.length, first: index === 0 })
    })
  }
  return out
}

/** At most seven sentences that hold most of what was talked about, in the order they were said. */
export function extract(lines: readonly Line[]): Extract {
  const all = sentences(lines).filter((item) => !IDLE.test(item.text))
  const frequency = new Map<string, number>()
  const words = all.map((item) => keywords(item.text))
  for (const list of words) for (const word of list) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const names = [...new Set(lines.map((line) => shortName(line.author)))]
  const wanted = Math.min(MOST, Math.max(3, Math.ceil(all.length / 3)))

  const rest = all.map((item, index) => ({ item, words: words[index] ?? [] }))
  const picked: Sentence[] = []
  const covered = new Set<string>()
  while (picked.length < wanted && rest.length > 0) {
    // Words that were already picked count little, so that the extract does not say one thing seven times.
    const weight = ({ item, words: own }: (typeof rest)[number]): number => {
      const about = own.reduce(
        (sum, word) => sum + (frequency.get(word) ?? 0) * (covered.has(word) ? 0.2 : 1),
        0,
      )
      const length = Math.sqrt(own.length + 2)
      const question = /[?？]$/u.test(item.text) ? 0.7 : 1
      const marks =
        (TELLING.test(item.text) ? 1.6 : 1) * (/\d/.test(item.text) ? 1.15 : 1) * (item.first ? 1.05 : 1)
      return (about / length) * marks * question
    }
    let best = 0
    for (let index = 1; index < rest.length; index++) {
      const [candidate, leader] = [rest[index], rest[best]]
      if (candidate && leader && weight(candidate) > weight(leader)) best = index
    }
    const [chosen] = rest.splice(best, 1)
    if (!chosen || chosen.words.length === 0) continue
    picked.push(chosen.item)
    for (const word of chosen.words) covered.add(word)
  }
  return {
    count: lines.length,
    names,
    picked: picked
      .sort((a, b) => a.order - b.order)
      .map((item) => ({ author: shortName(item.author), text: oneLine(item.text, SENTENCE_CHARACTERS) })),
  }
}
