/** All sentences of the offline engine, in both languages. What it says beyond them is quoted. */

import type { SectionName } from '../../../memory/document.js'
import type { Language } from '../../../messaging/roster.js'

export interface Teammate {
  name: string
  role: string
}

export interface Wording {
  hello(name: string): string
  welcome: string
  introduction(name: string, role: string, orchestrator: boolean, teammates: readonly Teammate[]): string
  team(members: readonly Teammate[], self: string, peers: readonly Teammate[]): string
  agent(agent: Teammate): string
  remembered(section: string, line: string): string
  rememberedBefore(line: string): string
  rememberWhat: string
  forgotten(lines: readonly string[]): string
  forgetNothing(topic: string): string
  forgetWhich(lines: readonly string[]): string
  forgetAll: string
  refused(why: string): string
  noMemory: string
  memoryEmpty: string
  memory: string
  nothingRemembered(topic: string): string
  decisions: string
  noDecisions(topic: string): string
  more(count: number): string
  section(name: SectionName): string
  memorySource(section: SectionName): string
  summary(count: number, names: readonly string[], picked: number): string
  nothingToSummarise: string
  said: string
  saidNothing(topic: string): string
  saidHere: string
  excerpt: string
  result(name: string, text: string): string
  noResult(name: string): string
  nothing: string
  nothingInTask: string
  tryAgent(agent: Teammate): string
  conversation: string
}

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')
const who = (agent: Teammate, open: string, close: string): string =>
  agent.role === '' ? agent.name : `${agent.name}${open}${agent.role}${close}`

const en: Wording = {
  hello: (name) => `Hello! I am ${name}. Ask “what can you do?” to see what I am good for.`,
  welcome: 'You are welcome.',
  introduction: (name, role, orchestrator, teammates) =>
    [
      `I am ${name}${orchestrator ? ', the orchestrator of this team' : role === '' ? '' : ` (${role})`}. I am no language model: I work offline, and what I say is quoted from a source or written down by people. I can`,
      list([
        "answer questions from the skills, this chat's memory and what was said here, with the source",
        'remember and forget lines: “remember that the demo is on Friday”, “we decided to use Postgres”, “forget the demo”',
        'say what is remembered and what was decided',
        'summarise the conversation by its key lines',
        'find who said something and when',
        ...(orchestrator && teammates.length > 0
          ? [`ask a teammate: ${teammates.map((agent) => who(agent, ' (', ')')).join('; ')}`]
          : []),
      ]),
    ].join('\n'),
  team: (members, self, peers) =>
    [
      'The agents in this room:',
      list(members.map((agent) => who(agent, ': ', '') + (agent.name === self ? ' (that is me)' : ''))),
      ...(peers.length > 0 ? ['Other bots here:', list(peers.map((agent) => who(agent, ': ', '')))] : []),
    ].join('\n'),
  agent: (agent) =>
    `${agent.name} is an agent in this room. Role: ${agent.role === '' ? 'none given' : agent.role}.`,
  remembered: (section, line) => `Noted under ${section}: ${line}`,
  rememberedBefore: (line) => `That is noted already: ${line}`,
  rememberWhat: 'What shall I remember? Write it behind “remember that”.',
  forgotten: (lines) => (lines.length === 1 ? `Forgotten: ${lines[0]}` : `Forgotten:\n${list(lines)}`),
  forgetNothing: (topic) =>
    `Nothing about “${topic}” is in this chat's memory, so there was nothing to forget.`,
  forgetWhich: (lines) => `Several lines fit. Which one shall I forget?\n${list(lines)}`,
  forgetAll:
    'I forget line by line, so that nothing is lost by mistake. Name a line, or edit the memory file to remove everything.',
  refused: (why) => `That could not be done. ${why}`,
  noMemory: 'There is no group memory in this turn, so I cannot note or look up anything in it.',
  memoryEmpty: "This chat's memory is empty. Say “remember that …” to begin.",
  memory: "This chat's memory:",
  nothingRemembered: (topic) => `Nothing about “${topic}” is in this chat's memory.`,
  decisions: 'Decisions of this chat:',
  noDecisions: (topic) =>
    topic === ''
      ? "No decision is noted in this chat's memory. Say “we decided …” to note one."
      : `No decision about “${topic}” is noted in this chat's memory.`,
  more: (count) => `… and ${count} more in the memory file.`,
  section: (name) => ({ members: 'Members', context: 'Project context', decisions: 'Decisions' })[name],
  memorySource: (section) => `— group memory: ${en.section(section)}`,
  summary: (count, names, picked) =>
    `Key lines of the last ${count} messages${names.length > 0 ? ` by ${names.join(', ')}` : ''} (${picked} picked, in their own words; I am no language model and rewrite nothing):`,
  nothingToSummarise: 'There is nothing here yet that could be summarised.',
  said: 'Found in this conversation:',
  saidNothing: (topic) =>
    `Nobody said anything about “${topic}” in this conversation, as far as the transcript goes.`,
  saidHere: 'This was said here:',
  excerpt: '(excerpt)',
  result: (name, text) => `From ${name}:\n\n${text}`,
  noResult: (name) => `${name} gave no result.`,
  nothing:
    "I found nothing about that in the skills, in this chat's memory or in what was said here. I am no language model, so I cannot think up an answer. Ask “what can you do?” to see what I am good for.",
  nothingInTask: "I found nothing about that in the skills, in this chat's memory or in what was said here.",
  tryAgent: (agent) => `That may be a question for ${who(agent, ' (', ')')}.`,
  conversation: 'Conversation:',
}

const zh: Wording = {
  hello: (name) => `你好！我是 ${name}。问“你能做什么？”可以了解我的用处。`,
  welcome: '不客气。',
  introduction: (name, role, orchestrator, teammates) =>
    [
      `我是 ${name}${orchestrator ? '，这个团队的协调者' : role === '' ? '' : `（${role}）`}。我不是语言模型：离线工作，所说的话要么引自来源，要么是大家写下的。我可以`,
      list([
        '从技能、群记忆和聊天记录中回答问题，并注明来源',
        '记住和忘记：“记住周五演示”“我们决定用 Postgres”“忘记演示”',
        '说出记住了什么、决定了什么',
        '用关键原句总结对话',
        '查找谁在什么时候说过什么',
        ...(orchestrator && teammates.length > 0
          ? [`请队友帮忙：${teammates.map((agent) => who(agent, '（', '）')).join('；')}`]
          : []),
      ]),
    ].join('\n'),
  team: (members, self, peers) =>
    [
      '这个房间的成员：',
      list(members.map((agent) => who(agent, '：', '') + (agent.name === self ? '（就是我）' : ''))),
      ...(peers.length > 0 ? ['其他机器人：', list(peers.map((agent) => who(agent, '：', '')))] : []),
    ].join('\n'),
  agent: (agent) => `${agent.name} 是这个房间的成员。职责：${agent.role === '' ? '未说明' : agent.role}。`,
  remembered: (section, line) => `已记入${section}：${line}`,
  rememberedBefore: (line) => `已经记过了：${line}`,
  rememberWhat: '要记住什么？请写在“记住”后面。',
  forgotten: (lines) => (lines.length === 1 ? `已忘记：${lines[0]}` : `已忘记：\n${list(lines)}`),
  forgetNothing: (topic) => `群记忆里没有关于“${topic}”的内容，没有可忘记的。`,
  forgetWhich: (lines) => `有几行都符合，要忘记哪一行？\n${list(lines)}`,
  forgetAll: '我只按行忘记，以免误删。请说明是哪一行，或直接编辑记忆文件清空。',
  refused: (why) => `没有办成。${why}`,
  noMemory: '这一回合没有群记忆，无法记录或查找。',
  memoryEmpty: '群记忆还是空的。说“记住……”就可以开始。',
  memory: '群记忆：',
  nothingRemembered: (topic) => `群记忆里没有关于“${topic}”的内容。`,
  decisions: '本群的决定：',
  noDecisions: (topic) =>
    topic === '' ? '群记忆里还没有决定。说“我们决定……”就会记下。' : `群记忆里没有关于“${topic}”的决定。`,
  more: (count) => `……记忆文件里还有 ${count} 行。`,
  section: (name) => ({ members: '成员', context: '项目上下文', decisions: '决策记录' })[name],
  memorySource: (section) => `— 群记忆：${zh.section(section)}`,
  summary: (count, names, picked) =>
    `最近 ${count} 条消息的关键句${names.length > 0 ? `（${names.join('、')}）` : ''}，共选 ${picked} 句，均为原话；我不是语言模型，不改写：`,
  nothingToSummarise: '这里还没有可以总结的内容。',
  said: '在本会话中找到：',
  saidNothing: (topic) => `聊天记录里没有人说过关于“${topic}”的内容。`,
  saidHere: '这里有人说过：',
  excerpt: '（节选）',
  result: (name, text) => `来自 ${name}：\n\n${text}`,
  noResult: (name) => `${name} 没有给出结果。`,
  nothing:
    '在技能、群记忆和聊天记录里都没有找到相关内容。我不是语言模型，无法编出答案。问“你能做什么？”可以了解我的用处。',
  nothingInTask: '在技能、群记忆和聊天记录里都没有找到相关内容。',
  tryAgent: (agent) => `这个问题也许可以问 ${who(agent, '（', '）')}。`,
  conversation: '对话：',
}

export const WORDING: Readonly<Record<Language, Wording>> = { en, zh }

/** The language a text is answered in: Chinese where it holds Han or kana, English where it has other letters. */
export function languageOf(text: string, fallback: Language): Language {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'zh'
  return /\p{L}/u.test(text) ? 'en' : fallback
}
