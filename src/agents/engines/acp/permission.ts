/** An agent's request for a permission: decided by rule, or a question to a person in the agent's own options. */
import { createHash } from 'node:crypto'
import type { Question, QuestionOption } from '../../../messaging/approval.js'
import type { Language } from '../../../messaging/roster.js'
import { safeLine } from '../../../messaging/text/index.js'
import type { PermissionOutcome } from './connection.js'
import type { PermissionRequest, ToolCall } from './wire.js'

export type Rule = 'ask' | 'allow' | 'deny'
export type ActionKind = 'read' | 'edit' | 'execute' | 'fetch' | 'other'
export type Permissions = Rule | Readonly<Record<ActionKind, Rule>>

/** Most options that a question can have, and characters of one's label. */
const OPTIONS = 8
const LABEL = 40
/** Characters of a question, and of one part of it. What is left out is said. */
const QUESTION = 1_800
const PART = 900

/** The protocol's kinds of tools. */
const KINDS: Readonly<Record<string, ActionKind>> = {
  read: 'read',
  search: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'execute',
  fetch: 'fetch',
}

const ACTIONS: Readonly<Record<string, readonly [en: string, zh: string]>> = {
  read: ['Read', '读取'],
  search: ['Search', '搜索'],
  edit: ['Change files', '修改文件'],
  delete: ['Delete', '删除'],
  move: ['Move', '移动'],
  execute: ['Run a command', '运行命令'],
  fetch: ['Fetch from the network', '访问网络'],
  switch_mode: ['Change its way of working', '切换工作模式'],
}
const ANY_ACTION = ['Use a tool', '使用工具'] as const
const CUT = ['the rest is left out', '其余部分已省略'] as const

/** What golem.yaml says about this action. */
export function ruleFor(permissions: Permissions, kind: string | undefined): Rule {
  if (typeof permissions === 'string') return permissions
  return permissions[KINDS[kind ?? ''] ?? 'other']
}

type Offered = PermissionRequest['options'][number]

const denies = ({ kind }: Offered): boolean => kind.startsWith('reject')
const lasts = ({ kind }: Offered): boolean => kind.endsWith('_always')

/** Options that an answer can name: one of each id. An id that both allows and refuses says neither. */
function nameable(options: readonly Offered[]): Offered[] {
  return options.filter(
    (option, index) =>
      option.optionId !== '' &&
      options.findIndex(({ optionId }) => optionId === option.optionId) === index &&
      options.every((other) => other.optionId !== option.optionId || denies(other) === denies(option)),
  )
}

/** The agent's option that allows or refuses, for this once where there is one. */
export function optionFor(options: readonly Offered[], allow: boolean): PermissionOutcome {
  const fitting = nameable(options).filter((option) => denies(option) !== allow)
  const [chosen] = [...fitting].sort((a, b) => Number(lasts(a)) - Number(lasts(b)))
  return chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen.optionId }
}

/**
 * What a person can choose between. A decision in a chat is for one action: options that hold for ever are left out where
 * the agent has one for this once as well.
 */
export function choices(options: readonly Offered[]): QuestionOption[] {
  const named = nameable(options)
  return named
    .filter(
      (option) => !lasts(option) || !named.some((other) => denies(other) === denies(option) && !lasts(other)),
    )
    .slice(0, OPTIONS)
    .map((option) => ({
      id: option.optionId,
      label: safeLine(option.name, LABEL) || (denies(option) ? 'Deny' : 'Allow'),
      ...(denies(option) ? { deny: true } : {}),
    }))
}

/** @param call what is known of the action, the request's own words included */
export function questionOf(
  call: ToolCall,
  options: readonly Offered[],
  language: Language,
): Omit<Question, 'agent'> | null {
  const offered = choices(options)
  if (offered.length === 0) return null
  return { kind: 'permission', text: words(call, language), options: offered, subject: subjectOf(call) }
}

/** The same action has the same one, whichever turn or session asks for it. */
function subjectOf({ kind, title, rawInput, content, locations }: ToolCall): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, title, rawInput, content, locations]))
    .digest('hex')
}

/** What is to be done, word for word: nobody can decide about what they are not shown. */
function words(call: ToolCall, language: Language): string {
  const index = language === 'zh' ? 1 : 0
  const head = `**${(ACTIONS[call.kind ?? ''] ?? ANY_ACTION)[index]}**`
  const parts: string[] = []
  let left = QUESTION - head.length
  for (const text of details(call)) {
    if (left < 40) {
      parts.push(`(${CUT[index]})`)
      break
    }
    const most = Math.min(PART, left)
    const isCut = text.length > most
    const shown = fenced(isCut ? `${[...text.slice(0, most)].slice(0, -1).join('')}…` : text)
    parts.push(isCut ? `${shown}\n(${CUT[index]})` : shown)
    left -= shown.length
  }
  return [head, ...parts].join('\n')
}

/** Title, command, files and their new contents, each where it says more than those before it. */
function details({ title, rawInput, content, locations }: ToolCall): string[] {
  const command = commandOf(rawInput)
  const edits = content.flatMap(({ type, path, newText }) =>
    type === 'diff' && path !== undefined ? [newText === undefined ? path : `${path}:\n${newText}`] : [],
  )
  const all = [
    title ?? '',
    command ?? '',
    ...edits,
    ...locations.map(({ path }) => path),
    ...(command === undefined && edits.length === 0 ? [inputOf(rawInput)] : []),
  ]
  const kept: string[] = []
  for (const one of all.map((text) => text.trim())) {
    if (one !== '' && !kept.some((other) => other.includes(one))) kept.push(one)
  }
  return kept
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const command: unknown = Reflect.get(input, 'command')
  if (typeof command === 'string') return command
  return Array.isArray(command) ? command.map(String).join(' ') : undefined
}

function inputOf(input: unknown): string {
  if (input === undefined || input === null) return ''
  if (typeof input === 'string') return input
  const text = JSON.stringify(input)
  return text === '{}' ? '' : text
}

/** Code that the text cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
