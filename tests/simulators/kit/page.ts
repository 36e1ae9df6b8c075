/** The page at `/_sim/`: the chats as a person sees them, and a form to say something. No build, no dependency. */
import { SCRIPT } from './page-script.js'
import { STYLE } from './page-style.js'

export const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A platform in a box</title><link rel="icon" href="data:,">
<style>${STYLE}</style>
<header>
  <h1><span id="platform"></span> in a box</h1>
  <span id="where"><b id="bot"></b> connects at <code id="url"></code></span>
  <span id="counts"></span>
  <nav><a href="/_sim/calls?last=50">calls</a> <a href="/_sim/faults">faults</a> <a href="/_sim/recording">recording</a></nav>
  <p id="error" role="alert"></p>
</header>
<aside aria-label="Chats">
  <div id="chats"></div>
  <details><summary>New person or group</summary>
    <form id="newPerson"><input name="name" placeholder="Name of a person" aria-label="Name of a person" required><button>Add</button></form>
    <form id="newChat"><input name="title" placeholder="Name of a group" aria-label="Name of a group" title="Everyone is in it" required><button>Make</button></form>
  </details>
</aside>
<main>
  <div id="title"><h2></h2><p></p></div>
  <div id="log" aria-live="polite" tabindex="0" aria-label="Messages"></div>
  <form id="say">
    <div id="replying" hidden><span></span><button type="button" aria-label="Do not reply">✕</button></div>
    <select name="person" aria-label="Who speaks"></select>
    <label><input type="checkbox" name="mention"> mention the bot</label>
    <textarea name="text" rows="1" placeholder="Say something" aria-label="Message" required></textarea>
    <button type="submit">Say</button>
  </form>
</main>
<script>${SCRIPT}</script></html>
`
