/** How the page at `/_sim/` looks: one column on a phone, two on a desk, in the colours of the system. */
export const STYLE = `
  :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif;
    --ground: #fff; --side: #f5f6f8; --raised: #fff; --ink: #1b1e24; --dim: #5d6470; --line: #d9dce2;
    --accent: #2456c7; --on-accent: #fff; --soft: #e7eefc; --bad: #b3261e }
  @media (prefers-color-scheme: dark) { :root {
    --ground: #15171b; --side: #1b1e23; --raised: #23272e; --ink: #e8eaee; --dim: #a0a7b3; --line: #343941;
    --accent: #86aefb; --on-accent: #10131a; --soft: #24324d; --bad: #ff8a80 } }
  * { box-sizing: border-box; min-width: 0 }
  [hidden] { display: none !important }
  body { margin: 0; height: 100vh; height: 100dvh; display: grid; background: var(--ground); color: var(--ink);
    grid-template: auto minmax(0, 1fr) / 17rem minmax(0, 1fr) }
  a { color: var(--accent) }
  code { font-size: .9em; overflow-wrap: anywhere }
  input, select, button, textarea { font: inherit; color: inherit }
  input:not([type=checkbox]), select, textarea { width: 100%; padding: .45rem .6rem; border: 1px solid var(--line);
    border-radius: 8px; background: var(--raised) }
  button { padding: .4rem .7rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); cursor: pointer }
  button:hover { border-color: var(--dim) }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
  header { grid-column: 1/-1; display: flex; flex-wrap: wrap; gap: .1rem 1rem; align-items: baseline;
    padding: .6rem 1rem; border-bottom: 1px solid var(--line); color: var(--dim); font-size: .9em }
  header h1 { margin: 0; font-size: 1.1rem; color: var(--ink) } header h1 span { text-transform: capitalize }
  header nav { display: flex; gap: .8rem; margin-left: auto }
  #error { flex-basis: 100%; margin: 0; color: var(--bad) } #error:empty { display: none }
  aside { padding: .6rem; border-right: 1px solid var(--line); background: var(--side); overflow: auto }
  #chats button { display: block; width: 100%; margin: 0 0 2px; border-color: transparent; background: none; text-align: left;
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  #chats button:hover { background: var(--raised) }
  #chats button[aria-current=true] { background: var(--soft); font-weight: 600 }
  details { margin-top: .8rem } summary { padding: .3rem .7rem; color: var(--dim); cursor: pointer }
  details form { display: flex; gap: .4rem; margin: .4rem 0 0 } details button { flex: none }
  main { display: grid; grid-template-rows: auto minmax(0, 1fr) auto }
  #title { padding: .6rem 1rem; border-bottom: 1px solid var(--line) }
  #title h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere } #title p { margin: 0; color: var(--dim); font-size: .85em }
  #log { overflow: auto; padding: .5rem 0; overscroll-behavior: contain }
  .empty { padding: 2rem 1rem; color: var(--dim); text-align: center }
  .post { position: relative; padding: .35rem 1rem; overflow-wrap: anywhere }
  .post:hover, .post:focus-within { background: var(--side) }
  .post p { margin: 0; white-space: pre-wrap }
  .author { font-weight: 600; color: var(--ink) } .meta, .quote, .pings { color: var(--dim); font-size: .85em }
  .bot .author { color: var(--accent) }
  .quote { padding-left: .5rem; border-left: 3px solid var(--line); overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  .row { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .3rem }
  .reaction { padding: 0 .5rem; border: 1px solid var(--line); border-radius: 99px; font-size: .9em }
  .press { border-color: var(--accent); color: var(--accent) }
  .tools { position: absolute; top: .15rem; right: .8rem; display: flex; gap: .2rem; opacity: 0 }
  .tools button { padding: .1rem .5rem; font-size: .85em }
  .post:hover .tools, .tools:focus-within { opacity: 1 }
  #say { display: grid; grid-template-columns: 11rem minmax(0, 1fr) auto; gap: .5rem; align-items: center;
    padding: .6rem 1rem; padding-bottom: max(.6rem, env(safe-area-inset-bottom)); border-top: 1px solid var(--line) }
  #say label { grid-column: 2/-1; color: var(--dim); font-size: .9em }
  #say textarea { resize: none; height: 2.5rem; max-height: 9rem; field-sizing: content; min-height: 2.5rem }
  #say button[type=submit] { border-color: transparent; background: var(--accent); color: var(--on-accent); font-weight: 600 }
  #replying { grid-column: 1/-1; display: flex; gap: .5rem; align-items: center; color: var(--dim); font-size: .9em }
  #replying span { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  #say label { order: 1 }
  @media (max-width: 719px) {
    body { grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr) }
    header { padding: .5rem .8rem; font-size: .8em } #where { order: 1; flex-basis: 100% } #counts, #error { order: 2 }
    aside { padding: .4rem .8rem; border-right: 0; border-bottom: 1px solid var(--line) }
    #chats { display: flex; gap: .3rem; overflow-x: auto; scrollbar-width: none }
    #chats button { flex: none; width: auto; max-width: 60vw; margin: 0; border-color: var(--line); border-radius: 99px }
    details { margin-top: .2rem; font-size: .9em } summary { padding: .2rem 0 }
    #title { padding: .4rem .8rem } #title h2 { display: none }
    .post { padding: .35rem .8rem }
    #say { display: flex; flex-wrap: wrap; padding: .5rem .8rem } #replying { flex-basis: 100% }
    #say select { flex: 1 1 40% } #say label { order: 0; flex: none }
    #say textarea { flex: 1 1 60% } #say button[type=submit] { flex: none }
    /* Below 16 px a phone zooms in on whatever is written into. */
    input:not([type=checkbox]), select, textarea { font-size: 16px }
  }
  @media (hover: none) { .tools { position: static; opacity: 1; margin-top: .2rem } .tools button { padding: .2rem .7rem } }
`
