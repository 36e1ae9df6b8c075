import type { ContextLine } from '../../messaging/store.js'
import { safeLine, safeName } from '../../messaging/text/index.js'

type Said = Pick<ContextLine, 'author' | 'kind'>

/**
 * How speakers stand in a prompt: `Ann`, `agent:Reviewer`, `agent:Golem (you)`, `bot:CI`, `result:Reviewer`. People's
 * names lose the marks that the other forms are made of, so nobody can pose as an agent; two people of one name carry
 * their ids, so nobody can pose as another person.
 *
 * @returns the speaker of each line, in order
 */
export function speakers(lines: readonly Said[], self: string): string[] {
  const plain = lines.map((line) => speaker(line, self))
  const people = new Map<string, Set<string>>()
  for (const [index, line] of lines.entries()) {
    const key = folded(plain[index] ?? '')
    people.set(key, (people.get(key) ?? new Set()).add(line.author.id))
  }
  return lines.map((line, index) => {
    const name = plain[index] ?? ''
    if (line.kind !== 'person' && line.kind !== 'bot') return name
    return (people.get(folded(name))?.size ?? 0) > 1 ? `${name} #${id(line.author.id)}` : name
  })
}

export function speaker(line: Said, self: string): string {
  const name = safeName(line.author.name)
  switch (line.kind) {
    case 'person':
      return plainName(name)
    case 'bot':
      return `bot:${plainName(name)}`
    case 'agent':
      return line.author.name === self ? `agent:${name} (you)` : `agent:${name}`
    case 'result':
      return `result:${name}`
    case 'digest':
      return 'digest'
    case 'schedule':
      return `schedule:${plainName(name)}`
  }
}

/** Without the marks of the other forms: a colon, a number sign. A person called `digest` is no digest. */
function plainName(name: string): string {
  const plain = name.replaceAll(':', '：').replaceAll('#', '＃')
  return folded(plain) === 'digest' ? `“${plain}”` : plain
}

function id(text: string): string {
  return safeLine(text, 40).replace(/[\s:#]/g, '_') || '?'
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
