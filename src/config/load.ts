/** Loads golem.yaml, or says everything that is wrong with it at once. */
import { dirname, resolve } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { createRedactor, type Redactor } from '../messaging/redact.js'
import { buildConfig } from './build.js'
import type { Config } from './config.js'
import { keysGivenToAgents } from './engine-acp.js'
import { checkAi, keysFromEnvironment } from './engine-ai.js'
import type { EngineSchemas } from './engines.js'
import { type Environment, maskReferences } from './env.js'
import { ConfigError, type Finding, type Path, type Problem, showPath } from './errors.js'
import { hintsFor } from './hints.js'
import { takeFromRooms } from './left-margin.js'
import { type Lifted, lift } from './lift.js'
import { checkRules } from './rules.js'
import { type FileSchema, fileSchema, oneAgentKeys, type PlatformSchemas } from './schema.js'
import { secretByName, secretFromEnvironment } from './secrets.js'
import { carry, findingsOf, leaves } from './sentences.js'
import { isMapping, setAt, valueAt } from './shape.js'
import { readSource, refuseText } from './source.js'
import { syntaxFindings } from './syntax.js'
import { checkTranscribe } from './transcribe.js'
import { pathKey, type Tree, toTree } from './tree.js'

export interface LoadOptions<E extends EngineSchemas> {
  /** Path of the file; also how problems name it. Default `golem.yaml`. */
  file?: string
  /** What stands in it, when it need not be read. */
  text?: string
  /** Where `${NAME}` is looked up; `HOME` makes `~/`. */
  env: Environment
  platforms: PlatformSchemas
  engines: E
}

/** @throws {ConfigError} with every problem, in the order of the file. */
export function loadConfig<E extends EngineSchemas>(options: LoadOptions<E>): Config<E> {
  const file = options.file ?? 'golem.yaml'
  const text = (options.text ?? readSource(file)).replace(/^\uFEFF/, '')
  const { tree, lines } = parse(file, text, options.env)
  const secrets = secretsOf(tree)
  const report = (findings: readonly Finding[]) => {
    if (findings.length > 0) throw new ConfigError(locate(file, findings, tree, lines, secrets))
  }
  if (tree.hopeless || !isMapping(tree.value)) {
    if (tree.findings.length === 0) tree.findings.push(noMapping(tree.value))
    report(tree.findings)
  }
  const lifted = lift(isMapping(tree.value) ? tree.value : {}, options.engines)
  const schema = schemaFor(options.platforms, options.engines)
  const lineOf = (key: string) => {
    const offset = tree.spots.get(key)?.key
    return offset === undefined ? undefined : lines.linePos(offset).line
  }
  const misplaced = takeFromRooms(lifted.root, Object.keys(schema.shape), lineOf)
  for (const key of keysFromEnvironment(lifted.root, options.env)) secrets.add(key)
  for (const key of keysGivenToAgents(lifted.root, options.env)) secrets.add(key)
  const checked = check(schema, lifted, tree, secrets, options, lineOf)
  report([...tree.findings, ...lifted.findings, ...misplaced, ...checked.findings])
  if (checked.values === undefined) throw new Error('golem.yaml failed its schema without a finding')
  const absolute = resolve(file)
  return buildConfig(checked.values, { ...options, file: absolute, folder: dirname(absolute), secrets })
}

function parse(file: string, text: string, env: Environment): { tree: Tree; lines: LineCounter } {
  const lines = new LineCounter()
  const refused = refuseText(text)
  if (refused !== undefined) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
    if (lines.lineStarts[0] !== 0) lines.lineStarts.unshift(0)
    throw new ConfigError(locate(file, [{ path: [], ...refused }], undefined, lines, new Set()))
  }
  const document = parseDocument(maskReferences(text), {
    lineCounter: lines,
    prettyErrors: false,
    // Keys that stand twice are found while the tree is made, where their path is known.
    uniqueKeys: false,
    logLevel: 'error',
  })
  const findings = syntaxFindings(document, text)
  if (findings.length > 0) throw new ConfigError(locate(file, findings, undefined, lines, new Set()))
  return { tree: toTree(document, text, env), lines }
}

function noMapping(value: unknown): Finding {
  const message =
    value === null || value === undefined
      ? 'the file is empty. Write at least `name: golem`, or start from golem.yaml.example.'
      : 'the file must hold keys and values. Write each as `key: value`, with a blank after the colon.'
  return { path: [], message }
}

const schemas = new WeakMap<object, WeakMap<object, FileSchema>>()

/** Schemas are made once for each set of platforms and engines: a reload only checks. */
function schemaFor(platforms: PlatformSchemas, engines: EngineSchemas): FileSchema {
  const byEngines = schemas.get(platforms) ?? new WeakMap<object, FileSchema>()
  schemas.set(platforms, byEngines)
  const schema = byEngines.get(engines) ?? fileSchema(platforms, engines)
  byEngines.set(engines, schema)
  return schema
}

function check<E extends EngineSchemas>(
  schema: FileSchema,
  lifted: Lifted,
  tree: Tree,
  secrets: Set<string>,
  options: LoadOptions<E>,
  lineOf: (key: string) => number | undefined,
) {
  const { root, origin } = lifted
  let result = schema.safeParse(root, PARSING)
  // Text from the environment, and numbers where text belongs, are read as what their place asks for. A second look
  // may find more, because a list of accounts is only looked into once it is the branch that fits.
  for (let look = 0; look < 3 && !result.success; look++) {
    const changed = leaves(result.error.issues).filter((issue) => coerce(issue, lifted, tree, secrets))
    if (changed.length === 0) break
    result = schema.safeParse(root, PARSING)
  }
  const context = {
    variables: (path: Path) => (tree.fromEnv.get(pathKey(path)) ?? []).map((used) => used.name),
    hint: hintsFor(Object.keys(schema.shape), options.engines, lineOf),
    alsoKnown: (path: Path) => (path.length === 0 && lifted.oneAgent ? oneAgentKeys(options.engines) : []),
  }
  const issues = result.success ? [] : leaves(result.error.issues)
  const findings = issues
    .map((issue) => ({ ...issue, path: [...origin(issue.path as Path)] }))
    .filter((issue) => !tree.unresolved.has(pathKey(issue.path)))
    .flatMap((issue) => findingsOf(issue, context))
  const rules = [
    ...checkRules(root, Object.keys(options.platforms), origin),
    ...checkAi(root, origin, options.env),
    ...checkTranscribe(root, options.env),
  ]
  return { values: result.data, findings: [...findings, ...rules] }
}

// Compiling a parser for a file that is read once costs more than it saves.
const PARSING = { error: carry, reportInput: true, jitless: true }

/** Whether the value at an issue could be read as what was expected, and now is. */
function coerce(
  issue: ReturnType<typeof leaves>[number],
  lifted: Lifted,
  tree: Tree,
  secrets: Set<string>,
): boolean {
  if (issue.code !== 'invalid_type') return false
  const path = issue.path as Path
  const key = pathKey(lifted.origin(path))
  const value = valueAt(lifted.root, path)
  let read: unknown
  const used = tree.fromEnv.get(key)
  if (issue.expected === 'string' && typeof value === 'number') read = tree.spots.get(key)?.written
  else if (typeof value === 'string' && used !== undefined) {
    const isNumber = issue.expected === 'number' || issue.expected === 'int'
    if (isNumber && /^-?\d+(?:\.\d+)?$/.test(value.trim())) read = Number(value)
    if (issue.expected === 'boolean' && /^(?:true|false)$/i.test(value.trim()))
      read = /^true$/i.test(value.trim())
    // A number or a switch is no secret: blotting out every 3000 in the logs would help nobody.
    if (read !== undefined) for (const each of used) secrets.delete(each.value ?? '')
  }
  if (read === undefined) return false
  setAt(lifted.root, path, read)
  return true
}

function secretsOf(tree: Tree): Set<string> {
  const secrets = new Set<string>()
  for (const key of tree.spots.keys()) {
    const path = key.split('\u0000')
    const used = tree.fromEnv.get(key)
    if (used !== undefined) {
      if (!secretFromEnvironment(path)) continue
      for (const { value } of used) if (value !== null) secrets.add(value)
    } else if (secretByName(path)) {
      const value = valueAt(tree.value, path)
      if (typeof value === 'string') secrets.add(value)
    }
  }
  return secrets
}

function locate(
  file: string,
  findings: readonly Finding[],
  tree: Tree | undefined,
  lines: LineCounter,
  secrets: ReadonlySet<string>,
): Problem[] {
  const redactor = createRedactor(secrets)
  const located = findings.map((finding) => {
    const offset = finding.offset ?? offsetOf(finding, tree)
    const { line, col } = lines.linePos(offset)
    return { offset, problem: problemOf(file, finding, line, col, redactor) }
  })
  const seen = new Set<string>()
  return located
    .sort((a, b) => a.offset - b.offset)
    .map(({ problem }) => problem)
    .filter((problem) => {
      const key = `${problem.line}:${problem.message}`
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
}

function problemOf(file: string, finding: Finding, line: number, col: number, redactor: Redactor): Problem {
  return {
    file,
    line: Math.max(1, line),
    column: Math.max(1, col),
    path: showPath(finding.path),
    message: redactor.text(finding.message),
    ...(finding.nearest === undefined ? {} : { nearest: finding.nearest }),
  }
}

/** The place of a path; of one that is not in the file, the place of what it is missing from. */
function offsetOf(finding: Finding, tree: Tree | undefined): number {
  for (let length = finding.path.length; length >= 0; length--) {
    const spot = tree?.spots.get(pathKey(finding.path.slice(0, length)))
    if (spot === undefined) continue
    const isWhole = length === finding.path.length
    return isWhole && finding.at !== 'key' ? spot.value : (spot.key ?? spot.value)
  }
  return 0
}
