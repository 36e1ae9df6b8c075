/** What people do while the daemon is killed, and what they must see afterwards. */
import { fileURLToPath } from 'node:url'
import type { House, LocalMessage } from './house.js'

const AGENT = fileURLToPath(new URL('../fixtures/agents/crash-echo.mjs', import.meta.url))

export interface Scenario {
  name: string
  yaml: string
  /** Does it, and returns what is wrong with what people see; empty when all is well. */
  run(house: House): Promise<string[]>
}

const OFFLINE = `
name: Golem
agents:
  - { name: Golem, role: orchestrator, engine: offline }
  - { name: Scribe, role: "keeps notes, summarises conversations, remembers decisions", engine: offline }
`

function command(effects: 'none' | 'unknown'): string {
  return `
name: Golem
agents:
  - { name: Golem, role: orchestrator, engine: command, effects: ${effects}, command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(AGENT)}] }
`
}

/** What Golem has said to a message, without status posts. */
function answersTo(messages: readonly LocalMessage[], id: string): LocalMessage[] {
  return messages.filter(
    (message) => message.author.kind === 'self' && message.deleted !== true && message.replyTo?.id === id,
  )
}

function once(messages: readonly LocalMessage[], id: string, text: RegExp): string[] {
  const answers = answersTo(messages, id)
  if (answers.length !== 1)
    return [`message ${id} has ${answers.length} answers: ${JSON.stringify(answers.map(({ text }) => text))}`]
  return text.test(answers[0]?.text ?? '')
    ? []
    : [`message ${id} is answered by ${JSON.stringify(answers[0]?.text)}`]
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a plain mention',
    yaml: OFFLINE,
    async run(house) {
      const id = await house.say('@Golem what can you do?', 'k1')
      await house.quiet()
      await house.dead()
      await house.quiet()
      const problems = once(await house.messages(), id, /I am Golem/)
      const { outcome } = await house.receipt(id)
      return outcome === 'answered' ? problems : [...problems, `its receipt says ${outcome}`]
    },
  },
  {
    name: 'a burst of one person',
    yaml: OFFLINE,
    async run(house) {
      const ids = [
        await house.say('@Golem remember that the demo is on Friday', 'k1'),
        await house.say('@Golem remember that the room is 4.12', 'k2'),
        await house.say('@Golem remember that Bob brings cake', 'k3'),
      ]
      await house.quiet()
      await house.dead()
      await house.quiet()
      const messages = await house.messages()
      // Lines that came while a turn ran are answered together, quoting the last of them.
      const answers = ids.flatMap((id) => answersTo(messages, id))
      const problems = answers.length >= 1 && answers.length <= 3 ? [] : [`${answers.length} answers`]
      const quoted = new Set(answers.map((answer) => answer.replyTo?.id))
      if (quoted.size !== answers.length) problems.push('a message is answered twice')
      for (const id of ids) {
        const { outcome } = await house.receipt(id)
        if (outcome !== 'answered') problems.push(`message ${id}: ${outcome}`)
      }
      return problems
    },
  },
  {
    name: 'a delegation',
    yaml: OFFLINE,
    async run(house) {
      await house.say('The budget is 40,000 euros this year.', 'k0', 'Bob')
      const id = await house.say('@Golem please summarise the conversation', 'k1')
      await house.quiet()
      await house.dead()
      await house.quiet()
      return once(await house.messages(), id, /Scribe/)
    },
  },
  {
    name: 'a command agent without effects',
    yaml: command('none'),
    async run(house) {
      const id = await house.say('@Golem hello', 'k1')
      await house.quiet()
      await house.dead()
      await house.quiet()
      return once(await house.messages(), id, /^echo: hello$/)
    },
  },
  {
    name: 'a command agent of unknown effects',
    yaml: command('unknown'),
    async run(house) {
      const id = await house.say('@Golem hello', 'k1')
      await house.quiet()
      await house.dead()
      await house.quiet()
      const messages = await house.messages()
      const [answer] = answersTo(messages, id)
      const retry = answer?.buttons?.find(({ label }) => label === 'Retry')
      if (!retry || !answer) return once(messages, id, /^echo: hello$/)
      const before = once(messages, id, /was interrupted/)
      await house.change('POST', `/api/local/rooms/lobby/messages/${answer.id}/press`, {
        author: 'Ann',
        value: retry.value,
      })
      await house.quiet()
      const after = answersTo(await house.messages(), id).filter(({ text }) => text === 'echo: hello')
      return after.length === 1 ? before : [...before, `after Retry there are ${after.length} answers`]
    },
  },
]
