/**
 * Frames of the long connection: protobuf 2, written down from what the SDK reads and writes.
 *
 * `Frame { 1 SeqID uint64, 2 LogID uint64, 3 service int32, 4 method int32 (these four required), 5 repeated
 * Header { 1 key, 2 value }, 6 payload_encoding, 7 payload_type, 8 payload bytes, 9 LogIDNew }`
 */

export interface Frame {
  seqId: bigint
  logId: bigint
  service: number
  /** 0 control (ping, pong), 1 data. */
  method: number
  headers: { key: string; value: string }[]
  payload: Buffer
}

export const CONTROL = 0
export const DATA = 1

/** The bytes are no frame. */
export class BadFrame extends Error {}

export function encodeFrame(frame: Frame): Buffer {
  const parts: Buffer[] = [
    number(1, frame.seqId),
    number(2, frame.logId),
    number(3, BigInt(frame.service)),
    number(4, BigInt(frame.method)),
  ]
  for (const { key, value } of frame.headers) {
    parts.push(bytes(5, Buffer.concat([bytes(1, Buffer.from(key)), bytes(2, Buffer.from(value))])))
  }
  if (frame.payload.length > 0) parts.push(bytes(8, frame.payload))
  return Buffer.concat(parts)
}

/** @throws BadFrame */
export function decodeFrame(data: Buffer): Frame {
  const frame: Partial<Frame> & Pick<Frame, 'headers' | 'payload'> = { headers: [], payload: Buffer.alloc(0) }
  for (const [field, value] of fields(data)) {
    if (typeof value === 'bigint') {
      if (field === 1) frame.seqId = value
      else if (field === 2) frame.logId = value
      else if (field === 3) frame.service = Number(BigInt.asIntN(32, value))
      else if (field === 4) frame.method = Number(BigInt.asIntN(32, value))
    } else if (field === 5) frame.headers.push(header(value))
    else if (field === 8) frame.payload = value
  }
  const { seqId, logId, service, method } = frame
  if (seqId === undefined || logId === undefined || service === undefined || method === undefined) {
    throw new BadFrame('The frame lacks SeqID, LogID, service or method')
  }
  return { ...frame, seqId, logId, service, method }
}

/** Value of a header, the first of its name. */
export const headerOf = (frame: Frame, key: string): string | undefined =>
  frame.headers.find((header) => header.key === key)?.value

function header(data: Buffer): { key: string; value: string } {
  const parts = new Map(fields(data))
  const text = (field: number): string => {
    const value = parts.get(field)
    return Buffer.isBuffer(value) ? value.toString('utf8') : ''
  }
  return { key: text(1), value: text(2) }
}

function* fields(data: Buffer): Generator<[field: number, value: bigint | Buffer]> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at++]
      if (byte === undefined) throw new BadFrame('The frame ends in the middle of a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new BadFrame('A number of the frame has no end')
  }
  while (at < data.length) {
    const tag = varint()
    const field = Number(tag >> 3n)
    const wire = Number(tag & 7n)
    if (wire === 0) yield [field, varint()]
    else if (wire === 2) {
      const length = Number(varint())
      if (at + length > data.length) throw new BadFrame('A field of the frame is longer than the frame')
      yield [field, data.subarray(at, at + length)]
      at += length
    } else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else throw new BadFrame(`A field of the frame is of an unknown kind (${wire})`)
  }
}

function number(field: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(field << 3)), varint(BigInt.asUintN(64, value))])
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(value.length)), value])
}

function varint(value: bigint): Buffer {
  const out: number[] = []
  let left = value
  while (left > 0x7fn) {
    out.push(Number(left & 0x7fn) | 0x80)
    left >>= 7n
  }
  out.push(Number(left))
  return Buffer.from(out)
}
