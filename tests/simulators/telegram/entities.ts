/**
 * Message entities: ranges of a text in UTF-16 code units (https://core.telegram.org/bots/api#messageentity), and what
 * the server does to those it is given: order, nesting, merging, trimming.
 */

export type EntityType =
  | 'mention'
  | 'hashtag'
  | 'cashtag'
  | 'bot_command'
  | 'url'
  | 'email'
  | 'phone_number'
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'spoiler'
  | 'blockquote'
  | 'expandable_blockquote'
  | 'code'
  | 'pre'
  | 'text_link'
  | 'text_mention'
  | 'custom_emoji'

export interface Entity {
  type: EntityType
  offset: number
  length: number
  url?: string
  /** Id of the account of a `text_mention`. */
  user?: number
  language?: string
  custom_emoji_id?: string
}

export interface Formatted {
  text: string
  entities: readonly Entity[]
}

/** Those that may overlap others, and are split where they do. */
const STYLES: ReadonlySet<EntityType> = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler'])
const CODE: ReadonlySet<EntityType> = new Set(['code', 'pre'])
const QUOTES: ReadonlySet<EntityType> = new Set(['blockquote', 'expandable_blockquote'])

const isSolid = (type: EntityType): boolean => !QUOTES.has(type) && !CODE.has(type) && !STYLES.has(type)

/** A message keeps this many; the formatting after them is lost without a word (https://core.telegram.org/api/config, limits). */
export const MOST_ENTITIES = 100

const end = (entity: Entity): number => entity.offset + entity.length

/** By place; of two that start together, the longer one first. */
export function sortEntities(entities: readonly Entity[]): Entity[] {
  return [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length || rank(a) - rank(b))
}

/** Which of two with one range lies outside. */
function rank({ type }: Entity): number {
  if (QUOTES.has(type)) return 0
  if (CODE.has(type)) return 1
  return STYLES.has(type) ? 3 : 2
}

/**
 * Entities as the server keeps them. Code holds nothing else and lies only in quotes; links and mentions do not overlap
 * each other; styles of one kind that touch are one (https://core.telegram.org/bots/api#formatting-options).
 */
export function settleEntities({ text, entities }: Formatted): Entity[] {
  const whole = sortEntities(entities.filter((entity) => entity.length > 0 && end(entity) <= text.length))
  const quotes = withoutOverlap(whole.filter(({ type }) => QUOTES.has(type)))
  // Code, links and mentions lie in a quote or outside; what crosses a quote's border, or holds one, is dropped.
  const isClear = (entity: Entity) =>
    quotes.every(
      (quote) => !overlaps(entity, quote) || (quote.offset <= entity.offset && end(entity) <= end(quote)),
    )
  const code = withoutOverlap(whole.filter((entity) => CODE.has(entity.type) && isClear(entity)))
  const solid = withoutOverlap(whole.filter((entity) => isSolid(entity.type) && isClear(entity))).filter(
    (entity) => !code.some((other) => overlaps(entity, other)),
  )
  const styles = mergeStyles(whole.filter(({ type }) => STYLES.has(type)))
  const kept = styles.flatMap((style) => cutOut(style, code))
  const split = kept.flatMap((style) => splitAt(style, [...solid, ...quotes]))
  return sortEntities([...quotes, ...code, ...solid, ...nest(split)])
}

const overlaps = (a: Entity, b: Entity): boolean => a.offset < end(b) && b.offset < end(a)

function withoutOverlap(sorted: readonly Entity[]): Entity[] {
  const kept: Entity[] = []
  for (const entity of sorted) {
    const last = kept.at(-1)
    if (!last || entity.offset >= end(last)) kept.push(entity)
  }
  return kept
}

/** One style over ranges that touch or overlap is one entity. */
function mergeStyles(sorted: readonly Entity[]): Entity[] {
  const kept: Entity[] = []
  const open = new Map<EntityType, Entity>()
  for (const entity of sorted) {
    const last = open.get(entity.type)
    if (last && entity.offset <= end(last)) {
      last.length = Math.max(end(last), end(entity)) - last.offset
      continue
    }
    const copy = { ...entity }
    open.set(entity.type, copy)
    kept.push(copy)
  }
  return kept
}

/** What is left of a style outside of code. */
function cutOut(style: Entity, code: readonly Entity[]): Entity[] {
  let rest = [style]
  for (const hole of code) {
    rest = rest.flatMap((piece) => {
      if (!overlaps(piece, hole)) return [piece]
      return [
        { ...piece, length: hole.offset - piece.offset },
        { ...piece, offset: end(hole), length: end(piece) - end(hole) },
      ].filter(({ length }) => length > 0)
    })
  }
  return rest
}

/** Cuts a style where it would cross the border of another entity. */
function splitAt(style: Entity, others: readonly Entity[]): Entity[] {
  const crossed = others.filter(
    (other) =>
      (other.offset > style.offset && other.offset < end(style) && end(other) > end(style)) ||
      (end(other) > style.offset && end(other) < end(style) && other.offset < style.offset),
  )
  const cuts = [...new Set(crossed.flatMap((other) => [other.offset, end(other)]))]
    .filter((at) => at > style.offset && at < end(style))
    .sort((a, b) => a - b)
  const edges = [style.offset, ...cuts, end(style)]
  return edges.slice(1).map((to, index) => {
    const from = edges[index] as number
    return { ...style, offset: from, length: to - from }
  })
}

/** Styles that cross each other are split, so that what is left nests. */
function nest(styles: readonly Entity[]): Entity[] {
  let nested: Entity[] = []
  for (const style of sortEntities(styles)) {
    nested = [
      ...nested,
      ...splitAt(
        style,
        nested.filter((other) => end(other) < end(style) && overlaps(other, style)),
      ),
    ]
  }
  return nested
}

/**
 * Takes away blanks and line breaks in front (up to the first entity) and white space behind, as the server does before
 * it counts; entities shrink with the text.
 */
export function trimFormatted({ text, entities }: Formatted): Formatted {
  const length = text.trimEnd().length
  const first = entities.reduce((least, { offset }) => Math.min(least, offset), length)
  let skip = 0
  while (skip < first && (text[skip] === ' ' || text[skip] === '\n')) skip++
  const kept = entities
    .map((entity) => ({
      ...entity,
      offset: entity.offset - skip,
      length: Math.min(end(entity), length) - entity.offset,
    }))
    .filter((entity) => entity.length > 0)
  return { text: text.slice(skip, length), entities: kept }
}

/** The text an entity covers. */
export const covered = (text: string, entity: Entity): string => text.slice(entity.offset, end(entity))
