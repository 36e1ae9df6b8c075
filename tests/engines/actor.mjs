/** A program that speaks the command protocol and plays the acts in its first argument; see play.ts. */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , acts = '[]', heard = ''] = process.argv
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const note = (text) => appendFileSync(heard, `${text}\n`)
note(`pid ${process.pid}`)
note((await lines.next()).value ?? '')

let last = ''
for (const [index, act] of JSON.parse(acts).entries()) {
  switch (act.act) {
    case 'say':
      for (const text of [act.text.slice(0, 1), act.text.slice(1)]) say({ type: 'text', text })
      break
    case 'tool': {
      say({ type: 'tool', id: index, name: act.name, arguments: act.args })
      const { value } = await lines.next()
      note(value ?? '')
      const reply = JSON.parse(value ?? '{}')
      last = reply.error ?? JSON.stringify(reply.result)
      break
    }
    case 'repeat':
      say({ type: 'text', text: last })
      break
    case 'usage':
      say({ type: 'usage', inputTokens: act.input, outputTokens: act.output })
      break
    case 'hang':
      await new Promise(() => setInterval(() => {}, 60_000))
      break
    case 'flood':
      for (;;) {
        say({ type: 'text', text: 'flood '.repeat(20) })
        await new Promise((resolve) => setImmediate(resolve))
      }
    case 'garbage':
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]))
      process.stdout.write('{"type": "text", \n{"type":"wrong"}\n')
      break
    case 'break':
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
      break
    case 'environment':
      note(JSON.stringify([process.env, process.argv]))
      break
  }
}
process.exit(0)
