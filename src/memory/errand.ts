/** `/memory` in a chat: what its memory file and its facts say, and the removal of a line of the file. */
import type { Errand, ShownFact } from '../messaging/facts.js'
import type { Language } from '../messaging/roster.js'
import { safeLine, safeName } from '../messaging/text/index.js'
import type { GroupMemory } from './group.js'

/** Most characters of an answer: a chat is no place for a file. */
const MOST = 3_000
const LINE = 300
const CANDIDATES = 8

/** @returns Markdown. @throws MemoryError the file cannot be used */
export async function memoryErrand(
  memory: Pick<GroupMemory, 'read' | 'forget'>,
  errand: Pick<Errand, 'chatKey' | 'kind' | 'words' | 'facts'>,
  language: Language,
): Promise<string> {
  const say = language === 'zh' ? ZH : EN
  if (errand.kind === 'show') {
    const { text } = await memory.read(errand.chatKey)
    return bounded(shown(text, errand.facts, say), say)
  }
  const { removed, candidates } = await memory.forget(errand.chatKey, errand.words)
  if (removed.length > 0) return say.removed(excerpt(removed[0] ?? ''))
  if (candidates.length === 0) return say.notThere
  return [
    say.several,
    ...[...new Set(candidates)].slice(0, CANDIDATES).map((line) => `- ${excerpt(line)}`),
  ].join('\n')
}

const excerpt = (line: string): string => safeLine(line, LINE)

function shown(text: string, facts: readonly ShownFact[], say: typeof EN): string[] {
  const file = fileLines(text)
  const known = facts.map(
    ({ audience, text: fact, by, at }) =>
      `- ${excerpt(fact)} (${say.audience[audience]}${safeName(by)}, ${new Date(at).toISOString().slice(0, 10)})`,
  )
  if (file.length === 0 && known.length === 0) return [say.nothing]
  return [
    ...(known.length === 0 ? [] : [`**${say.facts}**`, ...known]),
    ...(file.length === 0 ? [] : [...(known.length === 0 ? [] : ['']), ...file]),
  ]
}

/** The file without its first heading, its comments and what is empty; headings as bold lines. */
function fileLines(text: string): string[] {
  const lines: string[] = []
  let title: string | null = null
  for (const line of text.replace(/<!--[\s\S]*?(?:-->|$)/gu, '').split(/\r?\n/u)) {
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/u.exec(line)
    if (heading) title = /^group\s*[:：]/iu.test(heading[1] ?? '') ? null : (heading[1] ?? '')
    else if (line.trim() !== '') {
      if (title !== null) lines.push(...(lines.length === 0 ? [] : ['']), `**${excerpt(title)}**`)
      title = null
      const [, indent = '', mark = ''] = /^(\s*)([-*+]\s+|\d+[.)]\s+)?/u.exec(line) ?? []
      lines.push(`${indent}${mark}${excerpt(line.slice(indent.length + mark.length))}`)
    }
  }
  return lines
}

function bounded(lines: readonly string[], say: typeof EN): string {
  let size = 0
  const count = lines.findIndex((line) => {
    size += line.length + 1
    return size > MOST
  })
  if (count < 0) return lines.join('\n')
  const more = lines.slice(count).filter((line) => line !== '').length
  return [...lines.slice(0, count), '', say.more(more)].join('\n')
}

const EN = {
  facts: 'Facts',
  audience: { chat: '', person: 'only for you; ', connection: 'for the whole organisation; ' },
  nothing:
    'Nothing is remembered here yet. `/memory add <sentence>` keeps something, or ask an agent to remember it.',
  more: (count: number) => `… and ${count} more lines. Whoever runs Golem can see all of them.`,
  removed: (line: string) => `Removed from the memory file: ${line}`,
  notThere: 'No fact and no line of the memory file says that (any more).',
  several: 'Several lines of the memory file say that. Say which one, in its own words:',
}
const ZH: typeof EN = {
  facts: '事实',
  audience: { chat: '', person: '仅限你；', connection: '整个组织；' },
  nothing: '这里还没有记住任何内容。用 `/memory add <一句话>` 添加，或请成员记住。',
  more: (count) => `……还有 ${count} 行，运行 Golem 的人可以查看全部。`,
  removed: (line) => `已从记忆文件中删除：${line}`,
  notThere: '没有事实或记忆文件的行符合（或已被删除）。',
  several: '记忆文件中有多行符合，请写出其中一行的原文：',
}
