import type { Language } from '../messaging/roster.js'

/** What is said for an agent that was asked twice and said nothing: honest, and no silence. */
const NO_ANSWER: Readonly<Record<Language, string>> = {
  en: 'I worked on this but came to no answer. Please ask again with a little more detail.',
  zh: '我处理了这条消息，但没有得出答案。请补充一些细节后再问一次。',
}

/** To a teammate that asked: the result that is none. */
const NO_RESULT: Readonly<Record<Language, string>> = {
  en: 'I worked on this but came to no result.',
  zh: '我处理了这项任务，但没有得出结果。',
}

export function noAnswer(language: Language): string {
  return NO_ANSWER[language]
}

export function noResult(language: Language): string {
  return NO_RESULT[language]
}
