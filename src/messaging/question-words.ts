/** The words of questions to people, and of what became of them. What an agent asks stands in a quote: it is data. */
import type { DecidedNotice, QuestionNotice } from './approval.js'
import type { Language } from './roster.js'
import { safeLine, safeName } from './text/index.js'

/** Nobody decides about what they are not shown: no control character, no change of direction. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Co}]|(?![\u200c\u200d])\p{Cf}/gu
/** Longest question that a post shows; a decided one is shown shorter. */
const TEXT_CHARACTERS = 2_000
const DECIDED_CHARACTERS = 280

/**
 * @param most characters of the question that are shown; what is left out is said
 */
export function questionWords(notice: QuestionNotice, language: Language, most = TEXT_CHARACTERS): string {
  const zh = language === 'zh'
  const agent = bold(notice.agent)
  const head =
    notice.ask === 'permission'
      ? zh
        ? `${agent} 请求许可：`
        : `${agent} asks for a permission:`
      : zh
        ? `${agent} 想问：`
        : `${agent} asks:`
  return [head, quoted(notice.text, most, language), ...again(notice, zh), foot(notice, zh)].join('\n\n')
}

/** Who decided what, and when. */
export function decidedWords({ agent, text, end, at }: DecidedNotice, language: Language): string {
  const zh = language === 'zh'
  const head = zh ? `${bold(agent)} 问过：` : `${bold(agent)} asked:`
  const when = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [head, quoted(text, DECIDED_CHARACTERS, language), ending(end, when, zh)].join('\n\n')
}

function ending(end: DecidedNotice['end'], when: string, zh: boolean): string {
  switch (end.how) {
    case 'chosen':
      return zh
        ? `${bold(end.label)}：由 ${safeName(end.by)} 决定，${when}。`
        : `${bold(end.label)}: decided by ${safeName(end.by)}, ${when}.`
    case 'expired':
      return zh
        ? `没有人在期限内决定（${when}）：视为拒绝。`
        : `Nobody decided in time (until ${when}): it counts as refused.`
    case 'withdrawn':
      return zh ? `已撤回，不再需要回答（${when}）。` : `Withdrawn, ${when}: it needs no answer any more.`
  }
}

function again({ again: how, agent }: QuestionNotice, zh: boolean): string[] {
  if (how === 'no') return []
  const name = safeLine(agent)
  if (zh)
    return [
      `${how === 'restarted' ? 'Golem 已重启' : `${name} 已暂停`}：你的决定会让 ${name} 从头开始这项工作，并按该决定进行。\`!stop\` 可以结束它。`,
    ]
  const why = how === 'restarted' ? 'Golem was restarted meanwhile' : `${name} has paused`
  return [
    `${why}: your decision has ${name} begin this work again from the start, with that decision. \`!stop\` ends it.`,
  ]
}

function foot(notice: QuestionNotice, zh: boolean): string {
  const { code, options, yesNo, mention, within } = notice
  const name = mention === null ? '' : `@${mention} `
  const typed = yesNo
    ? zh
      ? `\`${name}approve ${code}\` 或 \`${name}deny ${code}\``
      : `\`${name}approve ${code}\` or \`${name}deny ${code}\``
    : options
        .map((label, index) => `\`${name}answer ${code} ${index + 1}\` (${plain(label)})`)
        .join(zh ? '、' : ', ')
  const who = notice.who.map((one) => safeName(one)).join(zh ? '、' : ', ')
  if (zh)
    return `只有${who === '' ? '这个房间的审批人' : ` ${who} `}可以决定，${span(within, true)}内有效，过期视为拒绝。没有按钮时请写：${typed}`
  return `Only ${who === '' ? 'the approvers of this room' : who} can decide, within ${span(within, false)}; without an answer it counts as refused. Where buttons do not work, write ${typed}.`
}

function quoted(text: string, most: number, language: Language): string {
  const characters = [...text.trim()]
  const left = characters.length - most
  const shown = left > 0 ? characters.slice(0, most).join('') : characters.join('')
  const cut = language === 'zh' ? `…（略去 ${left} 个字符）` : `… (${left} characters left out)`
  return [...shown.split(/\r\n|[\r\n\u2028\u2029]/), ...(left > 0 ? [cut] : [])]
    .map((line) => `> ${line.replace(UNSEEN, '')}`)
    .join('\n')
}

function span(ms: number, zh: boolean): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const hours = Math.round(minutes / 60)
  if (minutes < 120) return zh ? ` ${minutes} 分钟` : minutes === 1 ? 'a minute' : `${minutes} minutes`
  return zh ? ` ${hours} 小时` : `${hours} hours`
}

/** A name or a label in bold: nothing in it is markup. */
function bold(text: string): string {
  return `**${plain(text)}**`
}

function plain(text: string): string {
  return safeLine(text).replace(/[\\`*_{}[\]()<>#+!|~]/g, '\\$&')
}
