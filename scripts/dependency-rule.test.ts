import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import { describe, expect, test } from 'vitest'
import config from '../.dependency-cruiser.mjs'

/** Applies the project's rule to a small tree and returns `rule: from -> to` of every violation. */
async function violations(files: Record<string, string>): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'golem-rule-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), content)
    }
    const rooms = [...new Set(Object.keys(files).map((name) => name.split('/')[0] ?? name))].filter(
      (name) => name !== 'package.json' && name !== 'node_modules',
    )
    const options: ICruiseOptions = {
      ...config.options,
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: config.forbidden ?? [] },
    }
    const { output } = await cruise(rooms, options)
    const { summary } = output as ICruiseResult
    return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).sort()
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const leaf = 'export interface Leaf { readonly id: string }\nexport const leaf = 1\n'

describe('the dependency rule', () => {
  test('accepts imports that point inwards', async () => {
    const found = await violations({
      'src/messaging/contract.ts': leaf,
      'src/messaging/text/index.ts': leaf,
      'src/memory/index.ts': "export { leaf } from '../messaging/contract.js'\n",
      'src/agents/index.ts': "export { leaf } from '../memory/index.js'\n",
      'src/store/queries.ts':
        "import type { Leaf } from '../messaging/contract.js'\nexport type Row = Leaf\n",
      'src/server/index.ts': "import type { Row } from '../store/queries.js'\nexport type Answer = Row\n",
      'src/gateway.ts':
        "import '../adapters/slack/index.js'\nimport './agents/index.js'\nimport './server/index.js'\nexport const gateway = 1\n",
      'src/cli/main.ts': "import '../gateway.js'\n",
      'adapters/slack/index.ts':
        "import '@slack/socket-mode'\nexport { leaf } from '../../src/messaging/contract.js'\n",
      'web/src/main.tsx':
        "import { leaf } from '../../src/messaging/text/index.js'\nexport const page = leaf\n",
      'src/store/queries.test.ts': "import '../../tests/journeys/daemon.js'\n",
      'tests/journeys/daemon.ts': "import 'grammy'\nimport '../../src/gateway.js'\n",
      'src/cli/simulators.ts': "import '../../tests/simulators/slack/index.js'\n",
      'tests/simulators/slack/index.ts': leaf,
    })
    // The SDK is not installed in this small tree; in the real one an import that leads nowhere is a mistake.
    expect(found).toEqual(['not-to-unresolvable: adapters/slack/index.ts -> @slack/socket-mode'])
  })

  /** [the sentence that must bite, the importing file, what it imports] */
  const bites: [string, string, string][] = [
    ['adapter-sees-the-contract-only', 'adapters/slack/read.ts', '../../src/messaging/decide.js'],
    ['adapter-knows-no-other-adapter', 'adapters/slack/read.ts', '../discord/index.js'],
    ['room-messaging', 'src/messaging/threads.ts', '../store/index.js'],
    ['room-memory', 'src/memory/files.ts', '../agents/index.js'],
    ['room-store', 'src/store/sqlite.ts', '../memory/index.js'],
    ['room-config', 'src/config/schema.ts', '../store/index.js'],
    ['room-agents', 'src/agents/runner.ts', '../store/index.js'],
    ['room-server', 'src/server/api.ts', '../agents/index.js'],
    ['adapters-enter-at-the-top', 'src/server/api.ts', '../../adapters/slack/index.js'],
    ['top-is-not-imported', 'src/server/api.ts', '../gateway.js'],
    ['top-is-not-imported', 'src/config/load.ts', '../cli/main.js'],
    ['web-shares-text-only', 'web/src/main.ts', '../../src/messaging/contract.js'],
    ['nothing-imports-the-console', 'src/server/page.ts', '../../web/src/app.js'],
    ['product-imports-no-test', 'src/messaging/threads.ts', '../../tests/fixtures.js'],
    ['product-imports-no-test', 'adapters/slack/read.ts', '../../bench/index.js'],
    ['product-imports-no-test', 'src/messaging/threads.ts', './decide.test.js'],
    ['product-imports-no-test', 'src/cli/run.ts', '../../tests/simulators/slack.js'],
    ['simulators-stand-alone', 'tests/simulators/slack.ts', '../../src/messaging/contract.js'],
  ]
  // One tree holds all of them: a cruise costs most of a second, whatever its size.
  const both = ['import type { Leaf }', 'import { leaf }'] as const
  test.each(both)('%s: each of its sentences bites', async (how) => {
    const files: Record<string, string> = {}
    const expected: string[] = []
    for (const [index, [rule, from, to]] of bites.entries()) {
      const file = from.replace(/\.ts$/, `-${index}.ts`)
      const target = join(dirname(from), to).replace(/\.js$/, '.ts')
      files[target] ??= leaf
      files[file] =
        `${how} from '${to}'\nexport type { Leaf } from '${to}'\nexport const copy = typeof (0 as unknown)\n`
      expected.push(`${rule}: ${file} -> ${target}`)
    }
    expect(await violations(files)).toEqual(expect.arrayContaining(expected))
  })

  test('finds vendor SDKs outside adapters, whichever way they are imported', async () => {
    const found = await violations({
      'src/gateway.ts': "import { Bot } from 'grammy'\nexport const bot = new Bot('')\n",
      'src/cli/doctor.ts': "export const load = async () => await import('@slack/web-api')\n",
      'src/server/hook.ts': "import type { Client } from 'discord.js'\nexport type C = Client\n",
      'src/config/feishu.ts': "export type { Client } from '@larksuiteoapi/node-sdk'\n",
      'scripts/probe.ts': "import '@discordjs/rest'\n",
    })
    expect(found.filter((line) => line.startsWith('vendor-sdk'))).toEqual([
      'vendor-sdk-in-adapters-only: scripts/probe.ts -> @discordjs/rest',
      'vendor-sdk-in-adapters-only: src/cli/doctor.ts -> @slack/web-api',
      'vendor-sdk-in-adapters-only: src/config/feishu.ts -> @larksuiteoapi/node-sdk',
      'vendor-sdk-in-adapters-only: src/gateway.ts -> grammy',
      'vendor-sdk-in-adapters-only: src/server/hook.ts -> discord.js',
    ])
  })

  test('lets the command line start simulators, and nothing else of the tests', async () => {
    const found = await violations({
      'src/cli/simulators.ts':
        "import '../../tests/simulators/slack/index.js'\nimport '../../tests/journeys/daemon.js'\n",
      'tests/simulators/slack/index.ts': leaf,
      'tests/journeys/daemon.ts': leaf,
    })
    expect(found).toEqual(['cli-simulates-only: src/cli/simulators.ts -> tests/journeys/daemon.ts'])
  })

  test('finds circles, of types as well', async () => {
    const found = await violations({
      'src/messaging/a.ts': "import { b } from './b.js'\nexport interface A { b: typeof b }\n",
      'src/messaging/b.ts': "import type { A } from './a.js'\nexport const b = (a: A) => a\n",
    })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^no-circular: /)
  })

  test("keeps Node's own modules out of what the console bundles", async () => {
    const found = await violations({ 'src/messaging/text/fold.ts': "import 'node:fs'\n" })
    expect(found).toEqual(['text-rules-run-in-a-browser: src/messaging/text/fold.ts -> fs'])
  })

  test('finds packages that an install without dev packages would miss; types are free', async () => {
    const found = await violations({
      'package.json': '{"dependencies":{"runtime":"1"},"devDependencies":{"tool":"1"}}',
      'node_modules/runtime/package.json': '{"name":"runtime","version":"1.0.0","main":"index.js"}',
      'node_modules/runtime/index.js': 'module.exports = 1',
      'node_modules/tool/package.json': '{"name":"tool","version":"1.0.0","main":"index.js"}',
      'node_modules/tool/index.js': 'module.exports = 1',
      'src/messaging/a.ts': "import 'runtime'\nimport 'tool'\n",
      'src/messaging/b.ts': "import type { Tool } from 'tool'\nexport type T = Tool\n",
      'src/messaging/a.test.ts': "import 'tool'\n",
    })
    expect(found).toEqual(['no-dev-package-in-the-product: src/messaging/a.ts -> node_modules/tool/index.js'])
  })
})
