/** People change their minds, press buttons, and wait for what takes its time. */
import type { Seen } from '../../simulators/kit/stage.js'
import { answered, fileOnce, once, repliesTo } from '../judge.js'
import type { Play } from '../play.js'
import { program, type Scenario } from './scenario.js'

const EDITED = /^The question was edited/

/** The newest post with a button of this label: of two copies, the one with the label. */
function withButton(seen: readonly Seen[], id: string, label: string): { post: Seen; value: string } | null {
  for (const post of repliesTo(seen, id).toReversed()) {
    const button = post.buttons.find((one) => one.label === label)
    if (button) return { post, value: button.value }
  }
  return null
}

/** Presses until it shows: who presses while nobody is there presses again. */
async function pressed(play: Play, id: string, label: string): Promise<boolean> {
  const first = withButton(await play.scene.seen(), id, label)
  for (let tries = 0; first !== null && tries < 5; tries++) {
    const post = (await play.scene.seen()).find((one) => one.id === first.post.id)
    if (!post?.buttons.some((button) => button.label === label)) return true
    await play.scene.press(post.id, 'Ann', first.value)
    await play.quiet()
  }
  return first === null
}

async function retry(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'hello')
  const { seen, problems } = await play.end([id])
  const echo = /^echo: hello$/
  if (withButton(seen, id, 'Retry') === null)
    return [...problems, ...answered(seen, id, echo, play.rules), ...(await play.unanswered([id]))]
  problems.push(...answered(seen, id, /was interrupted/, play.rules))
  if (!(await pressed(play, id, 'Retry'))) problems.push('Retry cannot be pressed')
  await play.quiet()
  return [...problems, ...once(repliesTo(await play.scene.seen(), id), echo, play.rules)]
}

async function editedMeanwhile(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'slow 1200 alpha')
  await play.begun()
  await play.scene.edit(id, 'slow 50 beta')
  const { seen, problems } = await play.end([id])
  const replies = repliesTo(seen, id)
  // An edit that comes after the answer offers another one; one that comes before it, or during it, is what is answered.
  const late = replies.some((reply) => /alpha/.test(reply.text))
  problems.push(...once(replies, late ? /alpha/ : /beta/, play.rules))
  if (late) problems.push(...once(replies, EDITED, play.rules))
  return [...problems, ...(await play.unanswered([id]))]
}

/** The words are changed after the answer: a button offers another one. Bob may not press it, Ann may. */
async function askedAgain(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'alpha')
  await play.quiet()
  await play.scene.edit(id, 'beta')
  await play.quiet()
  const offer = withButton(await play.scene.seen(), id, 'Answer again')
  if (offer !== null) {
    await play.scene.press(offer.post.id, 'Bob', offer.value)
    await play.quiet()
  }
  if (!(await pressed(play, id, 'Answer again'))) return ['Answer again cannot be pressed']
  const { seen, problems } = await play.end([id])
  const replies = repliesTo(seen, id)
  const alphas = replies.filter(({ text }) => /alpha/.test(text))
  // An edit that arrived before the answer leaves nothing of the old words.
  if (alphas.length > 0) problems.push(...once(replies, /^echo: alpha$/, play.rules))
  return [...problems, ...once(replies, /^echo: beta$/, play.rules)]
}

/** Presses of a button until the answer is there: each may be cut off again. */
const ROUNDS = 4

/** An operator restarts the daemon while a program works. Nobody but Ann may have it done again. */
async function restarted(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', 'stuck alpha')
  await play.begun()
  await play.daemon.restart()
  await play.quiet()
  for (let round = 0; round < ROUNDS; round++) {
    const seen = await play.scene.seen()
    const offer = withButton(seen, id, 'Retry')
    if (offer === null || repliesTo(seen, id).some(({ text }) => /alpha/.test(text))) break
    if (round === 0) {
      await play.scene.press(offer.post.id, 'Bob', offer.value)
      await play.quiet()
    }
    if (!(await pressed(play, id, 'Retry'))) return ['Retry cannot be pressed']
    await play.quiet()
  }
  const { seen, problems } = await play.end([id])
  return [...problems, ...once(repliesTo(seen, id), /alpha/, play.rules), ...(await play.unanswered([id]))]
}

/** Longer than it takes until a status post appears. */
const SLOW = 5_600

/** In a thread, where replies make threads: some platforms show only there that somebody is at work. */
async function slowWithFile(play: Play): Promise<string[]> {
  const before = await play.scene.say('Bob', 'who writes the report?', { aside: true })
  const id = await play.scene.say('Ann', `slow ${SLOW} file`, { to: before })
  const { seen, problems } = await play.end([id])
  return [
    ...problems,
    ...once(repliesTo(seen, play.scene.anchor(id)), /^echo: slow/, play.rules),
    ...fileOnce(seen, 'report.txt', play.rules),
    ...(await play.unanswered([id])),
  ]
}

/** Longer than it takes until a status post appears, and then some words in it. */
const ALOUD = 7_500

/** The answer is seen as it is written. */
async function streamed(play: Play): Promise<string[]> {
  const id = await play.scene.say('Ann', `aloud ${ALOUD}`)
  const { seen, problems } = await play.end([id])
  return [
    ...problems,
    ...once(repliesTo(seen, id), /^echo: aloud/, play.rules),
    ...(await play.unanswered([id])),
  ]
}

export const MEDDLING: readonly Scenario[] = [
  { name: 'a command agent of unknown effects', agents: program('unknown'), run: retry },
  { name: 'a restart while a program works', agents: program('unknown'), run: restarted },
  {
    name: 'an edit during the turn',
    agents: program('none'),
    where: 'dm',
    hears: 'edit',
    run: editedMeanwhile,
  },
  { name: 'an edit after the turn, and a button', agents: program('none'), hears: 'edit', run: askedAgain },
  // Some platforms show drafts of it in direct chats.
  { name: 'a streamed answer', agents: program('none'), where: 'dm', run: streamed },
  {
    name: 'a streamed answer in the place of its status post',
    agents: program('none'),
    rooms: { answer: 'edit' },
    run: streamed,
  },
  { name: 'a slow answer with a file', agents: program('none'), run: slowWithFile },
]
