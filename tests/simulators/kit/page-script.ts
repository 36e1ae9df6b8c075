/** What the page at `/_sim/` does. Without a build: what stands here is what the browser runs. */
export const SCRIPT = `
const $ = (id) => document.getElementById(id)
const make = (tag, text, className = '') => Object.assign(document.createElement(tag), { textContent: text, className })
const form = $('say')
let chat = '', state = {}, replyTo = null
const drawn = {}
const ask = async (path, method = 'GET', body) => {
  const answer = await fetch('/_sim/' + path, { method, ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
  const value = await answer.json()
  if (value.error) throw new Error(value.error.message)
  return value
}
const say = (error) => { $('error').textContent = error ? error.message : '' }
/** Does what a person asked for, and says what came of it. */
const doing = async (what) => { try { await what(); say(null); await draw() } catch (error) { say(error) } }
const at = (id, rest = '') => 'chats/' + encodeURIComponent(chat) + '/messages' + (id ? '/' + encodeURIComponent(id) : '') + rest
const who = () => form.person.value
/** Whether a part of the page has to be drawn again. */
const changed = (part, value) => { const now = JSON.stringify(value); const is = drawn[part] !== now; drawn[part] = now; return is }

const nameOf = (id) => {
  if (id === state.bot.id) return state.bot.name
  const known = [...state.people, ...state.chats.flatMap((one) => one.members)].find((one) => one.id === id)
  return known ? known.name : id
}
const names = (ids) => {
  const all = ids.map(nameOf)
  return all.length > 6 ? all.slice(0, 5).join(', ') + ' and ' + (all.length - 5) + ' more' : all.join(', ')
}
const excerpt = (seen) => seen.author.name + ': ' + (seen.text || (seen.files[0] ? seen.files[0].name : '…')).replace(/\\s+/g, ' ').slice(0, 80)

const replying = (seen) => {
  replyTo = seen ? seen.id : null
  $('replying').hidden = !seen
  $('replying').firstElementChild.textContent = seen ? 'Replying to ' + excerpt(seen) : ''
  if (seen) form.text.focus()
}
const button = (label, run, className = '', name = label) => {
  const one = make('button', label, className)
  one.type = 'button'; one.onclick = run; one.setAttribute('aria-label', name)
  return one
}
const meta = (seen) => {
  const line = make('div', '', 'meta')
  const notes = [seen.thread && seen.thread !== seen.id && 'in a thread', seen.edited && 'edited', seen.silent && 'silent', seen.onlyFor && 'only ' + nameOf(seen.onlyFor) + ' sees this']
  line.append(make('span', seen.author.name, 'author'), ' ', make('code', '#' + seen.id), ...notes.filter(Boolean).map((note) => ' · ' + note))
  if (seen.thread) line.title = 'Thread ' + seen.thread
  return line
}
const post = (seen, all) => {
  const one = make('article', '', 'post' + (seen.author.bot ? ' bot' : ''))
  const quoted = seen.replyTo && all.find((other) => other.id === seen.replyTo)
  one.append(meta(seen))
  if (seen.replyTo) one.append(make('div', '↩ ' + (quoted ? excerpt(quoted) : '#' + seen.replyTo), 'quote'))
  if (seen.text) one.append(make('p', seen.text))
  for (const link of seen.links) if (link.text !== link.url) one.append(make('div', '🔗 ' + link.text + ' → ' + link.url, 'meta'))
  for (const file of seen.files) one.append(make('div', '📎 ' + file.name + ' (' + file.bytes.toLocaleString('en') + ' bytes)', 'meta'))
  if (seen.pings.length) one.append(make('div', '🔔 ' + names(seen.pings), 'pings'))
  const row = make('div', '', 'row')
  for (const { emoji, by } of seen.reactions) row.append(Object.assign(make('span', emoji, 'reaction'), { title: nameOf(by) }))
  for (const { label, value } of seen.buttons) row.append(button(label, () => doing(() => ask(at(seen.id, '/presses'), 'POST', { person: who(), value })), 'press'))
  if (row.childNodes.length) one.append(row)
  const tools = make('div', '', 'tools')
  tools.append(button('Reply', () => replying(seen), '', 'Reply to ' + excerpt(seen)), button('👍', () => doing(() => ask(at(seen.id, '/reactions'), 'POST', { person: who(), emoji: '👍' })), '', 'React with 👍'))
  one.append(tools)
  return one
}

const choose = (id) => { chat = id; replying(null); doing(async () => {}) }
const drawChats = () => {
  if (!changed('chats', [chat, state.chats])) return
  $('chats').replaceChildren(...state.chats.map((one) => {
    const title = (one.kind === 'dm' ? '✉ ' : '# ') + one.title
    const made = Object.assign(button(title, () => choose(one.id)), { title: one.title })
    made.setAttribute('aria-current', String(one.id === chat))
    return made
  }))
  const now = $('chats').querySelector('[aria-current=true]')
  if (now) now.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
const drawRoom = () => {
  const room = state.chats.find((one) => one.id === chat)
  const members = room ? room.members : state.people
  if (!changed('room', [chat, room, members])) return
  const chosen = who()
  $('title').firstElementChild.textContent = room ? room.title : 'No chat yet'
  $('title').lastElementChild.textContent = names(members.map((one) => one.id))
  const people = members.filter((one) => one.id !== state.bot.id)
  form.person.replaceChildren(...people.map((one) => Object.assign(make('option', one.name), { value: one.id, selected: one.id === chosen })))
}
const drawLog = async () => {
  const now = chat
  const seen = now ? await ask(at()) : []
  if (now !== chat) return
  const isNew = drawn.chat !== now
  drawn.chat = now
  if (!changed('log', [now, seen]) && !isNew) return
  const log = $('log')
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80
  const empty = make('p', 'Nothing has been said here. Tick “mention the bot” and say something.', 'empty')
  log.replaceChildren(...(seen.length ? seen.map((one) => post(one, seen)) : [empty]))
  if (isNew || isAtEnd) log.scrollTop = log.scrollHeight
}
const draw = async () => {
  state = await ask('state')
  document.title = state.platform + ' in a box'
  $('platform').textContent = state.platform; $('bot').textContent = state.bot.name; $('url').textContent = state.url
  const some = (count, what) => count + ' ' + what + (count === 1 ? '' : 's')
  $('counts').textContent = [some(state.calls, 'call'), state.pending && state.pending + ' waiting for the bot', state.faults && some(state.faults, 'fault') + ' in force'].filter(Boolean).join(' · ')
  if (!state.chats.some((one) => one.id === chat)) chat = state.chats[0] ? state.chats[0].id : ''
  drawChats(); drawRoom()
  await drawLog()
}

form.onsubmit = (event) => {
  event.preventDefault()
  doing(async () => {
    await ask(at(), 'POST', { person: who(), text: form.text.value, mention: form.mention.checked, ...(replyTo && { replyTo }) })
    form.text.value = ''; replying(null); $('log').scrollTop = $('log').scrollHeight
  })
}
form.text.onkeydown = (event) => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit() } }
$('replying').lastElementChild.onclick = () => replying(null)
$('newPerson').onsubmit = (event) => { event.preventDefault(); doing(async () => { await ask('people', 'POST', { name: event.target.name.value }); event.target.reset() }) }
$('newChat').onsubmit = (event) => { event.preventDefault(); doing(async () => { chat = (await ask('chats', 'POST', { title: event.target.title.value, people: state.people.map((one) => one.id) })).id; event.target.reset() }) }
;(async () => {
  let isLost = false
  for (;;) {
    try { await draw(); if (isLost) { isLost = false; say(null) } await ask('changes') }
    catch { isLost = true; say(new Error('The simulator is not reached; trying again.')); await new Promise((go) => setTimeout(go, 1000)) }
  }
})()
`
