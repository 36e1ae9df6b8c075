/** The page itself: a line that breaks, small screens, the dark, the keyboard alone, the token. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, PATIENCE, startBrowser, startDaemon, visit, Wire } from './harness.js'

let daemon: Daemon
let browser: Browser

beforeAll(async () => {
  ;[daemon, browser] = await Promise.all([startDaemon(), startBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await daemon?.close()
})

/** Texts of the messages, in order. */
const texts = (page: Page): Promise<string[]> => page.locator('.message[data-id] .prose').allTextContents()

describe('a line that breaks', () => {
  it('is said, and what was missed comes once and in order', async () => {
    const wire = await Wire.to(daemon.url)
    const { page, message, say } = await visit(browser, `${wire.url}/#/r/local:broken`)
    await daemon.say('before', 'broken')
    await message('before').waitFor()
    wire.cut()
    await page.getByText('Connection lost.').waitFor()
    for (const text of ['one', 'two', 'three']) await daemon.say(text, 'broken')
    await say('from here')
    await page.locator('.not-sent').waitFor()
    expect(await texts(page)).toEqual(['before'])
    wire.mend()
    await page.getByRole('button', { name: 'Try now' }).click()
    await message('three').waitFor()
    await page.getByText('Connection lost.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Try again' }).click()
    await message('from here').waitFor()
    await page.locator('.message-going').waitFor({ state: 'detached' })
    expect(await texts(page)).toEqual(['before', 'one', 'two', 'three', 'from here'])
    await page.context().close()
    await wire.close()
  })

  it('outlives a restart of the daemon', { timeout: 60_000 }, async () => {
    const { page, message, say } = await visit(browser, `${daemon.url}/#/r/local:lobby`)
    await say('before the restart')
    await message('before the restart').waitFor()
    await daemon.restart()
    await daemon.say('after the restart')
    await message('after the restart').waitFor()
    expect(await texts(page)).toEqual(['before the restart', 'after the restart'])
    await page.context().close()
  })
})

describe('reading', () => {
  it('stays where the reader is, says what is new, and loads what is old', async () => {
    for (let n = 1; n <= 130; n++) await daemon.say(`line ${n}`, 'long')
    const { page, message } = await visit(browser, `${daemon.url}/#/r/local:long`)
    await message('line 130').waitFor()
    const scroller = page.locator('.scroller')
    await scroller.hover()
    await page.mouse.wheel(0, -600)
    await page.getByRole('button', { name: 'To the newest' }).waitFor()
    await daemon.say('line 131', 'long')
    await page.getByRole('button', { name: '1 new message' }).click()
    await expect.poll(async () => (await message('line 131').boundingBox())?.y).toBeLessThan(800)
    await page.getByRole('button', { name: '1 new message' }).waitFor({ state: 'detached' })

    const older = page.getByRole('button', { name: 'Older messages' })
    await older.click()
    // Scrolling up asks for them as well: what the click had not brought comes by that.
    await expect
      .poll(async () => {
        await scroller.evaluate((list) => list.scrollTo({ top: list.scrollTop > 0 ? 0 : 1 }))
        return page.locator('.message[data-id]').count()
      })
      .toBe(131)
    await older.waitFor({ state: 'detached' })
    const all = await texts(page)
    expect(all).toEqual(Array.from({ length: 131 }, (_, n) => `line ${n + 1}`))
    await page.context().close()
  })

  it('goes to the end with what the reader says', async () => {
    for (let n = 1; n <= 40; n++) await daemon.say(`line ${n}`, 'mine')
    const { page, message, say } = await visit(browser, `${daemon.url}/#/r/local:mine`)
    await message('line 40').waitFor()
    await page.locator('.scroller').hover()
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: 'To the newest' }).waitFor()
    await say('here I am')
    await message('here I am').waitFor()
    await page.getByRole('button', { name: /To the newest|new message/ }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('shows in the list what is unread elsewhere, and announces what is new here', async () => {
    const { page } = await visit(browser, `${daemon.url}/#/r/local:lobby`)
    const release = page.getByRole('link', { name: /Release/ })
    await release.waitFor()
    await daemon.say('News for you', 'release')
    await release.getByText('unread').waitFor({ state: 'attached' })
    await expect.poll(() => page.title()).toMatch(/^\(1\) /)
    await release.click()
    await release.getByText('unread').waitFor({ state: 'detached' })
    await daemon.say('And more', 'release')
    await page.getByTestId('announcer').filter({ hasText: 'Bob: And more' }).waitFor({ state: 'attached' })
    await page.context().close()
  })
})

describe('a screen 375 px wide', () => {
  it('shows a page at a time, and none is wider than the screen', async () => {
    await daemon.say(
      `\`\`\`\n${'long '.repeat(60)}\n\`\`\`\n\n| a | b |\n|--|--|\n| ${'x'.repeat(80)} | y |\n\n${'w'.repeat(300)}`,
      'narrow',
    )
    await daemon.say('@Golem what can you do?', 'narrow')
    const phone = { viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true }
    const { page, message } = await visit(browser, `${daemon.url}/#/r/local:narrow`, phone)
    const width = () => page.evaluate('document.documentElement.scrollWidth')
    await page.locator('.message[data-golem]').first().waitFor()
    expect(await width()).toBe(375)
    await message('what can you do?').tap()
    await page.locator('.verdict').waitFor()
    expect(await width()).toBe(375)
    for (const summary of await page.locator('.step-body > .gates summary').all()) await summary.tap()
    expect(await width()).toBe(375)
    await page.getByRole('button', { name: 'Back to the conversation' }).tap()
    await message('what can you do?').waitFor()
    await page.getByRole('button', { name: 'All rooms' }).tap()
    await page.getByRole('link', { name: /Lobby/ }).waitFor()
    expect(await width()).toBe(375)
    // No keys to press here.
    expect(await page.getByRole('button', { name: 'Find a room' }).innerText()).toBe('Find a room')
    await page.getByRole('link', { name: /Lobby/ }).tap()
    await page.getByRole('combobox', { name: 'Message Lobby' }).waitFor()
    await page.context().close()
  })
})

describe('light and dark', () => {
  const ground = (page: Page) =>
    page.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor')

  it('follow the system, until somebody chooses', async () => {
    const { page } = await visit(browser, daemon.url, { colorScheme: 'dark' })
    await page.locator('main').waitFor()
    expect(await ground(page)).toBe('rgb(27, 28, 31)')
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => ground(page)).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: /^Colours/ }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await expect.poll(() => ground(page)).toBe('rgb(27, 28, 31)')
    await page.reload()
    await page.locator('main').waitFor()
    expect(await ground(page)).toBe('rgb(27, 28, 31)')
    await page.context().close()
  })
})

describe('the keyboard alone', () => {
  it('goes to a room, asks, walks the messages, reads a receipt and comes back', async () => {
    const { page, box, messages } = await visit(browser, `${daemon.url}/#/r/local:lobby`)
    const { keyboard } = page
    await box.waitFor()
    await keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Name of a room' }).waitFor()
    await keyboard.type('relea')
    await keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Message Release' }).waitFor()
    await keyboard.type('@gol')
    await page.getByRole('option', { name: /Golem/ }).waitFor()
    await keyboard.press('Enter')
    await keyboard.type('what can you do?')
    await keyboard.press('Enter')
    await page.locator('.message[data-golem]:not([data-silent])').first().waitFor()

    await keyboard.press('Shift+Tab')
    await page.locator('.message:focus-within').waitFor()
    await keyboard.press('End')
    await page.locator('.message:focus').waitFor()
    await keyboard.press('ArrowUp')
    expect(await page.locator('.message:focus').textContent()).toContain('what can you do?')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Receipt' }).waitFor()
    await page.locator('h1:focus', { hasText: 'Receipt' }).waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await page.locator('.gate summary:focus').waitFor()
    await keyboard.press('Enter')
    await page.locator('.gate details[open]').waitFor()
    await keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Receipt' }).waitFor({ state: 'detached' })
    await page.locator('.message:focus').waitFor()
    await keyboard.press('r')
    await page.getByText('Replying to Alice').waitFor()
    await page.locator('textarea:focus').waitFor()
    expect(await messages.count()).toBeGreaterThan(1)
    await page.context().close()
  })
})

describe('a daemon with a token', () => {
  it('asks for it, says so when it is wrong, and remembers it', async () => {
    const guarded = await startDaemon('\ngateway: { token: open-sesame-0815 }\n')
    try {
      const { page, complaints } = await visit(browser, guarded.url)
      const token = page.getByLabel(/^Token/)
      await token.fill('guess')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByText('That is not the token').waitFor()
      await token.fill('open-sesame-0815')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('combobox', { name: 'Message Lobby' }).waitFor({ timeout: PATIENCE })
      await page.reload()
      await page.getByRole('combobox', { name: 'Message Lobby' }).waitFor()
      expect(complaints).toEqual([])
      await page.context().close()
    } finally {
      await guarded.close()
    }
  })
})
