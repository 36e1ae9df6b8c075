/** A real coding agent, in front of a scripted model on this machine, through the real engine. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AcpPackage, installedBin } from '../../scripts/lib/acp-packages.mjs'
import { presetEngines } from '../../src/agents/engines/acp/factory.js'
import { ACP_PRESETS } from '../../src/config/acp-presets.js'
import type { Engine } from '../../src/messaging/engine.js'
import { ModelServer, type Script } from '../engines/model-server.js'
import { MemoryLog, realClock } from '../fixtures/agents/kit.js'

export interface RealAgent {
  id: AcpPackage
  /** Its engine's name in golem.yaml. */
  engine: keyof typeof ACP_PRESETS
  /** What it cannot: take a session up after a restart; be without a login here, its key being in its own settings. */
  lacks?: readonly ('resume' | 'login')[]
  /** Points it at the model. @returns its environment */
  settle(home: string, url: string): Promise<Record<string, string>>
}

const CODEX: RealAgent = {
  id: 'codex',
  engine: 'codex',
  async settle(home, url) {
    await mkdir(join(home, '.codex'), { recursive: true })
    await writeFile(
      join(home, '.codex', 'config.toml'),
      [
        'model = "scripted-1"',
        'model_provider = "scripted"',
        'approval_policy = "untrusted"',
        'sandbox_mode = "read-only"',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "CODEX_API_KEY"',
        '',
      ].join('\n'),
    )
    return { CODEX_API_KEY: 'key-of-nobody' }
  },
}

const CLAUDE: RealAgent = {
  id: 'claude',
  engine: 'claude-code',
  async settle(_home, url) {
    return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key-of-nobody' }
  },
}

const OPENCODE: RealAgent = {
  id: 'opencode',
  engine: 'opencode',
  lacks: ['login'],
  async settle(home, url) {
    const folder = join(home, '.config', 'opencode')
    await mkdir(folder, { recursive: true })
    const options = { baseURL: `${url}/v1`, apiKey: 'key-of-nobody' }
    await writeFile(
      join(folder, 'opencode.json'),
      JSON.stringify({
        model: 'scripted/scripted-1',
        small_model: 'scripted/scripted-1',
        autoupdate: false,
        share: 'disabled',
        permission: { bash: 'ask', edit: 'ask' },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options,
            models: { 'scripted-1': { name: 'scripted' } },
          },
        },
      }),
    )
    return {}
  },
}

const GEMINI: RealAgent = {
  id: 'gemini',
  engine: 'gemini',
  lacks: ['resume'],
  async settle(home, url) {
    await mkdir(join(home, '.gemini'), { recursive: true })
    await writeFile(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        // In a folder that is not trusted it leaves MCP servers out.
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        model: { name: 'gemini-2.5-flash' },
      }),
    )
    return { GEMINI_API_KEY: 'key-of-nobody', GOOGLE_GEMINI_BASE_URL: url }
  },
}

export const AGENTS: readonly RealAgent[] = [CODEX, CLAUDE, OPENCODE, GEMINI]

export class RealBench {
  readonly home: string
  readonly cwd: string
  readonly log = new MemoryLog()
  readonly #agent: RealAgent
  readonly #environment: NodeJS.ProcessEnv
  readonly #engines: Engine[] = []

  private constructor(
    agent: RealAgent,
    home: string,
    cwd: string,
    readonly model: ModelServer,
    environment: NodeJS.ProcessEnv,
  ) {
    this.#agent = agent
    this.home = home
    this.cwd = cwd
    this.#environment = environment
  }

  static async open(agent: RealAgent, script: Script): Promise<RealBench> {
    const home = await mkdtemp(join(tmpdir(), 'golem-real-'))
    const cwd = join(home, 'work')
    await mkdir(cwd)
    const model = await ModelServer.start(script)
    const bin = installedBin(agent.id) ?? ''
    const environment = {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: home,
      LANG: 'C.UTF-8',
      SLACK_BOT_TOKEN: 'xoxb-nobody',
      ...(await agent.settle(home, model.url)),
    }
    return new RealBench(agent, home, cwd, model, environment)
  }

  engine(options: object = {}): Engine {
    const factory = presetEngines(ACP_PRESETS)[this.#agent.engine]
    if (factory === undefined) throw new Error(`there is no engine ${this.#agent.engine}`)
    const engine = factory.create(
      { name: 'Golem', role: 'helper', engine: { id: this.#agent.engine, options } },
      {
        clock: realClock,
        log: this.log,
        skills: [],
        dataDir: join(this.home, 'data'),
        mark: `real-${this.#agent.id}:`,
        environment: this.#environment,
      },
    )
    this.#engines.push(engine)
    return engine
  }

  /** Its keys, taken away. */
  get keyless(): Record<string, string> {
    return Object.fromEntries(
      Object.keys(this.#environment)
        .filter((name) => name.endsWith('_API_KEY'))
        .map((name) => [name, '']),
    )
  }

  /** Processes that this bench's engines have started, by their mark. */
  async processes(): Promise<string[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const marked = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
        return environment.includes(`HOME=${this.home}\0`) ? [pid] : []
      }),
    )
    return marked.flat()
  }

  async close(): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.close()))
    await this.model.close()
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 })
  }
}
