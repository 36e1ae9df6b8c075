/**
 * What the operating system saw: the order in which deliveries came in, files were synced and acknowledgements went out.
 * SQLite syncs in C, where no instrument in JavaScript looks; `strace` does.
 */
import { spawnSync } from 'node:child_process'

/** Null when there is a tracer that may trace; else why not. */
export function noTracer(): string | null {
  const tried = spawnSync('strace', ['-f', '-qq', '-e', 'trace=fsync', '-o', '/dev/null', 'true'])
  if (tried.error !== undefined) return 'there is no strace on this machine (Debian package strace)'
  return tried.status === 0
    ? null
    : `strace may not trace here: ${tried.stderr.toString().trim().slice(0, 200)}`
}

/** The command under which a process writes down what {@link readTrace} reads. */
export function tracer(file: string): string[] {
  const calls = 'fsync,fdatasync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg'
  return [
    'strace',
    '-f',
    '-qq',
    '--seccomp-bpf',
    '-yy',
    '-xx',
    '-s',
    '4096',
    '-e',
    `trace=${calls}`,
    '-o',
    file,
  ]
}

export type Event =
  /** `since`: how many events there were when it began. */
  { kind: 'sync'; file: string; since: number } | { kind: 'in' | 'out'; socket: string; bytes: Buffer }

const SYNCS = new Set(['fsync', 'fdatasync'])
const READS = new Set(['read', 'readv', 'recvfrom', 'recvmsg'])

/** Syncs where they ended, what came in where it was there, what went out where it began. */
export function readTrace(text: string): Event[] {
  const events: Event[] = []
  const begun = new Map<string, { call: string; head: string; since: number }>()
  for (const line of text.split('\n')) {
    const match = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/.exec(line)
    if (!match) continue
    const [, pid = '', resumed, fresh = '', rest = ''] = match
    if (resumed === undefined) {
      const isDone = !rest.endsWith('<unfinished ...>')
      if (!isDone) begun.set(pid, { call: fresh, head: rest, since: events.length })
      put(events, fresh, rest, isDone ? 'whole' : 'begin', events.length)
    } else {
      const { call, head, since } = begun.get(pid) ?? { call: resumed, head: '', since: 0 }
      begun.delete(pid)
      put(events, call, `${head.replace('<unfinished ...>', '')}${rest}`, 'end', since)
    }
  }
  return events
}

function put(
  events: Event[],
  call: string,
  text: string,
  when: 'whole' | 'begin' | 'end',
  since: number,
): void {
  const target = namedIn(text)
  if (target === '' || / = -\d/.test(text.slice(-120))) return
  const isSocket = target.startsWith('TCP')
  if (SYNCS.has(call)) {
    if (when !== 'begin') events.push({ kind: 'sync', file: target, since })
  } else if (isSocket && READS.has(call)) {
    if (when !== 'begin') events.push({ kind: 'in', socket: target, bytes: bytesIn(text) })
  } else if (isSocket && when !== 'end') events.push({ kind: 'out', socket: target, bytes: bytesIn(text) })
}

/** What stands in the angle brackets after a descriptor. With `-xx`, paths are written in hexadecimal as well. */
function namedIn(text: string): string {
  const [, name = ''] = /^\d+<(.*?)>(?=\s*[,)<])/.exec(text) ?? []
  return name.includes('\\x') ? fromHex(name).toString() : name
}

function bytesIn(text: string): Buffer {
  return Buffer.concat([...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => fromHex(hex)))
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}

// ---- deliveries and their acknowledgements ----

export interface Acknowledged {
  /** The delivery's own id. */
  id: string
  /** The database was synced after it came in and before it was acknowledged. */
  synced: boolean
}

type Finder = (event: Extract<Event, { kind: 'in' | 'out' }>) => readonly string[]

/** How deliveries and acknowledgements look on the wire. */
export interface Wire {
  came: Finder
  /** Of a number, everything below it is meant. */
  acknowledged: Finder
  below?: boolean
}

/** Every delivery that was acknowledged. */
export function acknowledgements(events: readonly Event[], wire: Wire): Acknowledged[] {
  const open = new Map<string, { came: number; synced: boolean }>()
  const done: Acknowledged[] = []
  for (const [index, event] of events.entries()) {
    if (event.kind === 'sync') {
      // A sync that had begun before it came in is that of an earlier commit.
      if (/golem\.db(-wal)?$/.test(event.file))
        for (const delivery of open.values()) delivery.synced ||= event.since > delivery.came
      continue
    }
    if (event.kind === 'in')
      for (const id of wire.came(event)) if (!open.has(id)) open.set(id, { came: index, synced: false })
    if (event.kind === 'out')
      for (const mark of wire.acknowledged(event))
        for (const [id, { synced }] of open) {
          if (wire.below ? Number(id) >= Number(mark) : id !== mark) continue
          open.delete(id)
          done.push({ id, synced })
        }
  }
  return done
}

function found(bytes: Buffer, pattern: RegExp): string[] {
  return [...bytes.toString().matchAll(pattern)].map(([, id = '']) => id)
}

/** Bot API, long polling: an update is acknowledged by the offset behind it. */
export const POLLING: Wire = {
  came: ({ bytes }) => found(bytes, /"update_id":(\d+)/g),
  acknowledged: ({ bytes }) => found(bytes, /"offset":(\d+)/g),
  below: true,
}

/** Socket Mode: an envelope is acknowledged by a frame with its id. */
export const SOCKET: Wire = {
  came: ({ bytes }) => found(bytes, /"envelope_id":"([^"]+)"/g),
  acknowledged: ({ bytes }) => framesIn(bytes).flatMap((frame) => found(frame, /"envelope_id":"([^"]+)"/g)),
}

/** Feishu's long connection: an event is acknowledged by its own frame, sent back with how long it took. */
export const LONG: Wire = {
  came: ({ bytes }) => frameIds(bytes),
  acknowledged: ({ bytes }) =>
    framesIn(bytes).flatMap((frame) => (frame.includes('biz_rt') ? frameIds(frame) : [])),
}

/** Values of the header `message_id`: a protobuf string behind its key, with its length in front. */
function frameIds(bytes: Buffer): string[] {
  const key = 'message_id\u0012'
  const ids: string[] = []
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
    const start = at + key.length + 1
    ids.push(bytes.toString('latin1', start, start + (bytes[start - 1] ?? 0)))
  }
  return ids
}

/** A request to the daemon is acknowledged by its answer, on the same socket. */
export function requests(path: string): Wire {
  return {
    came: ({ socket, bytes }) => (bytes.toString().startsWith(`POST ${path}`) ? [socket] : []),
    acknowledged: ({ socket, bytes }) => (/^HTTP\/1\.1 2\d\d /.test(bytes.toString()) ? [socket] : []),
  }
}

/** Payloads of a client's frames (RFC 6455): masked, and short. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at + 6 <= bytes.length; ) {
    const length = bytes.readUInt8(at + 1) & 0x7f
    const isLong = length === 126
    const size = isLong ? bytes.readUInt16BE(at + 2) : length
    const start = at + (isLong ? 4 : 2)
    const mask = bytes.subarray(start, start + 4)
    const payload = Buffer.from(bytes.subarray(start + 4, start + 4 + size))
    for (let index = 0; index < payload.length; index++)
      payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0)
    if ([1, 2].includes(bytes.readUInt8(at) & 0x0f)) frames.push(payload)
    at = start + 4 + size
  }
  return frames
}
