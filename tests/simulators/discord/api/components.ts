/** Buttons and what they stand in. https://docs.discord.com/developers/components/reference */
import type { Fields } from '../world.js'
import { invalid, missing, tooLong } from './errors.js'

const ROW = 1
const BUTTON = 2
/** Of the newer kind, which need the flag IS_COMPONENTS_V2: sections, texts, thumbnails, galleries, files, separators, containers. */
const NEWER: readonly unknown[] = [9, 10, 11, 12, 13, 14, 17]
const MOST = { rows: 5, buttons: 5, customId: 100, label: 80, all: 40 }
/** Styles that carry an address, or an SKU, in place of a custom id. */
const LINK = 5
const PREMIUM = 6

/** @throws ApiError */
export function checkComponents(value: unknown, isV2: boolean): Fields[] | undefined {
  if (value === undefined) return undefined
  if (value === null) return []
  if (!Array.isArray(value))
    throw invalid('components', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
  const rows = value as Fields[]
  if (!isV2 && rows.length > MOST.rows) throw tooLong('components', MOST.rows)
  const ids = new Set<string>()
  let count = 0
  const walk = (one: Fields, path: string, isTop: boolean): void => {
    if (++count > MOST.all) throw tooLong('components', MOST.all)
    if (isTop && one.type !== ROW && !(isV2 && NEWER.includes(one.type)))
      throw invalid(
        `${path}.type`,
        'UNION_TYPE_CHOICES',
        `Value of field "type" must be one of (${isV2 ? '1, 9, 10, 12, 13, 14, 17' : '1'},).`,
      )
    if (one.type === BUTTON) checkButton(one, path, ids)
    const inner = (one.components ?? []) as Fields[]
    if (one.type === ROW && (inner.length < 1 || inner.length > MOST.buttons))
      throw invalid(
        `${path}.components`,
        'BASE_TYPE_BAD_LENGTH',
        `Must be between 1 and ${MOST.buttons} in length.`,
      )
    for (const [at, child] of inner.entries()) walk(child, `${path}.components.${at}`, false)
    if (typeof one.accessory === 'object' && one.accessory !== null)
      walk(one.accessory as Fields, `${path}.accessory`, false)
  }
  for (const [at, row] of rows.entries()) walk(row, `components.${at}`, true)
  return rows
}

function checkButton(button: Fields, path: string, ids: Set<string>): void {
  const { custom_id: id, label, style, url, emoji } = button
  if (typeof style !== 'number' || style < 1 || style > PREMIUM) throw missing(`${path}.style`)
  if (typeof label === 'string' && label.length > MOST.label) throw tooLong(`${path}.label`, MOST.label)
  if (style === PREMIUM) return
  if ((label ?? '') === '' && emoji === undefined)
    throw invalid(path, 'BUTTON_COMPONENT_INVALID', 'A button must have a label or an emoji')
  if (style === LINK) {
    if (typeof url !== 'string') throw missing(`${path}.url`)
    return
  }
  if (typeof id !== 'string' || id === '') throw missing(`${path}.custom_id`)
  if (id.length > MOST.customId) throw tooLong(`${path}.custom_id`, MOST.customId)
  if (ids.has(id))
    throw invalid(
      `${path}.custom_id`,
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    )
  ids.add(id)
}
