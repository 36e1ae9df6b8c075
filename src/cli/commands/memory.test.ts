import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../store/error.js'
import { folder, golem, world } from '../harness.fixture.js'
import { run } from '../run.js'

const FILE = 'memory/groups/local-lobby.md'

/** Runs one line in a folder, with an editor that does this to the file. */
async function edit(cwd: string, change: (text: string) => string, code = 0) {
  const here = world({
    cwd,
    env: { EDITOR: 'ed --wait' },
    edit: async (editor, file) => {
      expect(editor).toBe('ed --wait')
      writeFileSync(file, change(readFileSync(file, 'utf8')))
      return code
    },
  })
  const ended = await run(['memory', 'edit', 'local:lobby', '--json'], here)
  return { code: ended, out: here.stdout.text, err: here.stderr.text }
}

describe('golem memory', () => {
  it('edits a copy and merges it back, beside what others wrote meanwhile', async () => {
    const cwd = folder()
    const first = await edit(cwd, (text) => text.replace('## Members\n', '## Members\n- Ann\n'))
    expect(JSON.parse(first.out)).toMatchObject({ key: 'local:lobby', changed: true })
    const second = await edit(cwd, (text) => {
      writeFileSync(join(cwd, FILE), text.replace('- Ann\n', '- Ann\n- Bob\n'))
      return text.replace('## Decisions\n', '## Decisions\n- tea\n')
    })
    expect(second.code).toBe(0)
    const text = readFileSync(join(cwd, FILE), 'utf8')
    expect(text).toContain('- Ann\n- Bob\n')
    expect(text).toContain('- tea\n')
  })

  it('an editor that fails changes nothing, and neither does a look', async () => {
    const cwd = folder()
    const failed = await edit(cwd, (text) => `${text}- x\n`, 3)
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining('ended with 3')])
    expect((await golem('memory show local:lobby', { cwd })).code).toBe(0)
    expect(existsSync(join(cwd, FILE))).toBe(false)
    const without = await golem('memory edit local:lobby', { cwd })
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('EDITOR')])
  })

  it('shows the file and the facts, for people and for programs', async () => {
    const cwd = folder('memoryDir: notes\n')
    const { out } = await golem('memory show local:lobby', { cwd })
    expect(out).toContain('notes/groups/local-lobby.md (there is no file yet)')
    expect(out).toContain('- The demo is on Friday (chat; Ann, 2026-03-01)')
    const { out: json } = await golem('memory show local:lobby --json', { cwd })
    expect(JSON.parse(json)).toMatchObject({ key: 'local:lobby', exists: false, facts: [{ by: 'Ann' }] })
  })

  it('works where Golem has never run, and says what is no chat', async () => {
    const missing = async () => () => {
      throw new StoreError('missing', 'none')
    }
    expect((await golem('memory show local:lobby', { loadReader: missing })).code).toBe(0)
    const wrong = await golem('memory show lobby')
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('is no chat')])
  })
})
