/** The agents that the documentation shows are programs that run, and its tables are those of the code. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseLine } from '../src/agents/engines/command/protocol.js'
import { TOOLS } from '../src/agents/tools/registry.js'
import type { TurnInput } from '../src/messaging/engine.js'
import * as limits from '../src/messaging/limits.js'
import { TURN_SLOTS } from '../src/messaging/threads.js'

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')

/** The first fenced block of a language that holds a text. */
function block(text: string, language: string, having: string): string {
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const found = blocks.find(([, kind, code]) => kind === language && code?.includes(having))?.[2]
  if (found === undefined) throw new Error(`there is no ${language} block with ${having}`)
  return found
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'golem-examples-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program on lines of input. Its output must be lines of the protocol. */
async function run(
  command: string,
  file: string,
  code: string,
  lines: readonly object[],
): Promise<unknown[]> {
  writeFileSync(join(folder, file), code)
  const child = spawn(command, [file], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const exit = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  expect(exit).toBe(0)
  return output
    .trimEnd()
    .split('\n')
    .map((line) => parseLine(line))
}

const turn = (name: string, text: string): object => ({
  v: 1,
  agent: { name, role: 'finds what was said' },
  messages: [
    { id: '1', text: 'The deadline is on Friday.', new: false },
    { id: '2', text, new: true },
  ],
})

describe('docs/agents.md', () => {
  const doc = page('docs/agents.md')
  const hit = (id: string, text: string) => ({ id, author: 'Bob', at: '2026-03-01T10:00:00.000Z', text })

  describe.each([
    ['node', 'archivist.mjs', block(doc, 'js', 'history_search')],
    ['python3', 'archivist.py', block(doc, 'python', 'history_search')],
  ])('the agent for %s', (command, file, code) => {
    it('calls a tool, answers and sends a file', async () => {
      const messages = [hit('2', '@Archivist deadline'), hit('1', 'The deadline is on Friday.')]
      const result = { type: 'tool_result', id: 1, result: { messages } }
      const said = await run(command, file, code, [turn('Archivist', '@Archivist deadline'), result])
      expect(said).toEqual([
        { type: 'tool', id: 1, name: 'history_search', arguments: { query: 'deadline', limit: 20 } },
        { type: 'text', text: '1 messages about “deadline”.' },
        { type: 'file', path: 'found.md', name: 'found.md' },
        { type: 'final' },
      ])
      expect(readFileSync(join(folder, 'found.md'), 'utf8')).toBe(
        '- 2026-03-01T10:00:00.000Z **Bob**: The deadline is on Friday.\n',
      )
    })

    it('asks for words when there are none', async () => {
      const said = await run(command, file, code, [turn('Archivist', '@Archivist')])
      expect(said).toEqual([{ type: 'final', text: 'Write what I should look for.' }])
    })
  })

  it('shows every field of a turn', () => {
    const fields: Record<keyof TurnInput, true> = {
      v: true,
      agent: true,
      turn: true,
      prompt: true,
      messages: true,
      memory: true,
      roster: true,
      peers: true,
      files: true,
      tools: true,
      mcp: true,
    }
    const shown: unknown = JSON.parse(block(doc, 'json', '"v": 1'))
    expect(Object.keys(shown as object)).toEqual(Object.keys(fields))
  })

  it('lists the tools there are', () => {
    const table = doc.slice(doc.indexOf('\n## Tools\n'), doc.indexOf('\n## Skills\n'))
    const names = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(names).toEqual(TOOLS.map((tool) => tool.name))
  })
})

it('the agent of README.md counts words', async () => {
  const code = block(page('README.md'), 'js', 'I counted').replace('15_000', '0')
  const said = await run('node', 'tortoise.mjs', code, [
    turn('Tortoise', '@Tortoise how many words are these?'),
  ])
  expect(said).toEqual([
    { type: 'text', text: 'Let me count.' },
    { type: 'final', text: 'I counted 6 words. No hurry.' },
  ])
})

describe('docs/limits.md', () => {
  const doc = page('docs/limits.md')
  const minutes = (ms: number): string => `${ms / 60_000} minutes`
  const { BOUNDS } = limits

  it.each([
    ['messages of one sender that wait in a room', `${BOUNDS.waitingPerSender},`],
    ['messages that wait in a room', `${BOUNDS.waitingPerRoom},`],
    ['longest wait', minutes(BOUNDS.waitingMs)],
    ['turns of one agent at work, over all conversations', `${limits.AGENT_CONCURRENCY} `],
    ['turns at work over all', `${TURN_SLOTS}`],
    [
      'lines merged into one turn',
      `${BOUNDS.mergeItems} lines, ${BOUNDS.mergeCharacters.toLocaleString('en')}`,
    ],
    [
      'wait of a bare mention for its words, of an album or a cut text for its rest',
      `${limits.DEBOUNCE / 1_000} s`,
    ],
    [
      'earlier lines read back before a first turn',
      `${limits.BACKFILL_LINES}, in at most ${limits.BACKFILL_PATIENCE / 1_000} s`,
    ],
    [
      'read after an absence',
      `${limits.CATCH_UP_PLACES} places of the last ${limits.CATCH_UP_SINCE / 86_400_000} days, ${(limits.CATCH_UP_PAGE * limits.CATCH_UP_PAGES).toLocaleString('en')} messages`,
    ],
    ['answered after an absence', `what is not older than ${limits.CATCH_UP_ANSWERED / 3_600_000} hours`],
    ['work one turn may take', minutes(limits.TURN_LIMIT)],
    ['without any sign of life', minutes(limits.STALL_LIMIT)],
    ['from the request to stop to the kill', `${limits.STOP_GRACE / 1_000} s`],
    ['earlier lines shown', `${limits.HISTORY_LIMIT} (\`historyLimit\`, up to ${limits.CONTEXT_LINES}),`],
    ['status post with Stop', `after ${limits.STATUS_AFTER / 1_000} s`],
    ['agents woken by `@everyone`', `${limits.EVERYONE_AGENTS}`],
    ['replies in a row by bots', `${limits.MAX_TURNS} `],
    ['depth of asks; asks that follow from one message', `${limits.ASK_DEPTH}; ${limits.ASKS_PER_ROOT}`],
    ['asks at work in a room', `${limits.ASKS_AT_WORK_PER_ROOM}`],
    ['wait for a teammate', minutes(limits.ASK_TIMEOUT)],
    ['a task, a result', limits.RESULT_CHARACTERS.toLocaleString('en')],
    ['an operation stuck gives way to the next form of it', `after ${minutes(limits.OPERATION_STUCK)}`],
    ['a mark or a status post is dropped', `after ${minutes(limits.OPERATION_STUCK)}`],
    ['sends of an answer while nobody can say whether it stands', `${limits.UNSURE_SENDS},`],
    ['an event is recognised when it is delivered again', `for ${limits.DEDUPE_DAYS} days`],
  ])('%s: %s', (what, value) => {
    const row = doc.split('\n').find((line) => line.startsWith(`| ${what} |`))
    expect(row?.slice(`| ${what} | `.length)).toMatch(new RegExp(`^${value.replace(/[()`]/g, '\\$&')}`))
  })
})
