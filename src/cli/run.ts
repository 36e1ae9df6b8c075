/** The command line: what may be typed, and what becomes of an error. Commands are loaded when they are asked for. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import type { SimulateFlags } from './commands/simulate.js'
import { EXIT, type ExitCode, explainError } from './exit.js'
import type { World } from './world.js'

const CONFIG_HELP = 'the configuration; relative paths in it start at its folder'
const EXIT_CODES = `
Exit codes: 0 done · 1 unexpected · 2 wrong usage · 3 configuration · 4 data folder (in use, read-only, full,
            corrupt, missing) · 5 port · 6 no such message`

const EXAMPLES = `
Examples:
  golem start --config golem.yaml
  golem why last
  golem why local:lobby:42 --json
  golem memory show local:lobby
  golem simulate telegram`

interface Common {
  config: string
  json: boolean
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535))
    throw new InvalidArgumentError('It must be a number from 0 to 65535; 0 takes a free port.')
  return port
}

function hostName(text: string): string {
  if (text === '' || /\s/.test(text)) throw new InvalidArgumentError('It must be a host name or an address.')
  return text
}

function displayName(text: string): string {
  const name = text.trim()
  if (name === '') throw new InvalidArgumentError('It must not be empty.')
  return name
}

/** `Ann, Bob`: one of each name, so that a name says who is meant. */
function displayNames(text: string): string[] {
  const names = new Set(text.split(',').map((name) => name.trim()))
  names.delete('')
  if (names.size === 0) throw new InvalidArgumentError('It must be at least one name.')
  return [...names]
}

/** As `npm start`: the demo as long as there is no golem.yaml of one's own. */
function usualConfig({ cwd }: World): string {
  const [own = '', demo = ''] = ['golem.yaml', 'golem.demo.yaml']
  return !existsSync(join(cwd, own)) && existsSync(join(cwd, demo)) ? demo : own
}

function withCommon(command: Command, world: World): Command {
  return command
    .option('-c, --config <file>', CONFIG_HELP, usualConfig(world))
    .option('--json', 'answer for programs, on standard output', false)
}

/** @param done called with the exit code of the command that ran */
function program(world: World, done: (code: ExitCode) => void): Command {
  const golem = new Command('golem')
    .description("A team of AI agents in your company's group chats.")
    .version(world.version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .addHelpText('after', EXIT_CODES)
    .showSuggestionAfterError()
    .showHelpAfterError('(golem --help lists what there is)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
      getOutHelpWidth: () => world.stdout.columns ?? 100,
      getErrHelpWidth: () => world.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  withCommon(golem.command('start').description('run the gateway until it is told to stop'), world)
    .option('-p, --port <number>', 'listen here instead of gateway.port; 0 takes a free port', portNumber)
    .option('--host <host>', 'listen on this address instead of gateway.host', hostName)
    .addHelpText('after', EXIT_CODES)
    .action(async (flags: Common & { port?: number; host?: string }) => {
      const { start } = await import('./commands/start.js')
      done(await start(flags, world))
    })
  const reading = async () => await import('./commands/read.js')
  withCommon(golem.command('why').description('what became of a message, and why'), world)
    .argument('[message]', 'its number, chatKey:nativeId, or last', 'last')
    .addHelpText('after', EXIT_CODES)
    .action(async (message: string, flags: Common) => (await reading()).why(message, flags, world))
  withCommon(
    golem.command('status').description('how much there is of everything, and what the rooms are at'),
    world,
  )
    .addHelpText('after', EXIT_CODES)
    .action(async (flags: Common) => (await reading()).status(flags, world))
  withCommon(golem.command('queue').description('turns that run or wait, and posts on their way'), world)
    .addHelpText('after', EXIT_CODES)
    .action(async (flags: Common) => (await reading()).queue(flags, world))
  const skill = golem
    .command('skill')
    .description('what agents know beyond their model')
    .addHelpText('after', EXIT_CODES)
  const skills = async () => await import('./commands/skill.js')
  withCommon(skill.command('list').description('the skills that agents are told of'), world).action(
    async (flags: Common) => (await skills()).listSkills(flags, world),
  )
  withCommon(
    skill
      .command('add')
      .description('check a skill, and copy it to the others')
      .argument('<folder>', 'holds a SKILL.md, and what belongs to it')
      .option('--force', 'in the place of one of the same name', false),
    world,
  ).action(async (folder: string, flags: Common & { force: boolean }) =>
    (await skills()).addSkill(folder, flags, world),
  )
  const memory = golem.command('memory').description('what a chat remembers')
  const ofMemory = async () => await import('./commands/memory.js')
  withCommon(memory.command('show').description('its memory file and its facts'), world)
    .argument('<chat>', 'its key, e.g. local:lobby')
    .addHelpText('after', EXIT_CODES)
    .action(async (chat: string, flags: Common) => (await ofMemory()).showMemory(chat, flags, world))
  withCommon(memory.command('edit').description('its memory file in your editor (VISUAL or EDITOR)'), world)
    .argument('<chat>', 'its key, e.g. local:lobby')
    .addHelpText('after', EXIT_CODES)
    .action(async (chat: string, flags: Common) => (await ofMemory()).editMemory(chat, flags, world))
  golem
    .command('simulate')
    .description('a platform in a box: try Golem, or any bot, against it without an account')
    .argument('[platform]', 'discord, feishu, slack or telegram')
    .option('-p, --port <number>', 'listen here; 0 takes a free port', portNumber)
    .option('--name <name>', 'what the bot is called there', displayName, 'Golem')
    .option('--people <names>', 'who is there, by commas', displayNames, ['Ann', 'Bob'])
    .option('--webhook <url>', 'post events there instead of waiting for a socket or a poll')
    .option('--no-limits', "without the platform's rate limits")
    .option('--json', 'answer for programs, on standard output', false)
    .addHelpText('after', EXIT_CODES)
    .action(async (platform: string | undefined, flags: SimulateFlags) => {
      const { simulate } = await import('./commands/simulate.js')
      done(await simulate(platform, flags, world))
    })
  return golem
}

/** Runs one command line and says what the process should end with. Never rejects. */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  try {
    const golem = program(world, (ended) => {
      code = ended
    })
    if (argv.length === 0) {
      golem.outputHelp({ error: true })
      return EXIT.usage
    }
    await golem.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already said it on standard error.
      if (error.exitCode === 0) return EXIT.ok
      report(argv, world, { code: 'usage', message: error.message.replace(/^error: /, '') })
      return EXIT.usage
    }
    const { exitCode, code: name, message, unexpected } = explainError(error)
    world.stderr.write(`golem: ${message}\n`)
    if (unexpected && error instanceof Error && error.stack !== undefined)
      world.stderr.write(`${error.stack}\n`)
    report(argv, world, { code: name, message })
    return exitCode
  }
}

/** For programs: the same on standard output, one line. */
function report(argv: readonly string[], world: World, error: { code: string; message: string }): void {
  if (argv.includes('--json')) world.stdout.write(`${JSON.stringify({ event: 'error', ...error })}\n`)
}
