/** A line of Golem's own as a post, or as an edit of one. */
import type { Operation, Place } from './contract.js'
import type { Entry } from './directory.js'
import { parseDoc } from './doc/index.js'
import { wording } from './notices.js'
import type { Language, ReplyStyle } from './roster.js'
import type { ButtonLabel, Note } from './store.js'

const BUTTON_TEXT: Record<Language, Record<ButtonLabel, string>> = {
  en: { stop: 'Stop', retry: 'Retry', redo: 'Answer again' },
  zh: { stop: '停止', retry: '重试', redo: '重新回答' },
}

/**
 * In the room's language, without a push notification.
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
  const text = wording(note.notice, language)
  const part = platform.codec.write(parseDoc(text), platform.limits)[0] ?? {
    text,
    body: { text },
    mentions: [],
  }
  if (note.edits !== undefined) return { kind: 'edit', place: note.place, id: note.edits, part, buttons: [] }
  const buttons = (note.buttons ?? []).flatMap(({ label }, index) => {
    const value = tokens[index]
    return value === undefined ? [] : [{ label: BUTTON_TEXT[language][label], value }]
  })
  return {
    kind: 'post',
    ...standing(note.place, note.replyTo, platform, style),
    part,
    silent: true,
    ...(buttons.length === 0 ? {} : { buttons }),
  }
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
