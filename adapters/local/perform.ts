/** Operations of the core -> steps of the chat server. One operation that lasts is one durable transaction. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  type IdempotencyKey,
  type Limits,
  type Operation,
  type Part,
  PlatformFailure,
  type Receipt,
  type Upload,
} from '../../src/messaging/contract.js'
import { FileTooLarge, safeFileName, safeMime } from './files.js'
import { type FileView, Refused, StoreFailed } from './protocol.js'
import { type ChatServer, removeFiles, write } from './server.js'
import type { LocalBody } from './write.js'

const MARKS = { received: '👀', done: '✅', failed: '❌', stopped: '⏹️' } as const
const MOST_BUTTONS = 25

const partBody = z.object({
  text: z.string().min(1),
  mentions: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** Carries out `op`. Throws {@link PlatformFailure} only. */
export async function perform(
  server: ChatServer,
  op: Operation,
  key: IdempotencyKey,
  limits: Limits,
): Promise<Receipt> {
  try {
    return await carryOut(server, op, key, limits)
  } catch (error) {
    throw asFailure(error, op)
  }
}

async function carryOut(server: ChatServer, op: Operation, key: string, limits: Limits): Promise<Receipt> {
  const at = server.clock.now()
  const room = op.place.chat
  switch (op.kind) {
    case 'post': {
      const body = bodyOf(op.part, limits)
      const posted = await write(server, 'botPost', {
        key,
        room,
        thread: op.place.thread,
        name: server.self.name,
        agent: op.agent,
        ...body,
        replyTo: op.replyTo,
        buttons: buttonsOf(op.buttons),
        silent: op.silent ?? false,
        at,
      })
      return { id: posted.id, at: posted.at }
    }
    case 'edit': {
      const body = bodyOf(op.part, limits)
      const buttons = buttonsOf(op.buttons)
      await write(server, 'botEdit', { room, message: op.id, ...body, agent: op.agent, buttons, at })
      return { id: op.id, at }
    }
    case 'delete': {
      const { files } = await write(server, 'botDelete', { room, message: op.id, at })
      await removeFiles(server, files)
      return { id: op.id, at }
    }
    case 'react':
      await write(server, 'botMark', { room, message: op.id, emoji: MARKS[op.mark], at })
      return { id: op.id, at }
    case 'upload':
      return upload(server, op, key, limits, at)
    case 'typing': {
      const data = {
        room,
        ...(op.place.thread !== undefined && { thread: op.place.thread }),
        who: server.self.name,
      }
      server.hub.whisper({ type: 'typing', room, data: { ...data, on: op.on } })
      return { at }
    }
    case 'whisper': {
      const { text } = bodyOf(op.part, limits)
      server.hub.whisper({ type: 'whisper', room, to: op.to, data: { room, to: op.to, text, at } })
      return { at }
    }
    default: {
      // The rest is not declared; and a row of the outbox may have been written by a newer Golem.
      const { kind } = op
      const message = `a local room knows no operation ${kind}`
      throw new PlatformFailure({ kind: 'invalid', field: 'other' }, message)
    }
  }
}

async function upload(
  server: ChatServer,
  op: Upload,
  key: string,
  limits: Limits,
  at: number,
): Promise<Receipt> {
  // Asked first, so that a repeated upload does not bring back the bytes of one that was deleted since.
  const known = await server.db.call('posted', { key })
  if (known !== null) return known
  const name = safeFileName(op.name)
  const file: FileView = { id: fileId(key), name, mime: safeMime(null, name), bytes: 0 }
  file.bytes = await server.files.take(file.id, op.path, limits.files.maxBytes)
  const post = {
    key,
    room: op.place.chat,
    thread: op.place.thread,
    name: server.self.name,
    agent: op.agent,
    text: '',
    mentions: [],
    replyTo: op.replyTo,
    buttons: [],
    silent: false,
    file,
    at,
  }
  try {
    const posted = await write(server, 'botPost', post)
    return { id: posted.id, at: posted.at }
  } catch (error) {
    if (error instanceof Refused) await server.files.remove([file.id])
    throw error
  }
}

/** One upload has one file, however often it is tried. */
function fileId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

function bodyOf(part: Part, limits: Limits): LocalBody {
  const body = partBody.safeParse(part.body)
  if (!body.success) {
    throw new PlatformFailure(
      { kind: 'invalid', field: 'other' },
      'the post has no text that the local rooms can show',
    )
  }
  if (body.data.text.length > limits.text.max) {
    const sentence = `the post has ${body.data.text.length} characters, a local room takes ${limits.text.max}`
    throw new PlatformFailure({ kind: 'invalid', field: 'length' }, sentence)
  }
  return body.data
}

function buttonsOf(
  buttons: readonly { label: string; value: string; style?: 'default' | 'primary' | 'danger' }[] = [],
) {
  if (buttons.length > MOST_BUTTONS) {
    throw new PlatformFailure(
      { kind: 'invalid', field: 'other' },
      `a post takes at most ${MOST_BUTTONS} buttons`,
    )
  }
  return buttons.map(({ label, value, style }) => ({ label, value, ...(style !== undefined && { style }) }))
}

/** Nothing but this leaves `perform`. */
export function asFailure(error: unknown, op: Operation): PlatformFailure {
  if (error instanceof PlatformFailure) return error
  const what = `${op.kind} in the local room ${op.place.chat}`
  if (error instanceof Refused) {
    const message = `${what}: ${error.message}`
    switch (error.code) {
      case 'unknown-room':
        return new PlatformFailure({ kind: 'gone', what: 'chat' }, message, { cause: error })
      case 'unknown-message':
      case 'deleted':
        return new PlatformFailure({ kind: 'gone', what: 'target' }, message, { cause: error })
      case 'archived':
      case 'not-yours':
        return new PlatformFailure({ kind: 'forbidden' }, message, { cause: error })
      default:
        return new PlatformFailure({ kind: 'invalid', field: 'other' }, message, { cause: error })
    }
  }
  if (error instanceof StoreFailed) {
    // A step that was undone did not happen. Only a thread that died with the step in its hands leaves a doubt.
    const kind = error.code === 'WORKER' ? 'ambiguous' : 'unreachable'
    return new PlatformFailure({ kind }, `${what}: ${error.message}`, { cause: error })
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = error instanceof Error ? error.message : String(error)
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS') {
    return new PlatformFailure({ kind: 'unreachable' }, `${what}: the disk takes no more (${code})`, {
      cause: error,
    })
  }
  if (op.kind === 'upload' || error instanceof FileTooLarge) {
    return new PlatformFailure({ kind: 'invalid', field: 'file' }, `${what}: ${reason}`, { cause: error })
  }
  return new PlatformFailure({ kind: 'invalid', field: 'other' }, `${what}: ${reason}`, { cause: error })
}
