/** What a status post shows while an agent writes: the end of its text so far, and a line of what it does. Pure. */
import type { Part, Platform } from './contract.js'
import type { Notice } from './decision.js'
import { parseDoc, splitMarkdown } from './doc/index.js'
import { wording } from './notices.js'
import type { Language } from './roster.js'
import { withoutControls } from './text/index.js'

/** What an agent is doing, besides writing. */
export interface Doing {
  /** Name of the tool it uses. */
  tool?: string
  /** What it says of itself. */
  note?: string
  /** Who is asked, while a question waits for them. */
  asking?: string
}

/** Most of a text that a preview shows, in UTF-16 units: a status post is for a glance, and each edit sends all of it. */
export const PREVIEW_UNITS = 1_600
/** Longest remark of an agent on what it does. */
const NOTE_UNITS = 100

/**
 * One part of the platform's, without anybody's mention; null where there is nothing to show.
 *
 * @param line whether the line of what it does stands below the text
 */
export function previewPart(
  text: string,
  doing: Doing,
  platform: Pick<Platform, 'codec' | 'limits'>,
  language: Language,
  line = true,
): Part | null {
  const status = line ? statusLine(doing, language) : ''
  // Markup costs differ by platform: where the part does not hold it, less is shown.
  for (let units = mostUnits(platform); units >= 50; units = Math.floor(units / 2)) {
    const shown = tailOf(text, units)
    const markdown = [shown, shown === '' ? status : `*${status}*`].filter(
      (piece) => piece.replaceAll('*', '') !== '',
    )
    if (markdown.length === 0) return null
    const [part, ...more] = platform.codec.write(
      parseDoc(withoutControls(markdown.join('\n\n'))),
      platform.limits,
    )
    if (part !== undefined && more.length === 0 && part.mentions.length === 0) return part
  }
  return null
}

/** A limit in bytes may be all of Chinese. */
function mostUnits({ limits: { text } }: Pick<Platform, 'limits'>): number {
  return Math.min(PREVIEW_UNITS, Math.floor(text.max / (text.unit === 'byte' ? 4 : 2)))
}

/** "Working on it… uses history_search", as Markdown that shows it as it is. */
export function statusLine(doing: Doing, language: Language): string {
  return literal(wording(workingNotice(doing), language))
}

/** Remarks come from programs: one short line of words. */
export function workingNotice({ tool, note, asking }: Doing): Notice {
  const line = (words: string): string => {
    const flat = words.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
    return flat.length <= NOTE_UNITS ? flat : `${flat.slice(0, NOTE_UNITS).replace(/[\uD800-\uDBFF]$/, '')}…`
  }
  return {
    kind: 'working',
    ...(tool === undefined ? {} : { tool: line(tool) }),
    ...(note === undefined ? {} : { note: line(note) }),
    ...(asking === undefined ? {} : { asking: line(asking) }),
  }
}

function literal(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
}

/** The end of a text, cut where nothing breaks; what it leaves open is closed. */
function tailOf(text: string, units: number): string {
  const whole = held(text)
  if (whole.trim() === '') return ''
  // The last two of the halves: never less than half of what may be shown, once there is so much.
  const pieces = whole.length <= units ? [whole] : splitMarkdown(whole, Math.floor(units / 2))
  const tail = pieces.slice(-2).map(closed).join('\n\n')
  return pieces.length > 2 ? `…\n\n${tail}` : tail
}

/** An address or a link that is still being written leads elsewhere: it is shown once it is whole. */
function held(text: string): string {
  const from = Math.max(0, text.length - HELD_UNITS)
  const whole = text
    .slice(from)
    .replace(/!?\[[^\][\n]{0,500}\]\([^)\s]{0,2000}$/u, '')
    .replace(/(?:https?:\/\/|www\.|mailto:)\S{0,2000}$/iu, '')
  return (text.slice(0, from) + whole).trimEnd()
}
/** Where the end of a text is looked at for such a link. */
const HELD_UNITS = 2_600

/** A fence that is open at the end would take in what stands below it. */
function closed(markdown: string): string {
  const last = parseDoc(markdown).children.at(-1)
  const from = last?.position?.start.offset
  if (last?.type !== 'code' || from === undefined) return markdown
  const block = markdown.slice(from)
  const fence = /^(`{3,}|~{3,})/.exec(block)?.[1]
  if (fence === undefined) return markdown
  const end = block.trimEnd().split('\n')
  const isClosed =
    end.length > 1 && new RegExp(`^ {0,3}${fence[0]}{${fence.length},}$`).test(end.at(-1) ?? '')
  return isClosed ? markdown : `${markdown}\n${fence}`
}
