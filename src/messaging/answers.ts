/**
 * Answers to questions in words, for where there are no buttons: `approve 4F2K`, `deny 4F2K`, `answer 4F2K 2`. A code
 * holds a digit and a letter, so that no ordinary sentence is taken for one.
 */

/** Without what is easily taken for another: 0 and O, 1, I and L. */
export const CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
export const CODE_LENGTH = 4

export const ANSWERS = ['approve', 'deny', 'answer'] as const
export type AnswerName = (typeof ANSWERS)[number]

const CODE = /^(?=.*\d)(?=.*[A-Z])[2-9A-HJKMNP-Z]{4,6}$/
const WORDS: Readonly<Record<string, AnswerName>> = {
  approve: 'approve',
  deny: 'deny',
  answer: 'answer',
  批准: 'approve',
  同意: 'approve',
  拒绝: 'deny',
  回答: 'answer',
}

/** No answer is longer. */
const LONGEST = 200

/** Whether a chat command is an answer to a question. */
export function isAnswer(name: string): name is AnswerName {
  return (ANSWERS as readonly string[]).includes(name)
}

/**
 * The answer that a whole text is, without any mark in front of it. As it is copied from the post, it may stand in code
 * marks and end like a sentence; Chinese words need no blank before the code. Null for every other text.
 */
export function answerIn(text: string): { name: AnswerName; argument: string } | null {
  if (text.length > LONGEST) return null
  const bare = text.replace(/^[\s`*]+|[\s`*.!。！]+$/g, '')
  const typed = /^(\p{L}+)[\s:：]+([0-9A-Za-z]{4,6})(?:\s+([^\r\n]{1,80}))?$/u.exec(
    bare.replace(/^(\p{Script=Han}+)(?=[0-9A-Za-z])/u, '$1 '),
  )
  if (typed === null) return null
  const [, word = '', written = '', choice] = typed
  const name = Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined
  const code = codeIn(written)
  if (name === undefined || code === null || (name === 'answer') !== (choice !== undefined)) return null
  return { name, argument: choice === undefined ? code : `${code} ${choice.trim()}` }
}

/** What stands behind a command: a code, and what is chosen. */
export function choiceIn(argument: string): { code: string | null; choice: string } {
  const [written = '', ...rest] = argument.trim().split(/\s+/)
  return { code: codeIn(written), choice: rest.join(' ') }
}

function codeIn(written: string): string | null {
  const code = written.toUpperCase()
  return CODE.test(code) ? code : null
}
