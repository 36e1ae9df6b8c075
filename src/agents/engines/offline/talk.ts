/** What the offline agent does with the conversation: find who said something, pick its key lines, pass it on. */
import type { TurnMessage } from '../../../messaging/engine.js'
import type { Intent } from './intent.js'
import type { Outcome } from './outcome.js'
import { questionOf, shareOf } from './passages.js'
import { quoted } from './question.js'
import { oneLine, shortName } from './quote.js'
import type { Scene } from './scene.js'
import { extract, type Line } from './summary.js'
import type { Said, Tools } from './tools.js'
import { WORDING, type Wording } from './wording.js'

/** Hits one answer shows. */
const SHOWN = 5
const SAYS = 0.5
/** Lines a summary looks at when none were passed on. */
const RECENT = 50
/** Characters of a conversation that are passed on with a task. */
const PASSED_ON = 8_000

export async function findSaid(
  intent: Intent & { kind: 'search' },
  scene: Scene,
  tools: Tools,
  say: Wording,
): Promise<Outcome> {
  const question = questionOf(intent.topic, [])
  const fresh = new Set(scene.fresh.map((line) => line.id))
  const seen = new Map<string, Said>()
  const context = scene.before.map(({ id, author, at, text }) => ({ id, author: author.name, at, text }))
  const found = [...context, ...(await tools.history(question.query, 20))]
  const lines =
    intent.by === '' || found.length > context.length ? found : [...(await tools.recent(RECENT)), ...found]
  for (const line of lines) if (!fresh.has(line.id) && line.text.trim() !== '') seen.set(line.id, line)
  const by = intent.by.toLowerCase()
  const hits = [...seen.values()]
    .filter((line) => (by === '' ? !scene.isAgent(line.author) : line.author.toLowerCase().includes(by)))
    .map((line) => ({ line, score: question.units.length === 0 ? 1 : shareOf(question, line.text) }))
    .filter(({ score }) => score >= SAYS)
    .sort((a, b) => b.score - a.score || time(b.line) - time(a.line))
    .slice(0, SHOWN)
    .map(({ line }) => line)
    .sort((a, b) => time(a) - time(b))
  const topic = oneLine([intent.by, intent.topic].filter(Boolean).join(': '), 80)
  if (hits.length === 0) return scene.mustSpeak ? { say: say.saidNothing(topic) } : 'nothing'
  return { say: `${say.said}\n${hits.map(quoted).join('\n')}` }
}

function time(line: Said): number {
  const at = typeof line.at === 'number' ? line.at : Date.parse(String(line.at))
  return Number.isNaN(at) ? 0 : at
}

/** Requests to an agent are no part of what people talked about. */
const REQUESTS: readonly Intent['kind'][] = [
  'greet',
  'thanks',
  'introduce',
  'team',
  'agent',
  'recall',
  'decisions',
  'search',
  'summarise',
  'forget',
  'ask',
]

function spoken(
  messages: readonly (TurnMessage | Said)[],
  scene: Scene,
  intent: (text: string) => Intent,
): Line[] {
  const lines = messages
    .map((message) => ({
      author: typeof message.author === 'string' ? message.author : message.author.name,
      text: message.text.trim(),
    }))
    .filter((line) => line.text !== '')
  const people = lines.filter(
    (line) => !scene.isAgent(line.author) && !REQUESTS.includes(intent(line.text).kind),
  )
  // A room where only agents spoke is still worth a summary.
  return people.length > 0 ? people : lines.filter((line) => scene.isAgent(line.author))
}

/** An extract of the conversation; null where there is nothing, or nothing on the topic. */
export async function summarise(
  intent: Intent & { kind: 'summarise' },
  request: string,
  scene: Scene,
  tools: Tools,
  say: Wording,
  intentOf: (text: string) => Intent,
): Promise<string | null> {
  const passed = passedOn(request)
  let lines = passed.length > 0 ? passed : spoken(scene.before, scene, intentOf)
  if (passed.length === 0 && (lines.length < 3 || (intent.last ?? 0) > lines.length)) {
    const fresh = new Set(scene.fresh.map((line) => line.id))
    const recent = (await tools.recent(RECENT)).filter((line) => !fresh.has(line.id))
    const more = spoken(recent, scene, intentOf)
    if (more.length > lines.length) lines = more
  }
  if (intent.last !== null && intent.last > 0) lines = lines.slice(-intent.last)
  if (intent.topic !== '') {
    const question = questionOf(intent.topic, scene.common)
    const fitting = lines.filter((line) => shareOf(question, line.text) >= SAYS)
    // "Summarise the Postgres discussion" looks for its lines; where none fits, it is a question.
    if (question.units.length > 0) lines = fitting
  }
  const { count, names, picked } = extract(lines)
  if (picked.length === 0) return null
  return `${say.summary(count, names, picked.length)}\n${picked.map((item) => `- ${item.author}: ${item.text}`).join('\n')}`
}

/** A task with the lines it is about: the teammate does not see this conversation. */
export function withConversation(task: string, scene: Scene, say: Wording): string {
  const lines: string[] = []
  let room = PASSED_ON
  for (const message of [...scene.before].reverse()) {
    if (message.kind === 'digest' || message.kind === 'result' || scene.isAgent(message.author.name)) continue
    const line = `- ${shortName(message.author.name)}: ${oneLine(message.text, 1_000)}`
    if (message.text.trim() === '' || line.length > room) continue
    room -= line.length
    lines.unshift(line)
  }
  return lines.length === 0 ? task : `${oneLine(task, 1_000)}\n\n${say.conversation}\n${lines.join('\n')}`
}

/** Where the conversation that came with a task begins; -1 where none did. */
function seam(lines: readonly string[]): number {
  return lines.findIndex((line) => line === WORDING.en.conversation || line === WORDING.zh.conversation)
}

/** A task without the conversation that came with it. */
export function requestIn(task: string): string {
  const lines = task.split('\n')
  const at = seam(lines)
  return at < 0 ? task : lines.slice(0, at).join('\n').trim()
}

function passedOn(task: string): Line[] {
  const lines = task.split('\n')
  const at = seam(lines)
  if (at < 0) return []
  return lines.slice(at + 1).flatMap((line) => {
    const [, author, text] = /^- ([^:]{1,60}): (.+)$/.exec(line) ?? []
    return author === undefined || text === undefined ? [] : [{ author, text }]
  })
}
