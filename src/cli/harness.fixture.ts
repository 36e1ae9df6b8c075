/** A world without a process: streams are captured, time stands still, the store holds one receipt of every kind. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type ReceiptView, receiptSchema } from '../messaging/views.js'
import { run } from './run.js'
import type { Output, ProcessEvent, Reader, World } from './world.js'

export const NOW = Date.UTC(2026, 2, 1, 10, 1, 0)
const kindSchema = z.object({ name: z.string(), receipt: receiptSchema })

export function receipts(): Map<string, ReceiptView> {
  const file = readFileSync(new URL('../messaging/explain.fixtures.jsonl', import.meta.url), 'utf8')
  const kinds = file.trim().split('\n')
  return new Map(
    kinds.map((line) => {
      const { name, receipt } = kindSchema.parse(JSON.parse(line))
      return [name, receipt]
    }),
  )
}

export function receipt(kind: string): ReceiptView {
  const found = receipts().get(kind)
  if (found === undefined) throw new Error(`there is no receipt called ${kind}`)
  return found
}

export function fakeReader(changes: Partial<Reader> = {}): Reader {
  const all = [...receipts().values()]
  return {
    async receipt(reference) {
      if (reference === 'last') return all[0] ?? null
      return (
        all.find(({ message }) => message.reference === reference || String(message.id) === reference) ?? null
      )
    },
    async queue() {
      return {
        turns: [
          {
            turn: 7,
            conversation: 'local:lobby',
            agent: 'Golem',
            kind: 'message',
            state: 'running',
            position: 0,
            since: NOW - 4_200,
            requester: 'Ann',
            waitsFor: [],
          },
          {
            turn: 8,
            conversation: 'local:前台',
            agent: '小助手',
            kind: 'message',
            state: 'queued',
            position: 1,
            since: NOW - 1_000,
            requester: '李雷',
            waitsFor: ['Golem'],
          },
        ],
        operations: [
          {
            operation: 16,
            chatKey: 'local:lobby',
            kind: 'post',
            state: 'ambiguous',
            attempts: 2,
            since: NOW - 65_000,
            failure: 'the connection broke while posting',
          },
        ],
      }
    },
    async status() {
      return {
        rooms: 2,
        messages: 14,
        turns: { queued: 1, running: 1, settled: 9, failed: 0 },
        operations: {},
        asks: 0,
        schedules: 0,
        nextSchedule: null,
        usage: { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 },
        moved: [],
        schema: 1,
        bytes: 40_960,
      }
    },
    async rooms() {
      const room = {
        connection: 'local',
        kind: 'group' as const,
        policy: 'mention-only' as const,
        policyNote: null,
        messages: 12,
        lastAt: NOW - 60_000,
        running: 1,
        waiting: 0,
        quiet: false,
      }
      return [
        { ...room, key: 'local:lobby', title: 'Lobby', members: ['Golem', 'Reviewer'] },
        {
          ...room,
          key: 'local:前台',
          title: '前台\u001b[2J',
          members: ['小助手'],
          quiet: true,
          lastAt: null,
        },
      ]
    },
    async factsOf(chatKey) {
      const fact = { text: 'The demo is on Friday', by: 'Ann', at: NOW } as const
      return chatKey === 'local:lobby' ? [{ ...fact, audience: 'chat' }] : []
    },
    async close() {},
    ...changes,
  }
}

export class Captured implements Output {
  text = ''
  constructor(
    readonly isTTY = false,
    readonly columns?: number,
  ) {}
  write(text: string): void {
    this.text += text
  }
}

export interface TestWorld extends World {
  stdout: Captured
  stderr: Captured
  /** Ends that were asked for by `exit`. */
  exits: number[]
  /** As the process would. */
  emit(event: ProcessEvent, reason?: unknown): void
  listeners(): number
  forward(ms: number): void
}

/** @param changes of what the world is or gives */
export function world(changes: Partial<World> = {}): TestWorld {
  const listeners = new Set<{ event: ProcessEvent; run: (reason: unknown) => void }>()
  const timers = new Set<{ when: number; run: () => void }>()
  let now = NOW
  const exits: number[] = []
  const stdout = new Captured()
  const stderr = new Captured()
  return {
    env: {},
    cwd: folder(),
    pid: 4711,
    clock: {
      now: () => now,
      at(when, run) {
        const timer = { when, run }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    },
    on(event, run) {
      const listener = { event, run }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    exit: (code) => void exits.push(code),
    edit: () => Promise.reject(new Error('this test has no editor')),
    version: () => '0.1.0',
    loadStart: () => Promise.reject(new Error('this test starts no gateway')),
    loadReader: async () => () => fakeReader(),
    loadSimulators: () => Promise.reject(new Error('this test starts no simulator')),
    ...changes,
    stdout: changes.stdout instanceof Captured ? changes.stdout : stdout,
    stderr: changes.stderr instanceof Captured ? changes.stderr : stderr,
    exits,
    emit(event, reason) {
      for (const listener of [...listeners]) if (listener.event === event) listener.run(reason)
    },
    listeners: () => listeners.size,
    forward(ms) {
      now += ms
      for (const timer of [...timers]) if (timer.when <= now && timers.delete(timer)) timer.run()
    },
  }
}

/** A folder with a golem.yaml in it. */
export function folder(yaml = 'name: golem\n'): string {
  const path = mkdtempSync(join(tmpdir(), 'golem-cli-'))
  writeFileSync(join(path, 'golem.yaml'), yaml)
  return path
}

export interface Ran {
  code: number
  out: string
  err: string
}

export async function golem(line: string, changes: Partial<World> = {}): Promise<Ran> {
  const here = world(changes)
  const code = await run(
    line.split(' ').filter((word) => word !== ''),
    here,
  )
  return { code, out: here.stdout.text, err: here.stderr.text }
}
