/** The voice notes of a turn as words: shown to the agent with the message they came with, and kept for later turns. */
import type { Clock, Logger } from '../../messaging/ambient.js'
import type { ClaimedTurn, Store, ToolCall } from '../../messaging/store.js'
import { safeName } from '../../messaging/text/index.js'
import { voiceNote } from '../../messaging/voice.js'
import type { FetchedFile, Incoming } from '../files/incoming.js'
import { loggable } from '../loggable.js'
import { TranscribeError, type Transcriber } from './transcriber.js'

/** Voice notes of a turn that are written down. */
export const NOTES_PER_TURN = 5
const ENDINGS = /\.(?:ogg|oga|opus|mp3|m4a|wav|flac|aac|amr)$/i

export interface HearParts {
  turn: ClaimedTurn
  /** In the order of the turn's files; those that could not be fetched are missing. */
  incoming: Incoming
  transcriber: Transcriber | undefined
  store: Pick<Store, 'noteTranscript'>
  signal: AbortSignal
  clock: Clock
  log: Logger
  redact(text: string): string
}

export interface Heard {
  /** With the words in the lines they belong to. */
  turn: ClaimedTurn
  calls: ToolCall[]
}

/** Never rejects: a voice note that nobody can write down is a file like any other, and the agent is told why. */
export async function hear(parts: HearParts): Promise<Heard> {
  const { turn, transcriber } = parts
  const calls: ToolCall[] = []
  if (transcriber === undefined || turn.files.length === 0) return { turn, calls }
  let shown = turn
  let heard = 0
  for (const file of parts.incoming.files) {
    const ref = file.index === undefined ? undefined : turn.files[file.index]
    if (ref === undefined || !isAudio(file) || parts.signal.aborted) continue
    // An earlier turn, or an earlier run, has written it down: the line has the words.
    if (ref.transcript !== undefined && shown.lines.some((line) => line.message === ref.message)) continue
    const words =
      ref.transcript ?? (heard++ < NOTES_PER_TURN ? await one(file, ref, transcriber, parts, calls) : null)
    if (words === null) continue
    shown = withWords(shown, ref.message, voiceNote(words), file)
  }
  return { turn: shown, calls }
}

async function one(
  file: FetchedFile,
  ref: ClaimedTurn['files'][number],
  transcriber: Transcriber,
  { store, signal, clock, log, redact }: HearParts,
  calls: ToolCall[],
): Promise<string | null> {
  const call: ToolCall = { name: 'transcribe', at: clock.now(), ok: false, note: '' }
  calls.push(call)
  try {
    const words = redact(await transcriber.transcribe(file, signal))
    call.ok = true
    call.note = `${safeName(file.name)}: ${words.length} characters`
    await store.noteTranscript({ message: ref.message, file: ref.file.id, text: words })
    return words
  } catch (error) {
    const why = error instanceof TranscribeError ? error.message : 'it could not be written down'
    call.note = redact(`${safeName(file.name)}: ${why}`)
    if (!signal.aborted)
      log.warn({ ...loggable(error), file: file.name }, 'a voice note was not written down')
    file.remark = `not transcribed: ${why}`
    return null
  }
}

/** Into the line it came with; where that is not shown, beside the file. */
function withWords(turn: ClaimedTurn, message: number, words: string, file: FetchedFile): ClaimedTurn {
  if (!turn.lines.some((line) => line.message === message)) {
    file.remark = words
    return turn
  }
  return {
    ...turn,
    lines: turn.lines.map((line) =>
      line.message === message
        ? { ...line, text: line.text.trim() === '' ? words : `${line.text}\n${words}` }
        : line,
    ),
  }
}

function isAudio({ mime, name }: FetchedFile): boolean {
  return mime === undefined || mime === 'application/octet-stream'
    ? ENDINGS.test(name)
    : mime.toLowerCase().startsWith('audio/')
}
