/** Writing in the console: names, input methods, edits, deletions, quotes, reactions, threads, files. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startBrowser, startDaemon, type Visit, visit } from './harness.js'

let daemon: Daemon
let browser: Browser
let rooms = 0

beforeAll(async () => {
  ;[daemon, browser] = await Promise.all([startDaemon(), startBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await daemon?.close()
})

/** A room of its own for each test. Somebody has spoken there, so that its agents are known. */
async function freshRoom(): Promise<Visit> {
  const id = `room${++rooms}`
  await daemon.say('Here we are', id, 'Bob')
  const found = await visit(browser, `${daemon.url}/#/r/local:${id}`)
  await found.message('Here we are').waitFor()
  return found
}

describe('completing names', () => {
  it('walks with the arrows, takes with Tab and Enter, and closes with Escape', async () => {
    const { page, box, message } = await freshRoom()
    await box.pressSequentially('Ask @')
    const options = page.getByRole('option')
    await options.first().waitFor()
    expect(await options.allTextContents()).toEqual([
      'GGolemagent',
      'LLibrarianagent',
      'TTurtleagent',
      'AAliceperson',
      'BBobperson',
      'everyoneall agents',
    ])
    await box.press('ArrowDown')
    await box.press('ArrowDown')
    await box.press('ArrowUp')
    expect(await page.getByRole('option', { selected: true }).textContent()).toContain('Librarian')
    expect(await box.getAttribute('aria-activedescendant')).toMatch(/-1$/)
    await box.press('Tab')
    expect(await box.inputValue()).toBe('Ask @Librarian ')
    await box.pressSequentially('and @BO')
    await box.press('Enter')
    expect(await box.inputValue()).toBe('Ask @Librarian and @Bob ')
    await box.pressSequentially('or @al')
    await options.first().waitFor()
    await box.press('Escape')
    await options.first().waitFor({ state: 'detached' })
    expect(await page.locator('.mention-mirror .mention').allTextContents()).toEqual(['@Librarian', '@Bob'])
    await box.press('Enter')
    await message('Ask @Librarian and @Bob or @al').waitFor()
    expect(await box.inputValue()).toBe('')
    await page.context().close()
  })

  it("leaves an input method's Enter to the input method", async () => {
    const { page, box, messages } = await freshRoom()
    const before = await messages.count()
    await box.pressSequentially('@')
    await page.getByRole('option').first().waitFor()
    const keyboard = await page.context().newCDPSession(page)
    await keyboard.send('Input.imeSetComposition', { text: 'go', selectionStart: 2, selectionEnd: 2 })
    await page.getByRole('option', { name: /Golem/ }).waitFor()
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 } as const
    await keyboard.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter })
    expect(await box.inputValue()).toBe('@go')
    await keyboard.send('Input.insertText', { text: 'go' })
    expect(await box.inputValue()).toBe('@go')
    await box.press('Enter')
    expect(await box.inputValue()).toBe('@Golem ')
    await keyboard.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    await keyboard.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
    expect(await box.inputValue()).toBe('@Golem にほん')
    expect(await messages.count()).toBe(before)
    await page.context().close()
  })

  it('breaks the line with Shift+Enter', async () => {
    const { page, box, message } = await freshRoom()
    await box.pressSequentially('one')
    await box.press('Shift+Enter')
    await box.pressSequentially('two')
    expect(await box.inputValue()).toBe('one\ntwo')
    await box.press('Enter')
    await message('one').waitFor()
    await page.context().close()
  })
})

describe('messages of one’s own', () => {
  it('are changed with the arrow up, and deleted after a question', async () => {
    const { page, box, message, say } = await freshRoom()
    await say('Helo world')
    await message('Helo world').waitFor()
    await page.locator('.message-going').waitFor({ state: 'detached' })
    await box.press('ArrowUp')
    await page.getByText('Editing your message').waitFor()
    await box.fill('Hello world')
    await box.press('Enter')
    const edited = message('Hello world')
    await edited.locator('.message-edited').waitFor()

    await edited.hover()
    await edited.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('This message was deleted.').waitFor()
    expect(await page.getByText('Hello world').count()).toBe(0)
    await page.context().close()
  })

  it('may not be changed by others', async () => {
    const { page, message } = await freshRoom()
    const bobs = message('Here we are')
    await bobs.hover()
    await bobs.getByRole('button', { name: 'Open the receipt' }).waitFor()
    expect(await bobs.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    expect(await bobs.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.context().close()
  })

  it('are said by whoever is chosen', async () => {
    const { page, message, say } = await freshRoom()
    await page.getByRole('button', { name: /Speaking as Alice/ }).click()
    await page.getByLabel('Name of somebody new').fill('Chloé')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('button', { name: /Speaking as Chloé/ }).waitFor()
    await say('Bonjour')
    expect(await message('Bonjour').locator('.message-name').textContent()).toBe('Chloé')
    await page.getByRole('button', { name: /Speaking as Chloé/ }).click()
    await page.getByRole('menuitem', { name: 'Bob' }).click()
    await say('Hi')
    expect(await message('Hi').locator('.message-name').textContent()).toBe('Bob')
    await page.context().close()
  })
})

describe('messages of anybody', () => {
  it('are quoted, reacted to, and found again from the quote', async () => {
    const { page, message, say } = await freshRoom()
    const first = message('Here we are')
    await first.hover()
    await first.getByRole('button', { name: 'React', exact: true }).click()
    await first.getByRole('button', { name: 'React with 🎉' }).click()
    const reaction = first.getByRole('button', { name: '🎉 by Alice' })
    await reaction.waitFor()
    expect(await reaction.getAttribute('aria-pressed')).toBe('true')
    await reaction.click()
    await reaction.waitFor({ state: 'detached' })

    await first.hover()
    await first.getByRole('button', { name: 'Reply with a quote' }).click()
    await page.getByText('Replying to Bob').waitFor()
    await say('So we are')
    const reply = message('So we are')
    expect(await reply.locator('.quote').textContent()).toContain('BobHere we are')
    await reply.locator('.quote').click()
    await page.locator('.message[data-flash]', { hasText: 'Here we are' }).first().waitFor()
    await page.context().close()
  })

  it('are answered in a thread, where the agent answers too', async () => {
    const { page, message, box, say } = await freshRoom()
    const root = message('Here we are')
    await root.hover()
    await root.getByRole('button', { name: 'Answer in a thread' }).click()
    await page.getByRole('heading', { name: 'Thread' }).waitFor()
    expect(page.url()).toMatch(/\/t\/\d+$/)
    await box.waitFor()
    await say('@Golem what can you do?')
    await page.locator('.message[data-golem]:not([data-silent])').first().waitFor()
    await page.getByRole('button', { name: 'Back to the room' }).click()
    await page.getByRole('button', { name: /2 replies/ }).waitFor()
    expect(await page.locator('.message[data-golem]').count()).toBe(0)
    await page.goBack()
    await page.getByRole('heading', { name: 'Thread' }).waitFor()
    await page.context().close()
  })

  it('carry files, which come back as they went', async () => {
    const { page, message, say } = await freshRoom()
    const buffer = Buffer.from('day,ms\n1,250\n')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'p95 Übersicht.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Remove p95 Übersicht.csv' }).waitFor()
    await say('Numbers')
    const file = message('Numbers').locator('a.file')
    await file.waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), file.click()])
    expect(download.suggestedFilename()).toBe('p95 Übersicht.csv')
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks)).toEqual(buffer)
    await page.context().close()
  })

  it('may be sent while a file is still on its way, and follow it; what fails is tried again whole', async () => {
    const { page, message, say } = await freshRoom()
    const uploads: ((how: 'fails' | 'goes on') => void)[] = []
    await page.route(/\/files\?/, async (route) => {
      const how = await new Promise<'fails' | 'goes on'>((resolve) => uploads.push(resolve))
      await (how === 'fails' ? route.abort() : route.continue())
    })
    const buffer = Buffer.from('later')
    await page.locator('input[type=file]').setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer })
    await say('Numbers')
    await say('And more')
    const going = page.locator('.message-going').filter({ hasText: 'Numbers' })
    await going.getByText('sending…').waitFor()
    await expect.poll(() => uploads.length).toBe(1)
    uploads[0]?.('fails')
    await going.getByText('late.txt was not uploaded').waitFor()
    await message('And more').waitFor()
    await going.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => uploads.length).toBe(2)
    uploads[1]?.('goes on')
    await message('Numbers').locator('a.file').waitFor()
    expect(await page.locator('.message-going').count()).toBe(0)
    await page.context().close()
  })

  it('never run what somebody wrote into them', async () => {
    const { page, message, say, complaints } = await freshRoom()
    await say(
      '<img src=x onerror="window.hacked=1"> <b>bold</b> [x](javascript:window.hacked=1) ![p](https://e.example/p.png)',
    )
    const row = message('<b>bold</b>')
    await row.waitFor()
    await row.getByRole('link', { name: 'p', exact: true }).waitFor()
    expect(await row.locator('img, b, a[href^="javascript"]').count()).toBe(0)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
