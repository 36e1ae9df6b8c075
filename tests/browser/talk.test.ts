/** The main job in the console: a question, its answer as a quote reply, and the receipt of both. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, PATIENCE, startBrowser, startDaemon, visit } from './harness.js'

let daemon: Daemon
let browser: Browser

beforeAll(async () => {
  ;[daemon, browser] = await Promise.all([startDaemon(), startBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await daemon?.close()
})

describe('a newcomer', () => {
  it('is told what to type, asks, is answered with a quote, and reads why', async () => {
    const { page, box, message, messages, complaints } = await visit(browser, daemon.url)
    await page.getByRole('button', { name: '@Golem what can you do?' }).click()
    expect(await box.inputValue()).toBe('@Golem what can you do?')
    await box.press('Enter')

    const question = message('what can you do?')
    await question.waitFor()
    const answer = page.locator('.message[data-golem]:not([data-silent])').first()
    await answer.waitFor()
    expect(await answer.locator('.quote').textContent()).toContain('@Golem what can you do?')
    expect(await answer.locator('.message-name').textContent()).toBe('Golem')
    await question.getByRole('button', { name: /✅ Answered/ }).waitFor()

    await question.locator('.prose').click()
    const receipt = page.getByRole('complementary', { name: 'Receipt' })
    await receipt.getByText('Answered', { exact: true }).waitFor()
    expect(page.url()).toMatch(/#\/r\/local:lobby\/m\/\d+$/)
    expect(await receipt.locator('.verdict-summary').textContent()).toMatch(/Golem/)
    const gates = receipt.locator('.step .gates').first().locator('.gate')
    expect(await gates.count()).toBeGreaterThan(4)
    const addressed = gates.filter({ hasText: 'Said to Golem?' })
    await addressed.locator('summary').click()
    expect(await addressed.locator('.saw').textContent()).toMatch(/addressed: pass/)
    expect(await receipt.locator('.phase-legend').first().textContent()).toMatch(/Waited.*Thought/s)
    expect(await receipt.locator('.fact').first().textContent()).toMatch(/Was shown .*engine offline/s)
    await receipt.locator('.operation', { hasText: 'Answer' }).first().locator('summary').click()

    // The quote leads back to the question; the answer's own receipt leads there too.
    await answer.locator('.prose').click()
    await receipt.getByText('Said by Golem').first().waitFor()
    await receipt.getByRole('link', { name: 'this message' }).click()
    await receipt.getByText('Answered', { exact: true }).waitFor()
    expect(await messages.count()).toBe(2)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('reads why nobody answered', async () => {
    const { page, message, say } = await visit(browser, `${daemon.url}/#/r/release`)
    await say('Nobody is named here')
    await message('Nobody is named here').locator('.prose').click()
    const receipt = page.getByRole('complementary', { name: 'Receipt' })
    await receipt.getByText('Kept as context', { exact: true }).waitFor()
    expect(await receipt.locator('.gate.tone-bad').count()).toBe(1)
    await page.keyboard.press('Escape')
    await receipt.waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('opens a receipt by its address, with its message in sight', async () => {
    const id = await daemon.say('Look at this one')
    for (let n = 0; n < 70; n++) await daemon.say(`later ${n}`)
    const { page } = await visit(browser, `${daemon.url}/#/r/local:lobby/m/${id}`)
    await page.getByRole('complementary', { name: 'Receipt' }).getByText('Look at this one').waitFor()
    const row = page.locator(`.message[data-id="${id}"]`)
    await row.waitFor()
    await expect.poll(async () => (await row.boundingBox())?.y ?? 0).toBeGreaterThan(50)
    expect((await row.boundingBox())?.y).toBeLessThan(700)
    await page.context().close()
  })

  it('copies the command that tells the same in a terminal', async () => {
    const id = await daemon.say('For the terminal')
    const { page } = await visit(browser, `${daemon.url}/#/r/local:lobby/m/${id}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy the golem why command' }).click()
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(`golem why local:lobby:${id}`)
    await page.context().close()
  })
})

describe('a turn that takes long', () => {
  it('is seen at work in the receipt, and stopped with the button', { timeout: 60_000 }, async () => {
    const { page, message, say } = await visit(browser, `${daemon.url}/#/r/release`)
    await say('@Turtle take your time')
    const question = message('take your time')
    await question.getByRole('button', { name: /👀 Seen/ }).click()
    const receipt = page.getByRole('complementary', { name: 'Receipt' })
    await receipt.locator('.verdict-pill', { hasText: 'Working' }).waitFor()
    await page.locator('.activity', { hasText: 'Turtle is working' }).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click({ timeout: PATIENCE })
    await question.getByRole('button', { name: /⏹️ Stopped/ }).waitFor()
    await receipt.locator('.verdict-pill', { hasText: 'Stopped' }).waitFor()
    await page.context().close()
  })

  it('and ends with the daemon is called the same by its mark and its receipt', {
    timeout: 60_000,
  }, async () => {
    const { page, message, say } = await visit(browser, `${daemon.url}/#/r/ending`)
    await say('@Turtle take your time')
    const question = message('take your time')
    await question.getByRole('button', { name: /👀 Seen/ }).waitFor()
    await page.locator('.activity', { hasText: 'Turtle is working' }).waitFor()
    await daemon.restart()
    await question.getByRole('button', { name: /❌ Interrupted/ }).click({ timeout: PATIENCE })
    const receipt = page.getByRole('complementary', { name: 'Receipt' })
    await receipt.locator('.verdict-pill', { hasText: 'Interrupted' }).waitFor()
    expect(await question.getByRole('button', { name: /❌/ }).innerText()).toBe('Interrupted')
    await page.context().close()
  })
})
