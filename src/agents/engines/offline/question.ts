/** The best that skills, memory and transcript have on a question. */
import { intentOf, isQuestion, unnamed } from './intent.js'
import { coverLine, excerpt, type Passage, type Question, questionOf, rank } from './passages.js'
import { moment, oneLine, quiet, shortName } from './quote.js'
import type { Noted, Scene } from './scene.js'
import type { Said, Tools } from './tools.js'
import type { Wording } from './wording.js'

/** Below these shares of a question nothing is an answer to it. */
const KNOWLEDGE = 0.4
const MEMORY = 0.5
const TRANSCRIPT = 0.6
/** What nobody asked this agent must fit better. */
const SURE = 0.6
/** Lines of the transcript that one answer shows. */
const LINES = 3
/** What this chat noted itself goes before what is generally true, and that before what somebody said. */
const OWN = 0.3
const HEARSAY = 0.1

export type Found = { score: number /** Good enough to speak unasked. */; sure: boolean } & (
  | { from: 'knowledge'; passage: Passage; question: Question }
  | { from: 'memory'; notes: readonly Noted[] }
  | { from: 'transcript'; said: readonly Said[] }
)

/** The strongest find; null where nothing fits. */
export async function strongest(text: string, scene: Scene, tools: Tools): Promise<Found | null> {
  const question = questionOf(text, scene.common)
  if (question.query === '') return null
  const finds = [
    await knowledge(question, tools),
    await memory(question, scene),
    await transcript(question, scene, tools),
  ]
  return finds.reduce((best, next) => (next && next.score > (best?.score ?? 0) ? next : best), null)
}

async function knowledge(question: Question, tools: Tools): Promise<Found | null> {
  // By its keywords, and as it was asked: "What is Golem?" has one keyword that stands everywhere.
  const found = [
    ...(await tools.knowledge(question.query)),
    ...(await tools.knowledge(question.text.slice(0, 400))),
  ]
  const passages = [
    ...new Map(found.map((item) => [`${item.source}\n${item.title}\n${item.text}`, item])).values(),
  ]
  const [best] = rank(question, passages)
  if (!best || best.score < KNOWLEDGE) return null
  const { passage, score, titled } = best
  return { from: 'knowledge', passage, question, score, sure: titled && score >= SURE }
}

async function memory(question: Question, scene: Scene): Promise<Found | null> {
  const scored = (await scene.notesIfAny()).map((note) => ({
    note,
    score: coverLine(question, note.line),
  }))
  const best = Math.max(0, ...scored.map((item) => item.score))
  if (best < MEMORY) return null
  const notes = scored.filter(({ score }) => score === best).map(({ note }) => note)
  return {
    from: 'memory',
    notes: notes.slice(-LINES),
    score: best + (question.units.some((unit) => unit.weight >= 0.5) ? OWN : 0),
    sure: best >= SURE,
  }
}

async function transcript(question: Question, scene: Scene, tools: Tools): Promise<Found | null> {
  const fresh = new Set(scene.fresh.map((line) => line.id))
  const hits = (await tools.history(question.query, 20)).filter(
    (hit) =>
      !fresh.has(hit.id) &&
      !scene.isAgent(hit.author) &&
      !isQuestion(hit.text) &&
      !isRequest(hit.text, scene) &&
      hit.text.trim() !== question.text,
  )
  const scored = hits.map((said) => ({ said, score: coverLine(question, said.text) }))
  const best = Math.max(0, ...scored.map((item) => item.score))
  if (best < TRANSCRIPT) return null
  const said = scored
    .filter(({ score }) => score >= Math.max(TRANSCRIPT, best - 0.1))
    .map((item) => item.said)
  return {
    from: 'transcript',
    said: said.slice(0, LINES),
    score: best - HEARSAY,
    sure: best >= SURE && question.units.length > 1,
  }
}

/** A line that calls an agent and tells it nothing is no source. */
function isRequest(text: string, scene: Scene): boolean {
  const [agents, others] = [
    scene.members.map((agent) => agent.name),
    scene.teammates.map((agent) => agent.name),
  ]
  const called = agents.some((name) => unnamed(text, [name]) !== unnamed(text, []))
  return called && intentOf(text, agents, others).kind !== 'remember'
}

export function answerFrom(found: Found, say: Wording): string {
  switch (found.from) {
    case 'knowledge': {
      const { source, title, text } = found.passage
      const part = excerpt(found.question, text)
      const cited = `— ${citation(source)}: ${oneLine(title, 160)}${part.whole ? '' : ` ${say.excerpt}`}`
      return `${quiet(part.text)}\n\n${cited}`
    }
    case 'memory': {
      const lines = found.notes.map((note) => quiet(note.line))
      const [first] = found.notes
      const text = lines.length === 1 ? (lines[0] ?? '') : lines.map((line) => `- ${line}`).join('\n')
      return `${text}\n\n${say.memorySource(first?.section ?? 'context')}`
    }
    case 'transcript':
      return `${say.saidHere}\n${found.said.map(quoted).join('\n')}`
  }
}

/** `- Ann, 2026-03-01 10:22 UTC: “text”` */
export function quoted(said: Said): string {
  const at = moment(said.at)
  return `- ${shortName(said.author)}${at === '' ? '' : `, ${at}`}: “${oneLine(said.text)}”`
}

/** A bare skill name gets the word that says what it is. */
function citation(source: string): string {
  return /^[\p{L}\p{N}._-]+$/u.test(source) && !source.includes('.')
    ? `skill ${source}`
    : oneLine(source, 120)
}
