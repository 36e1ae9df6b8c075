/** Turns the YAML document into plain data, and remembers where each value stands and which came from the environment. */
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import { type Environment, expand, type Used, unmaskReferences } from './env.js'
import { type Finding, type Path, showPath } from './errors.js'
import { MAX_DEPTH } from './source.js'

/** Values that aliases (`*name`) may stand for altogether. Beyond it the file is a bomb, not a configuration. */
const MAX_ALIASED = 10_000

export interface Spot {
  /** Offsets into the file. List entries have no key. */
  key?: number
  value: number
  /** A number as it is written: what long ids need. */
  written?: string
}

export interface Tree {
  value: unknown
  spots: ReadonlyMap<string, Spot>
  /** Values that hold something from the environment, and the variables they hold. */
  fromEnv: ReadonlyMap<string, readonly Used[]>
  /** Values that could not be made: nothing more is said about them. */
  unresolved: ReadonlySet<string>
  findings: Finding[]
  /** The file does not even have a shape that could be checked further. */
  hopeless: boolean
}

/** Stands where a value could not be made. */
export const UNRESOLVED: unique symbol = Symbol('unresolved')

export function pathKey(path: Path): string {
  return path.join('\u0000')
}

export function toTree(document: Document, source: string, env: Environment): Tree {
  const builder = new Builder(document, source, env)
  const value = document.contents === null ? null : builder.node(document.contents, [])
  return { value, ...builder.found }
}

class Builder {
  readonly found = {
    spots: new Map<string, Spot>(),
    fromEnv: new Map<string, readonly Used[]>(),
    unresolved: new Set<string>(),
    findings: [] as Finding[],
    hopeless: false,
  }
  readonly #open = new Set<Node>()
  #aliased = 0
  #insideAlias = 0

  constructor(
    readonly document: Document,
    readonly source: string,
    readonly env: Environment,
  ) {}

  node(node: unknown, path: Path, key?: number): unknown {
    const at = start(node) ?? key ?? 0
    const spot: Spot = key === undefined ? { value: at } : { key, value: at }
    this.found.spots.set(pathKey(path), spot)
    if (path.length > MAX_DEPTH) {
      return this.#fail(
        path,
        at,
        `more than ${MAX_DEPTH} lists or mappings stand within each other. Write the file flatter.`,
      )
    }
    if (this.#insideAlias > 0 && ++this.#aliased > MAX_ALIASED) {
      if (this.found.hopeless) return UNRESOLVED
      this.found.hopeless = true
      const most = MAX_ALIASED.toLocaleString('en')
      return this.#fail(path, at, `aliases (*name) stand for more than ${most} values. Write the values out.`)
    }
    if (isAlias(node)) return this.#alias(node, path, key)
    if (isScalar(node)) return this.#scalar(node, path, spot)
    if (isSeq(node)) {
      return this.#within(node, () => node.items.map((item, index) => this.node(item, [...path, index])))
    }
    if (isMap(node)) return this.#within(node, () => this.#map(node.items, path))
    return null
  }

  #within<T>(node: Node, make: () => T): T {
    this.#open.add(node)
    const made = make()
    this.#open.delete(node)
    return made
  }

  #map(items: readonly unknown[], path: Path): Record<string, unknown> {
    // Without a prototype, so that `__proto__` and `constructor` are keys like any other.
    const map: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    const merged: unknown[] = []
    for (const pair of items) {
      if (!isPair(pair)) continue
      const at = start(pair.key) ?? 0
      const key = isScalar(pair.key) ? keyText(pair.key) : undefined
      if (key === undefined) {
        this.found.findings.push({
          path,
          offset: at,
          message: 'a key must be a single word or text. Write `key: value`.',
        })
      } else if (key === '<<') merged.push(pair.value)
      else if (Object.hasOwn(map, key)) this.#twice([...path, key], at, pair.value)
      else map[key] = this.node(pair.value, [...path, key], at)
    }
    for (const node of merged) this.#merge(node, path, map)
    return map
  }

  /** `<<: *common`: the entries of another mapping, where this one has none of its own. */
  #merge(node: unknown, path: Path, map: Record<string, unknown>): void {
    const target = isAlias(node) ? node.resolve(this.document) : node
    if (isSeq(target)) for (const item of target.items) this.#merge(item, path, map)
    else if (isMap(target) && !this.#open.has(target)) {
      this.#insideAlias++
      this.#within(target, () => {
        for (const pair of target.items) {
          const key = isScalar(pair.key) ? keyText(pair.key) : undefined
          if (key === undefined || key === '<<' || Object.hasOwn(map, key)) continue
          map[key] = this.node(pair.value, [...path, key], start(pair.key))
        }
      })
      this.#insideAlias--
    } else {
      this.found.findings.push({
        path,
        offset: start(node) ?? 0,
        message: '<< must be followed by a mapping or by *name of one.',
      })
    }
  }

  #alias(node: unknown, path: Path, key: number | undefined): unknown {
    if (!isAlias(node)) return null
    const at = start(node) ?? 0
    const target = node.resolve(this.document)
    if (target === undefined) {
      return this.#fail(
        path,
        at,
        `*${node.source} stands for nothing: no value before it is marked &${node.source}. A text that begins with * needs quotes.`,
      )
    }
    if (this.#open.has(target)) {
      return this.#fail(
        path,
        at,
        `*${node.source} stands inside the value that it stands for. Write the value out.`,
      )
    }
    this.#insideAlias++
    const value = this.node(target, path, key)
    this.#insideAlias--
    // Point at the alias, where the person would look first.
    const spot = this.found.spots.get(pathKey(path))
    if (spot !== undefined) spot.value = at
    return value
  }

  #scalar(node: Scalar, path: Path, spot: Spot): unknown {
    if (typeof node.value === 'number' || typeof node.value === 'bigint') {
      if (node.source !== undefined) spot.written = node.source
      return Number(node.value)
    }
    if (typeof node.value !== 'string') return node.value
    const { text, used, bad } = expand(unmaskReferences(node.value), this.env)
    if (used.length > 0) this.found.fromEnv.set(pathKey(path), used)
    if (bad.length === 0) return text
    const from = this.#referenceOffsets(node, spot.value)
    for (const reference of bad) {
      this.found.findings.push({
        path,
        offset: from.get(reference.index) ?? spot.value,
        message: `in ${showPath(path)}, ${reference.message}`,
      })
    }
    this.found.unresolved.add(pathKey(path))
    return UNRESOLVED
  }

  /** Where each `${` of a value stands in the file, by its index in the value. */
  #referenceOffsets(node: Scalar, value: number): ReadonlyMap<number, number> {
    const written = this.source.slice(value, node.range?.[1] ?? value)
    const text = unmaskReferences(String(node.value))
    const offsets = new Map<number, number>()
    let inText = text.indexOf('${')
    let inFile = written.indexOf('${')
    while (inText >= 0 && inFile >= 0) {
      offsets.set(inText, value + inFile)
      inText = text.indexOf('${', inText + 2)
      inFile = written.indexOf('${', inFile + 2)
    }
    return offsets
  }

  #twice(path: Path, at: number, second: unknown): void {
    const first = this.found.spots.get(pathKey(path))?.key ?? at
    const line = this.source.slice(0, first).split('\n').length
    const cure =
      isMap(second) || isSeq(second)
        ? 'Merge both: put what stands below this one below the first.'
        : 'Keep one of them.'
    this.found.findings.push({
      path,
      offset: at,
      message: `${showPath(path)} stands here a second time, first in line ${line}. ${cure}`,
    })
  }

  #fail(path: Path, offset: number, message: string): unknown {
    this.found.findings.push({ path, offset, message })
    this.found.unresolved.add(pathKey(path))
    return UNRESOLVED
  }
}

function start(node: unknown): number | undefined {
  const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined
  return range?.[0]
}

function keyText(key: Scalar): string | undefined {
  if (key.value === null) return undefined
  // A number as key is an id (`-100123:`): what is written counts, not its value.
  return typeof key.value === 'string' ? unmaskReferences(key.value) : (key.source ?? String(key.value))
}
