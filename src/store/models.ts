/** Models that people chose for agents: for a conversation, or for a whole chat. What golem.yaml offers has the last word. */
import { mayChange, mayNot } from '../messaging/rights.js'
import { type Agent, roomAgents } from '../messaging/roster.js'
import { safeLine, safeName } from '../messaging/text/index.js'
import { type Db, one, type Room } from './db.js'
import { settingsOf } from './moves.js'
import type { ChatRow } from './rows.js'

interface Choice {
  model: string
  by_name: string
}

export interface Person {
  id: string
  name: string
}

/** Where a whole chat's choice stands: its conversation without a thread is only one of many. */
const wholeOf = (chat: string): string => `${chat}#room`

const choiceAt = (db: Db, place: string, agent: string): Choice | undefined =>
  one<Choice>(db.sql('SELECT model, by_name FROM model_choices WHERE place = ? AND agent = ?'), place, agent)

/** What people chose, if it may still be had: the conversation's choice before the chat's. */
export function chosenModel(
  db: Db,
  chat: string,
  conversation: string,
  agent: Pick<Agent, 'name' | 'models'> | undefined,
): (Choice & { everywhere: boolean }) | undefined {
  if (agent?.models === undefined || agent.models.length === 0) return undefined
  for (const place of [conversation, wholeOf(chat)]) {
    const choice = choiceAt(db, place, agent.name)
    if (choice !== undefined && agent.models.includes(choice.model))
      return { ...choice, everywhere: place !== conversation }
  }
  return undefined
}

interface Here {
  chat: string
  conversation: string
  person: Person
  now: number
}

/** `/model`, `/model <name>`, `/model default`; `room` before the name: for the whole chat; an agent's name: for it alone. */
export function modelCommand(room: Room, here: Here, argument: string): string {
  const say = room.policy.language === 'zh' ? ZH : EN
  const settings = settingsOf(room, here.chat)
  const agents = roomAgents(room.policy, settings).filter((agent) => !agent.hidden && !agent.archived)
  const able = agents.filter((agent) => (agent.models ?? []).length > 0)
  if (able.length === 0) return say.none
  if (argument.trim() === '') return shown(room, here, able)
  const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), here.chat)
  if (!mayChange(settings, { kind: chat?.kind ?? 'group' }, here.person.id))
    return mayNot(here.chat, here.person.id, room.policy.language)
  const wanted = read(argument, able)
  const place = wanted.everywhere ? wholeOf(here.chat) : here.conversation
  if (wanted.model === 'default') return undo(room, place, wanted)
  const takers = wanted.agents.filter((agent) => modelOf(agent, wanted.model) !== undefined)
  if (takers.length === 0)
    return `${say.unknown(safeLine(wanted.model, 80))}\n${shown(room, here, wanted.agents)}`
  for (const agent of takers) {
    const model = modelOf(agent, wanted.model) as string
    room
      .sql(
        `INSERT INTO model_choices (place, chat, agent, model, by_id, by_name, at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (place, agent) DO UPDATE SET model = excluded.model, by_id = excluded.by_id,
           by_name = excluded.by_name, at = excluded.at`,
      )
      .run(place, here.chat, agent.name, model, here.person.id, here.person.name, here.now)
    // For the whole chat means here as well.
    if (wanted.everywhere)
      room.sql('DELETE FROM model_choices WHERE place = ? AND agent = ?').run(here.conversation, agent.name)
  }
  const model = modelOf(takers[0], wanted.model) as string
  return say.switched(listed(takers, say.and), model, wanted.everywhere)
}

interface Wanted {
  agents: readonly Agent[]
  everywhere: boolean
  model: string
}

function read(argument: string, able: readonly Agent[]): Wanted {
  let rest = argument.trim()
  let agents = able
  let everywhere = false
  for (;;) {
    const [, word = '', after = ''] = /^(\S+)\s+(\S[\s\S]*)$/u.exec(rest) ?? []
    const named = able.filter((agent) => [agent.name, ...agent.aliases].some((name) => isSame(name, word)))
    if (word === '') break
    if (isSame(word, 'room')) everywhere = true
    else if (named.length > 0) agents = named
    else break
    rest = after
  }
  return { agents, everywhere, model: isSame(rest, 'default') ? 'default' : rest }
}

function isSame(a: string, b: string): boolean {
  return a.replace(/^@/, '').normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase()
}

/** By its whole name, or by the part behind the provider's where that is one model's only. */
function modelOf(agent: Agent | undefined, wanted: string): string | undefined {
  const models = agent?.models ?? []
  const short = models.filter((model) => isSame(model.slice(model.indexOf('/') + 1), wanted))
  return models.find((model) => isSame(model, wanted)) ?? (short.length === 1 ? short[0] : undefined)
}

function undo(room: Room, place: string, { agents, everywhere }: Wanted): string {
  const say = room.policy.language === 'zh' ? ZH : EN
  for (const agent of agents)
    room.sql('DELETE FROM model_choices WHERE place = ? AND agent = ?').run(place, agent.name)
  return say.undone(listed(agents, say.and), everywhere)
}

function shown(room: Room, here: Here, agents: readonly Agent[]): string {
  const say = room.policy.language === 'zh' ? ZH : EN
  return agents
    .map((agent) => {
      const choice = chosenModel(room, here.chat, here.conversation, agent)
      const now = choice?.model ?? agent.model ?? say.own
      const by = choice === undefined ? '' : say.by(safeName(choice.by_name), choice.everywhere)
      const list = (agent.models ?? []).map((model) => `\`${model}\``).join(' · ')
      return `- **${agent.name}**: ${now}${by}. ${say.list}${list}`
    })
    .concat(say.how)
    .join('\n')
}

function listed(agents: readonly Agent[], and: string): string {
  return agents.map(({ name }) => name).join(and)
}

const EN = {
  and: ' and ',
  none: 'No agent here has a list of models to choose from. Whoever runs Golem can write one in golem.yaml, as `models` of an agent.',
  own: 'its own',
  list: 'To choose from: ',
  how: '`/model <name>` switches here, `/model room <name>` in the whole chat, `/model default` goes back to golem.yaml.',
  by: (name: string, everywhere: boolean) => `, chosen by ${name}${everywhere ? ' for the whole chat' : ''}`,
  unknown: (name: string) => `No agent here may use "${name}".`,
  switched: (agents: string, model: string, everywhere: boolean) =>
    `${agents}: ${model}, ${everywhere ? 'in the whole chat' : 'here'}, from the next message on.`,
  undone: (agents: string, everywhere: boolean) =>
    `${agents}: the model of golem.yaml again${everywhere ? ', in the whole chat' : ''}.`,
}

const ZH: typeof EN = {
  and: '、',
  none: '这里没有成员可以切换模型。请运行 Golem 的人在 golem.yaml 中为成员写上 `models`。',
  own: '自带的模型',
  list: '可选：',
  how: '`/model <名称>` 在这里切换，`/model room <名称>` 在整个群里切换，`/model default` 恢复 golem.yaml 的设置。',
  by: (name, everywhere) => `，由 ${name} 选择${everywhere ? '（整个群）' : ''}`,
  unknown: (name) => `这里没有成员可以使用“${name}”。`,
  switched: (agents, model, everywhere) =>
    `从下一条消息起，${agents}${everywhere ? '在整个群里' : '在这里'}使用 ${model}。`,
  undone: (agents, everywhere) => `${agents} 恢复使用 golem.yaml 中的模型${everywhere ? '（整个群）' : ''}。`,
}
