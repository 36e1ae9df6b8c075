/**
 * The composition root: config -> store, agents, threads, platforms, server. The only place that knows all of them.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { acpEngine, presetEngines } from './agents/engines/acp/factory.js'
import { aiEngine } from './agents/engines/ai/factory.js'
import { commandEngine } from './agents/engines/command/factory.js'
import { createOffline } from './agents/engines/offline/index.js'
import { McpHub } from './agents/mcp/host.js'
import { createRunner, type EngineFactory } from './agents/roster.js'
import { loadSkills, type Skill } from './agents/skills/load.js'
import { systemClock } from './clock.js'
import { ACP_PRESETS } from './config/acp-presets.js'
import type { Config } from './config/config.js'
import { ENGINES, effectsOf } from './config/engines.js'
import { loadConfig } from './config/load.js'
import { toPolicy } from './config/policy.js'
import { GroupMemory } from './memory/group.js'
import type { Clock, Logger, Millis } from './messaging/ambient.js'
import type { Platform } from './messaging/contract.js'
import { Directory } from './messaging/directory.js'
import type { Errand } from './messaging/facts.js'
import { Poster } from './messaging/poster.js'
import { createRedactor, redactingLogger } from './messaging/redact.js'
import { Scheduler } from './messaging/scheduler.js'
import type { KnowledgeDocument, MovedChat } from './messaging/store.js'
import { Supervisor } from './messaging/supervisor.js'
import { MessagingThreads } from './messaging/threads.js'
import { PLATFORMS } from './platforms.js'
import { packageRoot } from './root.js'
import { isLoopback } from './server/address.js'
import { startServer } from './server/server.js'
import { type OpenStore, openStore } from './store/client.js'

const ROOT = packageRoot()

export interface GatewayOptions {
  configFile: string
  /** Over `gateway.port` and `gateway.host` of golem.yaml. */
  port?: number
  host?: string
  log: Logger
  /** Values the log must never show, once they are known. */
  hide?(secrets: Iterable<string>): void
  env?: Readonly<Record<string, string | undefined>>
  clock?: Clock
  version?: string
  /** In place of, or besides, the built-in engines and platforms. */
  engines?: Readonly<Record<string, EngineFactory>>
  platforms?: Readonly<Record<string, Platform>>
}

export interface Gateway {
  url: string
  port: number
  firstThing?: { room: string; mention: string }
  /** Settles when the gateway has been closed. */
  readonly closed: Promise<void>
  close(deadline: Millis): Promise<void>
}

/**
 * Starts everything and resolves when it is ready. What is slow (a platform that does not answer) is not waited for.
 *
 * @throws ConfigError, SkillError, StoreError, ServerError: each one sentence with its cure; nothing is left running
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { clock = systemClock, env = process.env } = options
  const platforms = { ...PLATFORMS, ...options.platforms }
  const config = loadConfig({
    file: options.configFile,
    env,
    platforms: Object.fromEntries(Object.entries(platforms).map(([id, { settings }]) => [id, settings])),
    engines: ENGINES,
  })
  options.hide?.(config.secrets)
  const redactor = createRedactor([...config.secrets])
  const log = redactingLogger(options.log, redactor)
  const skills = await loadSkills({
    builtIn: join(ROOT, 'skills'),
    own: { path: config.skillsDir, configured: config.skillsDir !== join(config.folder, 'skills') },
  })
  const policy = toPolicy(config, {
    effects: (agent) => effectsOf(agent.engine),
    skills: () =>
      skills.filter((skill) => !skill.builtIn).map((skill) => `${skill.name} ${skill.description}`),
    accounts: (platform) => platforms[platform]?.can.accounts,
  })
  const store = await openStore({ dataDir: config.dataDir, policy, boot: randomUUID(), now: clock.now() })
  try {
    if (store.recovered.requeued + store.recovered.interrupted + store.recovered.ambiguous > 0)
      log.info(store.recovered, 'took up what an earlier run had left half done')
    return await assemble({ ...options, clock, log, platforms }, config, policy, store, skills)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function assemble(
  options: GatewayOptions & { clock: Clock; log: Logger; platforms: Readonly<Record<string, Platform>> },
  config: Config,
  policy: ReturnType<typeof toPolicy>,
  store: OpenStore,
  skills: readonly Skill[],
): Promise<Gateway> {
  const { clock, log } = options
  const memory = new GroupMemory({ memoryDir: config.memoryDir, language: config.language, clock, log })
  await memory.check()
  const redactor = createRedactor([...config.secrets])
  const directory = new Directory()
  const schedules = new Scheduler({ store, directory, clock, log, turns: () => threads.turnsWait() })
  const posts = new Poster({
    store,
    directory,
    clock,
    log,
    redact: createRedactor([...config.secrets]).text,
    operations: () => threads.operationsWait(),
  })
  const mcp = new McpHub(log)
  const runner = createRunner({
    agents: config.agents,
    engines: {
      offline: { program: false, folderless: true, create: () => createOffline() },
      command: commandEngine,
      ai: aiEngine,
      acp: acpEngine(),
      ...presetEngines(ACP_PRESETS),
      ...options.engines,
    },
    store,
    memory,
    schedules,
    posts,
    transcribe: config.transcribe,
    mcp,
    skills,
    policy,
    dataDir: config.dataDir,
    denied: [config.memoryDir, config.file],
    clock,
    log,
    secrets: config.secrets,
  })
  /** Members being written into group memories; waited for when closing. */
  const notes = new Set<Promise<unknown>>()
  const kept = (work: Promise<unknown>): void => {
    const noted = work.finally(() => notes.delete(noted))
    notes.add(noted)
  }
  const moved = (move: MovedChat): void => kept(followMove(move, { memory, store, policy, log }))
  const threads = new MessagingThreads({
    policy,
    store,
    runner,
    directory,
    clock,
    log,
    thread: (module, data) => store.thread(module, data),
    keepAsFile: (operation, text) => keepAsFile(config.dataDir, operation, text),
    seen: (chatKey, names) => {
      kept(
        memory
          .noteMembers(chatKey, names)
          .catch((error: unknown) => log.warn({ chatKey, error: String(error) }, 'members were not noted')),
      )
    },
    moved,
    errand: (errand) => errandFor(errand, { memory, language: config.language, log, redact: redactor.text }),
  })
  for (const move of await store.moves()) moved(move)
  const supervisors = config.connections.map(({ connection, platform, settings, agent }) => {
    const found = options.platforms[platform]
    if (!found) throw new Error(`There is no platform ${platform}.`)
    // An agent's own account goes by the agent's name.
    const name = agent ?? config.name
    const entry = directory.add(connection, found, name)
    return new Supervisor({
      entry,
      settings,
      directory,
      clock,
      log,
      host: (state) => threads.host(entry, config.dataDir, name, state),
    })
  })
  store
    .indexKnowledge(knowledgeOf(skills))
    .catch((error: unknown) =>
      log.warn({ error: String(error) }, 'the skills could not be indexed for search'),
    )

  const server = await startServer({
    host: options.host ?? config.gateway.host,
    port: options.port ?? config.gateway.port,
    token: config.gateway.token,
    hosts: config.gateway.hosts,
    secrets: config.secrets,
    version: options.version ?? '0.1.0',
    store,
    memory,
    storeHealth: () => (store.trouble === null ? { ok: true } : { ok: false, reason: store.trouble }),
    connections: () =>
      directory.all().map(({ id, state, caughtUp, catchingUp }) => ({ id, state, caughtUp, catchingUp })),
    serve: async (connection, request, path) => {
      const entry = directory.get(connection)
      if (entry === undefined) return null
      // Known, but not up (yet): whoever asks may come again.
      if (entry.connection === null) return notReady(connection)
      return (await entry.connection.serve?.(request, path)) ?? null
    },
    mcp: (request) => mcp.handle(request),
    webRoot: join(ROOT, 'dist', 'web'),
    openapi: async () => [(await import('../adapters/local/openapi.js')).localOpenApi()],
    clock,
    log,
  })
  // Bound to one address of the network alone, it is not reached by a loopback one.
  mcp.listen(isLoopback(new URL(server.url).hostname) ? `${server.url}/mcp` : null)
  let closing: Promise<void> | null = null
  let ended: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    ended = resolve
  })
  const close = (deadline: Millis): Promise<void> => {
    closing ??= (async () => {
      await server.close(deadline)
      await schedules.close()
      await threads.close(deadline)
      await Promise.all(supervisors.map((supervisor) => supervisor.close(deadline)))
      await runner.close()
      await Promise.all(notes)
      await store.close()
      ended()
    })()
    return closing
  }

  // The rooms of the console are part of being ready; a platform elsewhere is waited for only if it is quick.
  const started = supervisors.map((supervisor) => supervisor.start())
  const own = supervisors.filter((_, index) => config.connections[index]?.platform === 'local')
  await Promise.all(started.filter((_, index) => config.connections[index]?.platform === 'local'))
  // Rooms whose storage is broken can be cured by a person only. Where there is nothing else, that is no start.
  const broken = own.find(({ failure }) => failure !== null)?.failure
  if (broken && own.length === supervisors.length) {
    await close(clock.now())
    throw broken
  }
  threads.start()
  await schedules.start(config.schedules)
  await Promise.race([
    Promise.all(started),
    new Promise<void>((resolve) => clock.at(clock.now() + CONNECT_PATIENCE, resolve)),
  ])
  log.info({ url: server.url, connections: directory.all().map(({ id }) => id) }, 'ready')

  return { url: server.url, port: server.port, ...firstThing(config), closed, close }
}

/** What a command asks of a chat's memory. What went wrong is for the log: it names paths. */
async function errandFor(
  errand: Errand,
  parts: {
    memory: GroupMemory
    language: Config['language']
    log: Logger
    redact(text: string): string
  },
): Promise<string> {
  const { memory, language, log, redact } = parts
  try {
    const { memoryErrand } = await import('./memory/errand.js')
    return redact(await memoryErrand(memory, errand, language))
  } catch (error) {
    log.warn({ chatKey: errand.chatKey, error: String(error) }, 'a chat was not shown its memory')
    return language === 'zh'
      ? '记忆文件无法使用，原因在日志中。'
      : 'The memory file cannot be used now; the log says why.'
  }
}

/** A chat goes on under another id: its memory file goes with it, and golem.yaml should say so too. */
async function followMove(
  { from, to, memory: done }: MovedChat,
  {
    memory,
    store,
    policy,
    log,
  }: { memory: GroupMemory; store: OpenStore; policy: ReturnType<typeof toPolicy>; log: Logger },
): Promise<void> {
  if (policy.rooms[from] !== undefined)
    log.warn(
      { from, to },
      `golem.yaml has settings for ${from}, which goes on as ${to}: they still apply; write the new key under rooms`,
    )
  if (done) return
  log.info({ from, to }, 'a chat goes on under another id')
  try {
    await memory.move(from, to)
    await store.memoryMoved(from)
  } catch (error) {
    log.warn(
      { from, to, error: String(error) },
      'the group memory did not move with its chat; it is tried again at the next start',
    )
  }
}

/** How long the ready line waits for connections that are quick. */
const CONNECT_PATIENCE = 500

function notReady(connection: string): Response {
  return Response.json(
    { error: { code: 'not-connected', message: `${connection} is not connected; try again in a moment.` } },
    { status: 503, headers: { 'retry-after': '1' } },
  )
}

/** What a newcomer may try: the first local room, if the console has one. */
function firstThing(config: Config): Pick<Gateway, 'firstThing'> {
  const local = config.connections.find(({ platform }) => platform === 'local')
  const settings = local?.settings as { rooms?: { id: string; title?: string }[] } | undefined
  const room = settings?.rooms?.[0]
  return room ? { firstThing: { room: room.title ?? room.id, mention: config.name } } : {}
}

/** Skills as passages that can be searched and quoted. */
function knowledgeOf(skills: readonly Skill[]): KnowledgeDocument[] {
  return skills.flatMap((skill) =>
    skill.entries.map((entry) => ({
      source: `skill ${skill.name}`,
      title: entry.title,
      text: entry.text,
    })),
  )
}

async function keepAsFile(dataDir: string, operation: number, text: string): Promise<string> {
  const folder = join(dataDir, 'outgoing', `operation-${operation}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'answer.md')
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  return path
}
