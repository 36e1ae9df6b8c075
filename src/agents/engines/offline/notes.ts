/** What the offline agent does with the chat's memory. */
import type { Intent } from './intent.js'
import type { Outcome } from './outcome.js'
import { questionOf, shareOf } from './passages.js'
import { oneLine, quiet } from './quote.js'
import type { Noted, Scene } from './scene.js'
import type { Tools } from './tools.js'
import type { Wording } from './wording.js'

/** Lines of memory that one answer shows. */
const SHOWN = 20
/** A line is meant when it meets so much of what was named, and no other nearly as much. */
const MEANT = 0.5
const CLEARLY = 0.2

type Remember = Intent & { kind: 'remember' }

const ROLE = /^(.{1,40}?) (?:is (?:the|our|an?)|works as(?: the| our| an?)?) (.{2,})$/iu
const ROLE_ZH = /^(.{1,20}?)\s*(?:是|担任)(?!不|否)\s*(.{2,})$/u

/** Who somebody is belongs to Members; only for people who are known here. */
async function placed(
  intent: Remember,
  line: string,
  scene: Scene,
): Promise<{ section: Noted['section']; line: string }> {
  const [, name, role] = (intent.section === 'context' ? (ROLE.exec(line) ?? ROLE_ZH.exec(line)) : null) ?? []
  if (name === undefined || role === undefined || !(await isKnown(name, scene)))
    return { section: intent.section, line }
  return { section: 'members', line: /\p{Script=Han}/u.test(line) ? `${name}：${role}` : `${name}: ${role}` }
}

async function isKnown(name: string, scene: Scene): Promise<boolean> {
  const wanted = name.normalize('NFC').toLowerCase().trim()
  const authors = [...scene.before, ...scene.fresh].map((line) => line.author.name)
  const notes = await scene.notesIfAny()
  const members = notes
    .filter((note) => note.section === 'members')
    .map((note) => note.line.split(/[:：(（]/u)[0] ?? '')
  return [...authors, ...members].some((known) => known.normalize('NFC').toLowerCase().trim() === wanted)
}

export async function remember(intent: Remember, scene: Scene, tools: Tools, say: Wording): Promise<Outcome> {
  if (!tools.has('memory_remember')) return scene.mustSpeak ? { say: say.noMemory } : 'nothing'
  let line = quiet(intent.line)
  if (line === '') {
    // "Remember this": the line before it is meant.
    const last = scene.before.filter((item) => item.kind === 'person' && item.text.trim() !== '').at(-1)
    if (!last) return { say: say.rememberWhat }
    line = `${oneLine(last.text, 400)} (${last.author.name})`
  }
  const wanted = await placed(intent, line, scene)
  const told = await tools.remember(wanted.section, wanted.line)
  if (!told.ok) return scene.mustSpeak ? { say: say.refused(told.why) } : 'nothing'
  if (!told.value.isNew)
    return scene.mustSpeak ? { say: say.rememberedBefore(quiet(told.value.line)) } : 'nothing'
  const note = told.value.note === '' ? '' : `\n${told.value.note}`
  return { say: say.remembered(say.section(wanted.section), quiet(told.value.line)) + note }
}

export async function forget(topic: string, scene: Scene, tools: Tools, say: Wording): Promise<Outcome> {
  const notes = await scene.notes()
  if (notes === null || !tools.has('memory_forget')) return { say: say.noMemory }
  if (topic === '') return { say: say.forgetAll }
  const lower = topic.toLowerCase()
  const named = notes.filter(({ line }) => line.toLowerCase().includes(lower))
  const meant = named.length > 0 ? named : closest(topic, notes, scene)
  const lines = [...new Set(meant.map((note) => note.line))]
  const [only] = lines
  if (only === undefined) return { say: say.forgetNothing(oneLine(topic, 80)) }
  if (lines.length > 1) return { say: say.forgetWhich(lines.slice(0, SHOWN).map(quiet)) }
  const told = await tools.forget(only)
  return { say: told.ok ? say.forgotten(told.value.map(quiet)) : say.refused(told.why) }
}

function closest(topic: string, notes: readonly Noted[], scene: Scene): Noted[] {
  const question = questionOf(topic, scene.common)
  const scored = notes.map((note) => ({ note, score: shareOf(question, note.line) }))
  const best = Math.max(0, ...scored.map((item) => item.score))
  return scored.filter(({ score }) => score >= MEANT && score > best - CLEARLY).map(({ note }) => note)
}

function about(topic: string, notes: readonly Noted[], scene: Scene): Noted[] {
  if (topic === '') return [...notes]
  const question = questionOf(topic, scene.common)
  return notes.filter(({ line }) => shareOf(question, line) >= MEANT)
}

export async function recall(topic: string, scene: Scene, say: Wording): Promise<Outcome> {
  const notes = await scene.notes()
  if (notes === null) return { say: say.noMemory }
  if (notes.length === 0) return { say: say.memoryEmpty }
  const wanted = about(topic, notes, scene)
  if (wanted.length === 0) return { say: say.nothingRemembered(oneLine(topic, 80)) }
  const shown = wanted.slice(-SHOWN)
  const parts = (['members', 'context', 'decisions'] as const).flatMap((section) => {
    const lines = shown.filter((note) => note.section === section).map((note) => `- ${quiet(note.line)}`)
    return lines.length === 0 ? [] : [`**${say.section(section)}**\n${lines.join('\n')}`]
  })
  const more = wanted.length > shown.length ? [say.more(wanted.length - shown.length)] : []
  return { say: [say.memory, ...parts, ...more].join('\n\n') }
}

export async function decisions(topic: string, scene: Scene, say: Wording): Promise<Outcome> {
  const notes = await scene.notes()
  if (notes === null) return { say: say.noMemory }
  const wanted = about(topic, notes, scene).filter((note) => note.section === 'decisions')
  if (wanted.length === 0) return scene.mustSpeak ? { say: say.noDecisions(oneLine(topic, 80)) } : 'nothing'
  const shown = wanted.slice(-SHOWN)
  const more = wanted.length > shown.length ? [say.more(wanted.length - shown.length)] : []
  return {
    say: [
      say.decisions,
      ...shown.map((note) => `- ${quiet(note.line)}`),
      ...more,
      '',
      say.memorySource('decisions'),
    ].join('\n'),
  }
}
