/** A line of Golem's own as a post, or as an edit of one. */
import type { Operation, Part, Place } from './contract.js'
import type { Notice } from './decision.js'
import type { Entry } from './directory.js'
import { parseDoc } from './doc/index.js'
import { wording } from './notices.js'
import { questionWords } from './question-words.js'
import type { Language, ReplyStyle } from './roster.js'
import type { ButtonLabel, Note } from './store.js'
import { withoutControls } from './text/index.js'

const BUTTON_TEXT: Record<Language, Record<Exclude<ButtonLabel, 'option'>, string>> = {
  en: { stop: 'Stop', retry: 'Retry', redo: 'Answer again' },
  zh: { stop: '停止', retry: '重试', redo: '重新回答' },
}

/**
 * In the room's language, without a push notification unless somebody has to decide something.
 *
 * @param tokens for its buttons, in their order
 * @param style how the room wants answers; it matters where a quote opens a thread, and the line must stand beside them
 */
export function renderNote(
  note: Note,
  tokens: readonly string[],
  platform: Entry['platform'],
  language: Language,
  style: ReplyStyle,
): Operation {
  const part = partOf(note.notice, platform, language)
  const buttons = (note.buttons ?? []).flatMap(({ label, text, style }, index) => {
    const value = tokens[index]
    if (value === undefined) return []
    const shown = label === 'option' ? (text ?? '') : BUTTON_TEXT[language][label]
    return [{ label: shown, value, ...(style === undefined ? {} : { style }) }]
  })
  if (note.edits !== undefined) return { kind: 'edit', place: note.place, id: note.edits, part, buttons }
  return {
    kind: 'post',
    ...standing(note.place, note.replyTo, platform, style),
    part,
    // Somebody is waited for: that is worth a sound.
    silent: note.notice.kind !== 'question' && note.notice.kind !== 'undecided',
    ...(buttons.length === 0 ? {} : { buttons }),
  }
}

/** A question is one post, whatever a platform takes: what its buttons and its last line say is never cut off. */
function partOf(notice: Notice, platform: Entry['platform'], language: Language): Part {
  const write = (text: string) => platform.codec.write(parseDoc(withoutControls(text)), platform.limits)
  const text = wording(notice, language)
  let parts = write(text)
  for (let most = 1_600; notice.kind === 'question' && parts.length > 1 && most > 50; most = most >> 1)
    parts = write(questionWords(notice, language, most))
  return parts[0] ?? { text, body: { text }, mentions: [] }
}

/**
 * Where a post stands that quotes, in a room of this style. Where a quote opens a thread under what it quotes, it stands
 * in that thread; `plain` wants neither there.
 */
export function standing(
  place: Place,
  replyTo: string | undefined,
  platform: Pick<Entry['platform'], 'can'>,
  style: ReplyStyle,
): { place: Place; replyTo?: string } {
  if (replyTo === undefined) return { place }
  if (!platform.can.quoteOpensThread) return { place, replyTo }
  if (style === 'plain') return { place }
  return { place: place.thread === undefined ? { ...place, thread: replyTo } : place, replyTo }
}
