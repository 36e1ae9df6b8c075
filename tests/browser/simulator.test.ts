/** The page of a simulator: as wide as the screen, in light and dark, with names for whoever has one. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SlackSimulator, startSlack } from '../simulators/slack/index.js'
import { PATIENCE, startBrowser } from './harness.js'

const PHONE = { viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true }

let browser: Browser
let sim: SlackSimulator
let chat: string

beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser?.close())
beforeEach(async () => {
  sim = await startSlack({})
  const people = ['Ann', 'Bob', 'Catherine Louise Featherstonehaugh'].map((name) => sim.person(name))
  chat = sim.group('a-room-with-a-rather-long-name', people)
  for (const person of people) sim.dm(person)
})
afterEach(() => sim.close())

async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${sim.url}/_sim/`)
  await page.getByRole('button', { name: 'a-room-with-a-rather-long-name' }).waitFor()
  return { page, complaints }
}

const person = (name: string) => {
  const found = sim.people().find((one) => one.name === name)
  if (found === undefined) throw new Error(`nobody is called ${name}`)
  return found
}

/** A post of the bot, as the bot makes it. */
async function post(text: string): Promise<void> {
  const { botToken } = sim.settings('socket')
  const answer = await fetch(`${sim.url}/api/chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${String(botToken)}` },
    body: JSON.stringify({ channel: chat, text }),
  })
  expect(await answer.json()).toMatchObject({ ok: true })
}

describe('a screen 375 px wide', () => {
  it('has room for the messages, and nothing stands beyond its edge', async () => {
    const first = sim.say(chat, person('Ann'), `${'w'.repeat(300)}\nhttps://example.com/${'p'.repeat(200)}`)
    sim.react(chat, first, person('Bob'), '👍')
    sim.say(chat, person('Bob'), 'short', { mention: true, replyTo: first })
    const { page, complaints } = await open(PHONE)
    await page.getByText('short').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    const beyond = await page.evaluate(`[...document.querySelectorAll('main *, header *')].filter((one) => {
      const { right, width } = one.getBoundingClientRect()
      return width > 0 && right > 375
    }).map((one) => one.outerHTML.slice(0, 200))`)
    expect(beyond).toEqual([])
    const log = await page.locator('#log').boundingBox()
    expect(log?.width).toBeGreaterThan(360)
    expect(log?.height).toBeGreaterThan(300)
    await page.getByLabel('Who speaks').selectOption('Bob')
    await page.getByRole('textbox', { name: 'Message' }).fill('from a phone')
    await page.getByRole('button', { name: 'Say' }).tap()
    await page.locator('#log').getByText('from a phone').waitFor()
    expect(sim.seen(chat).at(-1)).toMatchObject({ text: 'from a phone', author: { name: 'Bob' } })
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('names', () => {
  it('say who was pinged, who was quoted, and to whom alone something is shown', async () => {
    const question = sim.say(chat, person('Ann'), 'who is there?', { mention: true })
    sim.say(chat, person('Bob'), 'me', { replyTo: question })
    await post(`<@${person('Bob').id}> and <@${person('Ann').id}> look`)
    const { page } = await open()
    const line = (text: string) => page.locator('.post', { has: page.getByText(text, { exact: true }) })
    await line('@Bob and @Ann look').waitFor()
    expect(await line('@Bob and @Ann look').locator('.pings').innerText()).toBe('🔔 Bob, Ann')
    expect(await line('@Golem who is there?').locator('.pings').innerText()).toBe('🔔 Golem')
    expect(await line('me').locator('.quote').innerText()).toBe('↩ Ann: @Golem who is there?')
    await page.context().close()
  })
})

describe('saying something', () => {
  it('answers a message, and can be talked out of it', async () => {
    sim.say(chat, person('Ann'), 'first')
    const { page } = await open()
    await page.getByRole('button', { name: 'Reply to Ann: first' }).click()
    await page.getByText('Replying to Ann: first').waitFor()
    await page.getByRole('button', { name: 'Do not reply' }).click()
    await page.getByText('Replying to Ann: first').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Reply to Ann: first' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('second')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.getByText('second', { exact: true }).waitFor()
    expect(sim.seen(chat).at(-1)).toMatchObject({ text: 'second', thread: sim.seen(chat)[0]?.id })
    await page.context().close()
  })

  it('tells what the platform refuses, and keeps the words', async () => {
    const { page } = await open()
    await page.route('**/messages', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 400, json: { error: { code: 'refused', message: 'Not today' } } })
        : route.continue(),
    )
    await page.getByRole('textbox', { name: 'Message' }).fill('hello')
    await page.getByRole('button', { name: 'Say' }).click()
    await page.getByRole('alert').filter({ hasText: 'Not today' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('hello')
    await page.context().close()
  })

  it('makes people and groups', async () => {
    const { page } = await open()
    await page.getByText('New person or group').click()
    await page.getByPlaceholder('Name of a person').fill('Dora')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByPlaceholder('Name of a group').fill('four')
    await page.getByRole('button', { name: 'Make' }).click()
    await page.getByRole('heading', { name: 'four' }).waitFor()
    expect(
      sim
        .chats()
        .at(-1)
        ?.members.map(({ name }) => name),
    ).toContain('Dora')
    await page.context().close()
  })
})

it.each(['light', 'dark'] as const)('%s: text stands out from its ground', async (colorScheme) => {
  sim.say(chat, person('Ann'), 'read me')
  const { page } = await open({ colorScheme })
  await page.getByText('read me').waitFor()
  const [ground, ink] = (await page.evaluate(`['backgroundColor', 'color'].map((name) =>
    getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0))`)) as [
    number,
    number,
  ]
  expect(colorScheme === 'light' ? ground - ink : ink - ground).toBeGreaterThan(450)
  await page.context().close()
})
