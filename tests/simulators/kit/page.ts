/** The page at `/_sim/`: the chats as a person sees them, and a form to say something. No build, no dependency. */
export const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A platform in a box</title><link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif }
  body { margin: 0; display: grid; grid-template: auto 1fr / 17rem 1fr; height: 100vh }
  header { grid-column: 1/3; padding: .6rem 1rem; border-bottom: 1px solid #8884 }
  nav { padding: .6rem; border-right: 1px solid #8884; overflow: auto }
  nav button { display: block; width: 100%; text-align: left; margin: .15rem 0 }
  nav button[aria-current=true] { font-weight: 600 }
  main { display: grid; grid-template-rows: 1fr auto; min-height: 0 }
  #log { overflow: auto; padding: 1rem }
  .post { margin: 0 0 .8rem } .post p { margin: .1rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
  .meta, .quote { color: #888; font-size: .85em } .bot b { color: #2a7de1 }
  form { display: flex; gap: .4rem; padding: .6rem; border-top: 1px solid #8884; flex-wrap: wrap }
  form textarea { flex: 1 1 20rem; min-height: 2.4rem; font: inherit } input, select, button, textarea { font: inherit }
  code { background: #8882; padding: 0 .25em }
</style>
<header><b id="platform"></b> in a box · bot <b id="bot"></b> · <span id="counts"></span>
  · connect at <code id="url"></code> · <a href="/_sim/recording">recording</a> · <a href="/_sim/calls">calls</a>
  <span id="error" role="alert"></span></header>
<nav><div id="chats"></div>
  <form id="newPerson"><input name="name" placeholder="New person" required><button>Add</button></form>
  <form id="newChat"><input name="title" placeholder="New group, everyone in it" required><button>Make</button></form>
</nav>
<main><div id="log" aria-live="polite"></div>
  <form id="say"><select name="person" aria-label="Who speaks"></select>
    <textarea name="text" placeholder="Say something" aria-label="Message" required></textarea>
    <label><input type="checkbox" name="mention"> mention the bot</label>
    <input type="hidden" name="replyTo"><button>Say</button></form></main>
<script>
const $ = (id) => document.getElementById(id)
const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more)
let chat = '', state = {}, drawn = ''
const ask = async (path, method = 'GET', body) => {
  const answer = await fetch('/_sim/' + path, { method, ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
  const value = await answer.json()
  $('error').textContent = value.error ? ' · ' + value.error.message : ''
  if (value.error) throw new Error(value.error.message)
  return value
}
const at = (id, rest = '') => 'chats/' + encodeURIComponent(chat) + '/messages' + (id ? '/' + encodeURIComponent(id) : '') + rest
const who = () => $('say').person.value
const post = (seen) => {
  const one = make('article', '', { className: 'post' + (seen.author.bot ? ' bot' : '') })
  const meta = make('div', '', { className: 'meta' })
  meta.append(make('b', seen.author.name), ' #' + seen.id + (seen.thread ? ' · thread ' + seen.thread : '')
    + (seen.edited ? ' · edited' : '') + (seen.silent ? ' · silent' : '') + (seen.onlyFor ? ' · only for ' + seen.onlyFor : '') + ' ')
  const reply = make('button', 'Reply'); reply.onclick = () => { $('say').replyTo.value = seen.id; $('say').text.placeholder = 'Reply to #' + seen.id; $('say').text.focus() }
  const like = make('button', '👍'); like.onclick = () => ask(at(seen.id, '/reactions'), 'POST', { person: who(), emoji: '👍' })
  meta.append(reply, ' ', like); one.append(meta)
  if (seen.replyTo) one.append(make('div', '↩ #' + seen.replyTo, { className: 'quote' }))
  one.append(make('p', seen.text))
  for (const link of seen.links) one.append(make('div', '🔗 ' + link.text + ' → ' + link.url, { className: 'meta' }))
  for (const file of seen.files) one.append(make('div', '📎 ' + file.name + ' (' + file.bytes + ' bytes)', { className: 'meta' }))
  if (seen.pings.length) one.append(make('div', '🔔 ' + seen.pings.join(', '), { className: 'meta' }))
  if (seen.reactions.length) one.append(make('div', seen.reactions.map((r) => r.emoji).join(' ')))
  for (const b of seen.buttons) { const press = make('button', b.label); press.onclick = () => ask(at(seen.id, '/presses'), 'POST', { person: who(), value: b.value }); one.append(press, ' ') }
  return one
}
const draw = async () => {
  state = await ask('state')
  $('platform').textContent = state.platform; $('bot').textContent = state.bot.name; $('url').textContent = state.url
  $('counts').textContent = state.calls + ' calls, ' + state.pending + ' deliveries waiting, ' + state.faults + ' faults'
  if (!state.chats.some((c) => c.id === chat)) chat = state.chats[0]?.id ?? ''
  $('chats').replaceChildren(...state.chats.map((c) => make('button', (c.kind === 'dm' ? '✉ ' : '# ') + c.title, { ariaCurrent: String(c.id === chat), onclick: () => { chat = c.id; draw() } })))
  const chosen = who(); const members = state.chats.find((c) => c.id === chat)?.members ?? state.people
  $('say').person.replaceChildren(...members.map((p) => make('option', p.name, { value: p.id, selected: p.id === chosen })))
  const seen = chat ? await ask(at()) : []
  const now = chat + JSON.stringify(seen)
  if (now === drawn) return
  drawn = now; $('log').replaceChildren(...seen.map(post)); $('log').scrollTop = $('log').scrollHeight
}
$('say').onsubmit = async (event) => { event.preventDefault(); const f = event.target
  await ask(at(), 'POST', { person: f.person.value, text: f.text.value, mention: f.mention.checked, ...(f.replyTo.value && { replyTo: f.replyTo.value }) })
  f.text.value = ''; f.replyTo.value = ''; f.text.placeholder = 'Say something'; draw() }
$('say').text.onkeydown = (event) => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); $('say').requestSubmit() } }
$('newPerson').onsubmit = async (event) => { event.preventDefault(); await ask('people', 'POST', { name: event.target.name.value }); event.target.reset(); draw() }
$('newChat').onsubmit = async (event) => { event.preventDefault(); chat = (await ask('chats', 'POST', { title: event.target.title.value, people: state.people.map((p) => p.id) })).id; event.target.reset(); draw() }
;(async () => { for (;;) { try { await draw(); await ask('changes') } catch (error) { $('error').textContent = ' · ' + error.message; await new Promise((go) => setTimeout(go, 1000)) } } })()
</script></html>
`
