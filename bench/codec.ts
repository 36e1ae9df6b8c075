/** What a platform's codec costs: an everyday answer, and one that must be cut into many parts. */
import { type Platform, parseDoc } from '../src/messaging/contract.js'
import { discordDispatch, feishuEvent, slackEvent, telegramUpdate } from './samples.js'
import { median, round } from './support.js'

const SELF = { id: '1', name: 'Golem' }
/** Answers that are parsed beforehand: the parser's litter is not the codec's. */
const DOCS = 200
const RUNS = 4_000

export interface CodecCost {
  /** read of an event and write of an answer, 2,000 characters each, p50 in ms. */
  readAndWriteMs: number
  /** Parsing the answer's Markdown, which is done once for all platforms. */
  parseMs: number
  /** write of 100,000 characters with fences and tables, ms. */
  longMs: number
  parts: number
}

const EVENTS: Readonly<Record<string, (text: string) => unknown>> = {
  discord: discordDispatch,
  feishu: feishuEvent,
  slack: slackEvent,
  telegram: telegramUpdate,
}

/** Of the built modules: what compiles on the fly adds to each function. */
export async function codecs(): Promise<Record<string, CodecCost>> {
  const built = new URL('../dist/src/platforms.js', import.meta.url).href
  const { PLATFORMS } = (await import(built)) as typeof import('../src/platforms.js')
  return Object.fromEntries(
    Object.entries(EVENTS).map(([id, event]) => [id, cost(PLATFORMS[id] as Platform, event)]),
  )
}

function cost({ codec, limits }: Platform, event: (text: string) => unknown): CodecCost {
  const answer = everyday(2_000)
  const raw = event(plain(2_000))
  const both: number[] = []
  const parse: number[] = []
  const docs = Array.from({ length: DOCS }, () => {
    const start = performance.now()
    const doc = parseDoc(answer)
    parse.push(performance.now() - start)
    return doc
  })
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    codec.read(raw, SELF)
    codec.write(docs[run % DOCS] as (typeof docs)[number], limits)
    both.push(performance.now() - start)
  }
  const long = parseDoc(mixed(100_000))
  const times: number[] = []
  let parts = 0
  for (let run = 0; run < 11; run++) {
    const start = performance.now()
    parts = codec.write(long, limits).length
    times.push(performance.now() - start)
  }
  return {
    readAndWriteMs: round(median(both), 3),
    parseMs: round(median(parse), 3),
    longMs: round(median(times), 1),
    parts,
  }
}

const SENTENCE =
  'The queue keeps **its order** across retries; see [the guide](https://example.com/guide) for `retryAt`. '

function everyday(length: number): string {
  return `# Answer\n\n${SENTENCE.repeat(8)}\n\n- one\n- two\n  - three\n\n${SENTENCE.repeat(30)}`.slice(
    0,
    length,
  )
}

function plain(length: number): string {
  return 'What does the queue do when the platform says no, and why is that so? '.repeat(40).slice(0, length)
}

function mixed(length: number): string {
  const block = `## Part\n\n${SENTENCE.repeat(12)}\n\n\`\`\`ts\n${'const answer = await queue.take()\n'.repeat(40)}\`\`\`\n\n| a | b |\n|---|---|\n${'| one | two words |\n'.repeat(20)}\n`
  return block.repeat(Math.ceil(length / block.length)).slice(0, length)
}
