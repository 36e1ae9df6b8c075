/** Questions and answers, without anybody interfering. */
import { answered, inParts, once, repliesTo } from '../judge.js'
import type { Play } from '../play.js'
import { OFFLINE, program, type Scenario } from './scenario.js'

async function mention(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'what can you do?')
  const { seen, problems } = await play.end([id])
  return [...problems, ...answered(seen, id, /I am Golem/, play.rules), ...(await play.unanswered([id]))]
}

async function burst(play: Play): Promise<string[]> {
  const ids: string[] = []
  for (const what of ['the demo is on Friday', 'the room is 4.12', 'Bob brings cake'])
    ids.push(await play.scene.say('Ann', `remember that ${what}`))
  const { seen, problems } = await play.end(ids)
  // Lines that came while a turn ran are answered together, quoting the last of them.
  const quoting = ids.map((id) => repliesTo(seen, id))
  if (quoting.flat().length === 0) problems.push('no answer')
  for (const replies of quoting) if (replies.length > 0) problems.push(...once(replies, /./, play.rules))
  return [...problems, ...(await play.unanswered(ids))]
}

/** Characters of a line of the long answer, at least; and parts of it that are surely there. */
const LINE = 100
const PARTS = 2.3

async function longAnswer(play: Play): Promise<string[]> {
  const lines = Math.ceil((play.textMax * PARTS) / LINE)
  const id = await play.scene.say('Ann', `long ${lines}`)
  const { seen, problems } = await play.end([id])
  if (repliesTo(seen, id).length === 0) problems.push('no part quotes the question')
  return [...problems, ...inParts(seen, lines, play.rules), ...(await play.unanswered([id]))]
}

async function echo(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'hello')
  const { seen, problems } = await play.end([id])
  return [...problems, ...answered(seen, id, /^echo: hello$/, play.rules), ...(await play.unanswered([id]))]
}

async function delegation(play: Play): Promise<string[]> {
  await play.scene.say('Bob', 'The budget is 40,000 euros this year.', { aside: true })
  const id = await play.scene.say('Ann', 'please summarise the conversation')
  const { seen, problems } = await play.end([id])
  return [...problems, ...answered(seen, id, /Scribe/, play.rules), ...(await play.unanswered([id]))]
}

/** Everything that was acknowledged comes again after the restart, and once more when it has been answered again. */
async function again(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'hello')
  await play.quiet()
  await play.scene.redeliver()
  await play.rest()
  await play.scene.redeliver()
  const { seen, problems } = await play.end([id])
  return [...problems, ...answered(seen, id, /^echo: hello$/, play.rules), ...(await play.unanswered([id]))]
}

export const TALK: readonly Scenario[] = [
  { name: 'a plain mention', agents: OFFLINE, fromStart: true, run: mention },
  {
    name: 'a plain mention, by webhook',
    agents: OFFLINE,
    how: 'webhook',
    fromStart: true,
    platforms: ['telegram', 'slack', 'feishu'],
    run: mention,
  },
  { name: 'a burst of one person', agents: OFFLINE, run: burst },
  { name: 'a long answer in parts', agents: program('none'), run: longAnswer },
  { name: 'a delegation', agents: OFFLINE, run: delegation },
  // Back at once: what was being sent may still be on its way.
  { name: 'a command agent without effects', agents: program('none'), away: 0, run: echo },
  { name: 'redelivery after the restart', agents: program('none'), run: again },
  { name: 'an answer whose receipt is cut off', agents: program('none'), lose: 'cut', run: echo },
  {
    name: 'an answer whose receipt never comes',
    agents: program('none'),
    lose: 'hang',
    platforms: ['telegram', 'slack', 'discord', 'feishu'],
    run: echo,
  },
]
