// A command agent for the crash tests. The question says what it does: `slow MS`, `long LINES`, `file`, `aloud MS`
// (says a word each tenth of a second), `stuck` (for long, unless
// it was begun before); any other is said back. It always says a first word at once, so that its turn has begun when it is cut off.
import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A line can be told from every other one, however the text is cut. */
const LINE = 'of a long answer, which is there to be cut into parts that must all arrive and in this order.'

function said(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { messages } = JSON.parse(line)
  const question = messages.at(-1).text
  said({ type: 'text', text: 'echo: ' })
  const [, ms = '30'] = /slow (\d+)/.exec(question) ?? []
  await delay(Number(ms))
  const [, aloud = '0'] = /aloud (\d+)/.exec(question) ?? []
  for (let left = Number(aloud); left > 0; left -= 100) {
    said({ type: 'text', text: `word${left} ` })
    await delay(100)
  }
  if (question.includes('stuck') && !existsSync('stuck')) {
    writeFileSync('stuck', '')
    // Longer than a restart waits for; not for ever, where it is begun anew behind the restart.
    await delay(20_000)
  }
  if (question.includes('file')) {
    writeFileSync('report.txt', 'all is well\n')
    said({ type: 'file', path: 'report.txt' })
  }
  const [, lines] = /long (\d+)/.exec(question) ?? []
  said({ type: 'final', text: lines ? long(Number(lines)) : `echo: ${question}` })
  break
}
process.stdin.destroy()

function long(count) {
  const lines = []
  for (let number = 1; number <= count; number++)
    lines.push(`line ${String(number).padStart(4, '0')} ${LINE}`)
  return lines.join('\n\n')
}
