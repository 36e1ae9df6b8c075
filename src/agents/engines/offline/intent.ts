/** What a line wants, by plain patterns in both languages. Pure; what no pattern knows is a question. */

export type Intent =
  | { kind: 'greet' }
  | { kind: 'thanks' }
  | { kind: 'introduce' }
  | { kind: 'team' }
  | { kind: 'agent'; name: string }
  /** `line` is empty for "remember this": then the line before is meant. */
  | { kind: 'remember'; section: 'context' | 'decisions'; line: string; asked: boolean }
  | { kind: 'forget'; topic: string }
  | { kind: 'recall'; topic: string }
  | { kind: 'decisions'; topic: string }
  | { kind: 'summarise'; topic: string; last: number | null }
  | { kind: 'search'; topic: string; by: string }
  | { kind: 'ask'; teammate: string; task: string }
  | { kind: 'question'; topic: string }

/** What a line wants stands at its start; a longer line is a question about all of it. */
const INTENT_CHARACTERS = 2_000

/** Politeness and the like in front of a request. */
const PLEASE =
  /^(?:(?:please|pls|kindly|hey|hi|hello|ok(?:ay)?|so|and|also|now)\b[\s,]*|(?:can|could|would|will) (?:you|someone|anyone|somebody)(?: please)?\s+|i(?:'d| would) like you to\s+|(?:请问|请你|请|麻烦你?|帮我们?|能不能|能否|可以|你能|谁能)\s*)+/iu
const END = /[\s.!。！~～]+$/u

const GREETING =
  /^(?:hi|hiya|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day)|how are you(?: doing)?|你们?好|您好|大家好|嗨|哈喽|早上好|下午好|晚上好|早)(?:[\s,，]+(?:there|all|everyone|everybody|team|folks|again|today))*[\s!！.。?？~～]*$/iu
const THANKS =
  /^(?:(?:many )?thanks|thank you|thx|ty|cheers|great,? thanks|ok,? thanks|谢谢|多谢|感谢|谢了|辛苦了)(?:[\s,，]*(?:a lot|so much|very much|all|everyone|你们?|大家|啦|了))*[\s!！.。~～]*$/iu
const INTRODUCE =
  /^(?:(?:so )?(?:who|what) (?:exactly )?are you|what(?: all)? can you (?:do|help)(?: for (?:me|us)| with)?|what do you do|how can you help(?: me| us)?|what are you (?:good )?for|introduce yourself|help(?: me| us)?|are you (?:a |an )?(?:bot|ai|robot|human|llm|language model)|你们?是谁|你们?是什么|你们?能(?:做|干|帮)(?:我|我们)?(?:什么|啥|些什么)|你们?会(?:做)?(?:什么|啥)|介绍一下(?:你)?自己|自我介绍(?:一下)?|你有(?:什么|哪些)(?:功能|用处|用)|你是(?:语言模型|机器人|人|AI)吗?|帮助)[\s?？!！.。]*$/iu
const TEAM =
  /^(?:who(?:'s| is| are| else is)? (?:all )?(?:in|on) (?:the|this|your|our) (?:team|room|roster)|(?:who|which|what) (?:are )?(?:the |your |our )?(?:other )?(?:agents|teammates|bots|team members)(?: are)?(?: there| here| in this room)?|(?:please )?(?:introduce|list|show)(?: me| us)? (?:the |your )?(?:team|agents|teammates|roster)|who can help|(?:这里|团队里?|房间里?)?(?:都)?有(?:哪些|什么)(?:成员|队友|机器人|助手|agent)|团队里?(?:都)?有谁|这里(?:都)?有谁|介绍一下?(?:团队|成员|大家|队友))[\s?？!！.。]*$/iu

const REMEMBER =
  /^(?:remember|note(?: down)?|keep in mind|bear in mind|write down|make a note(?: of)?|take a note|memori[sz]e|don'?t forget|do not forget|add to (?:the |your )?memory)\b[\s:,]*(?:(?:that|this|it|down)\b[\s:,]*)*([\s\S]*)$/iu
const REMEMBER_ZH =
  /^(?:记住|记下来?|记一下|记录一?下?|别忘了|不要忘记|记得|加入记忆|写入记忆)(?:这件事|这个|这一点|一下)?[\s：:，,]*([\s\S]*)$/u
const DECIDED =
  /^(?:so[\s,]+|ok(?:ay)?[\s,]+)?(?:decision\s*:\s*|(?:we|the team|everyone)(?:'ve| have)?(?: all| finally| just| now| today)* (?:decided|agreed|settled|chose|voted)(?: (?:to|on|that|for))?\s+|(?:we|we'll|we will) go with\s+)([\s\S]+)$/iu
const DECIDED_ZH =
  /^(?:决定|决议|结论)\s*[：:]\s*([\s\S]+)$|^(?:我们|大家|团队)(?:已经|刚刚|刚才|一致|最终|最后|都)*(?:决定|商定|约定|定下)(?:了)?[\s：:，,]*([\s\S]+)$/u

const FORGET =
  /^(?:forget|unlearn|(?:remove|delete|drop|erase)(?=.*\bmemory\b))\b[\s:,]*(?:(?:about|that|the (?:line|note|fact|decision|entry)(?: (?:about|that|on|with))?)\b[\s:,]*)?([\s\S]*)$/iu
const FORGET_ZH =
  /^(?:忘记|忘掉|忘了|(?:从(?:群)?记忆(?:中|里))?(?:删除|删掉|去掉)(?=.*(?:记忆|那一?行|这一?行|记录)))[\s：:，,]*(?:关于)?([\s\S]*?)(?:这件事|那件事|的事情?|的?[那这]一?行|的?记录)?$/u
const FORGET_ALL =
  /^(?:everything|all(?: of it)?|it all|all (?:the )?(?:lines|memory|notes)|一切|所有(?:的?(?:内容|事情|记忆))?|全部|全部内容)$/iu
const NEVER_MIND = /^(?:it|about it|that|this|算了|吧|它)?$/iu

const RECALL =
  /^(?:what(?: all)? (?:do|did|have) you (?:still )?(?:remember(?:ed)?|noted?|know about (?:us|this (?:chat|room|team|group)))|what(?:'s| is) (?:in|on) (?:the|your|our|this chat's|the group) memory|(?:show|read|list)(?: me| us)?(?: the| your| our)?(?: group| chat)? memory)\b[\s,]*(?:(?:about|of|on|regarding)\s+([\s\S]+?))?[\s?？!.]*$/iu
const RECALL_ZH =
  /^(?:关于(.+?)[，,\s]*)?(?:你们?)?(?:还|都)?(?:记得|记住了?|记了|知道)(?:关于(.+?)的?)?(?:什么|哪些|啥|些什么)(?:内容|事情?)?[\s?？。！]*$|^(?:群)?记忆(?:里|中)?(?:都)?有(?:什么|哪些)(?:内容)?[\s?？。]*$|^(?:显示|查看|看看|读一?下?|列出)(?:一下)?(?:群)?记忆[\s?？。]*$/u
const DECISIONS =
  /^(?:what (?:did|have) (?:we|they|you|the team) (?:all )?(?:decided?|agreed?|settled?)(?: (?:on|to do|so far|upon|until now))?|(?:what|which)(?: are| were)?(?: the| our| all)? decisions(?: (?:were made|did we make|have we made|do we have|are there|so far))?|(?:list|show)(?: me| us)?(?: the| our| all)* decisions|do we have (?:a|any) decisions?)\b[\s,]*(?:(?:about|on|regarding|for|with)\s+([\s\S]+?))?[\s?？!.]*$/iu
const DECISIONS_ZH =
  /^(?:关于(.+?)[，,\s]*)?(?:我们|大家|团队)?(?:都|已经|之前|上次)*(?:决定|定|商定)(?:了|过)?(?:什么|哪些|啥|些什么)(?:事情?)?[\s?？。！]*$|^(?:关于(.+?)的?)?(?:都)?(?:有(?:什么|哪些)(?:决定|决策)|(?:决定|决策)(?:记录)?(?:都)?有(?:什么|哪些))[\s?？。]*$|^(?:列出|显示|查看|看看)(?:一下)?(?:所有)?(?:的)?(?:决定|决策)(?:记录)?[\s?？。]*$/u

const SUMMARISE =
  /^(?:summari[sz]e|sum up|recap|catch me up|bring me up to date|tl;?dr|what did i miss|(?:give|write|make|post|send|get|do|create|prepare|i need|we need)\b[^.?!]{0,40}?\b(?:summary|recap|minutes|tl;?dr)|(?:a |the )?(?:short |quick )?(?:summary|recap|minutes)(?:,? please)?\b)([\s\S]*)$/iu
const SUMMARISE_ZH =
  /^(?:做个|写个|来个|给(?:我|我们)?(?:做|写)?(?:个|一个|一份)?|把)?(.{0,30}?)(?:总结|概括|归纳|回顾|小结|摘要|会议纪要|纪要)(?:一下)?([\s\S]*)$|^我错过了什么[\s?？。]*$/u
/** What a summary is about when it is about the conversation itself. */
const THE_TALK =
  /\b(?:of|on|about|for|me|us|up|the|this|that|our|all|please|now|here|today|today's|so|far|what|was|were|has|have|been|we|said|happened|discussed|everything|last|past|latest|recent|previous|in|conversation|discussion|chat|thread|talk|messages?|lines?|meeting|channel|room|it|a|quick|short|brief|few|\d+)\b|[\d\s.,:!?？。！，：]+|(?:这个|这次|上面|以上|刚才|今天|本群|群里|我们|大家|最近|最后|前面|一下|内容|对话|讨论|聊天|会议|消息|话题|说|聊|请|的|了|在|条|段|对|把|吧)/giu

const WHO_SAID =
  /^who(?: (?:has|have|had|else|here))? (?:said|says|mentioned|wrote|asked|talked|spoke|brought up|suggested|proposed|reported)\b(?: (?:anything|something|it))?[\s:,]*(?:(?:about|that|for|of|on)\b\s*)*([\s\S]+?)[\s?？!.]*$/iu
const WHEN_SAID =
  /^when (?:did|was|have) (?:we|i|you|they|anyone|somebody|someone|\S+) (?:last |first )?(?:talk|talked|speak|spoke|discuss|discussed|mention|mentioned|say|said|decide|chat)\b(?: (?:about|of|on|that))?\s*([\s\S]+?)[\s?？!.]*$/iu
const FIND_IN =
  /^(?:search|find|look(?: up)?|grep)(?: for)?\s+([\s\S]+?)\s+(?:in|through|from) (?:the |this |our )?(?:chat|conversation|history|transcript|messages|channel|thread)(?: history| log)?[\s?？!.]*$/iu
const SEARCH_IN =
  /^search (?:the |this |our )?(?:chat|conversation|history|transcript|messages)(?: history| log)? for\s+([\s\S]+?)[\s?？!.]*$/iu
const WHAT_SAID =
  /^what (?:did|has|have|does) ([^\s?]+(?: [^\s?]+)?) (?:say|said|write|written|mention|mentioned|think|ask)\b(?: (?:about|on|of|to)\s+([\s\S]+?))?[\s?？!.]*$/iu
const WHO_SAID_ZH =
  /^(?:是)?谁(?:曾经?)?(?:说过?|提到过?|提起过?|提过|讲过|问过|聊过|建议过?)(?:了)?(?:关于)?([\s\S]+?)(?:的事情?)?[\s?？。！吗]*$/u
const WHEN_SAID_ZH =
  /^(?:我们|大家)?(?:是)?(?:什么时候|何时|哪天)(?:说过?|聊过?|聊到|讨论过?|提到过?|提过|讲过)(?:了)?(?:关于)?([\s\S]+?)(?:的事情?)?[\s?？。！]*$/u
const FIND_IN_ZH =
  /^(?:在)?(?:聊天记录|历史记录|历史|记录|对话)(?:里|中)?(?:搜索|查找|搜|查|找)(?:一下)?[\s：:]*([\s\S]+?)[\s?？。]*$|^(?:搜索|查找|搜|查)(?:一下)?(?:聊天记录|历史记录|对话)[\s：:]*([\s\S]+?)[\s?？。]*$/u
const WHAT_SAID_ZH =
  /^([^\s，,？?]{1,20}?)(?:都|刚才|之前)?(?:说|讲|提)(?:过|了|到)?(?:关于(.+?)的?)?(?:什么|啥|哪些话?)[\s?？。]*$/u

/** Whether a text asks something, by its mark or its first word. */
export function isQuestion(text: string): boolean {
  return (
    /[?？]\s*$/u.test(text) ||
    /^(?:who|what|when|where|why|how|which|whose|can|could|is|are|does|do|did|will|would|should|has|have|any ?one|any ?body|explain|describe|tell me)\b/iu.test(
      text.trim(),
    ) ||
    /(?:什么|怎么|怎样|如何|为何|为什么|哪里|哪些|哪个|谁|多少|几时|是否|能否|吗|呢)[\s。！]*/u.test(text)
  )
}

/** The sentence a decision is noted as: "we decided to use Go" -> "Use Go". */
function decision(text: string): string | null {
  if (/[?？]\s*$/u.test(text)) return null
  const english = DECIDED.exec(text)?.[1]
  if (english !== undefined) {
    const line = english.trim()
    return /^(?:what|whether|when|how|who|nothing)\b/iu.test(line)
      ? null
      : line.slice(0, 1).toUpperCase() + line.slice(1)
  }
  const chinese = DECIDED_ZH.exec(text)
  const line = (chinese?.[1] ?? chinese?.[2])?.trim()
  return line === undefined || /^(?:什么|哪些|啥|了什么)/u.test(line) ? null : line
}

function memory(text: string): Intent | null {
  const recall = RECALL.exec(text) ?? RECALL_ZH.exec(text)
  if (recall) return { kind: 'recall', topic: (recall[1] ?? recall[2] ?? '').trim() }
  const decisions = DECISIONS.exec(text) ?? DECISIONS_ZH.exec(text)
  if (decisions) return { kind: 'decisions', topic: (decisions[1] ?? decisions[2] ?? '').trim() }

  const line = (REMEMBER.exec(text) ?? REMEMBER_ZH.exec(text))?.[1]
  if (line !== undefined && !/[?？]\s*$/u.test(text) && !/[吗呢]$/u.test(text)) {
    const wanted = line.trim()
    const decided = decision(wanted)
    return decided === null
      ? { kind: 'remember', section: 'context', line: wanted, asked: true }
      : { kind: 'remember', section: 'decisions', line: decided, asked: true }
  }
  const decided = decision(text)
  if (decided !== null) return { kind: 'remember', section: 'decisions', line: decided, asked: false }

  const forget = (FORGET.exec(text) ?? FORGET_ZH.exec(text))?.[1]
    ?.replace(/\bfrom (?:the |your |our )?(?:group )?memory$/iu, '')
    .trim()
  if (forget === undefined || NEVER_MIND.test(forget) || /[?？]\s*$/u.test(text)) return null
  return { kind: 'forget', topic: FORGET_ALL.test(forget) ? '' : forget }
}

function search(text: string): Intent | null {
  const topic = [WHO_SAID, WHEN_SAID, FIND_IN, SEARCH_IN, WHO_SAID_ZH, WHEN_SAID_ZH, FIND_IN_ZH]
    .map((pattern) => pattern.exec(text))
    .map((found) => (found?.[1] ?? found?.[2])?.trim())
    .find((found) => found !== undefined && found !== '')
  if (topic !== undefined) return { kind: 'search', topic, by: '' }
  const said = WHAT_SAID.exec(text) ?? WHAT_SAID_ZH.exec(text)
  const by = said?.[1]?.trim() ?? ''
  if (!said || /^(?:we|you|they|it|i|the|this|我们|你们?|他们|它|大家)(?:\s|$)/iu.test(by)) return null
  return { kind: 'search', topic: (said[2] ?? '').trim(), by }
}

function summary(text: string): Intent | null {
  const chinese = SUMMARISE_ZH.exec(text)
  const asksAboutIt = /(?:什么|怎么|如何|吗)/u.test(text) && !text.startsWith('我错过')
  const found = SUMMARISE.exec(text) ?? (asksAboutIt ? null : chinese)
  if (!found) return null
  const rest = `${found[1] ?? ''} ${found[2] ?? ''}`.trim()
  const last =
    /\b(?:last|past|latest|previous)\s+(\d{1,3})\b|(?:最近|最后|前面?|上面)的?\s*(\d{1,3})\s*条/iu.exec(rest)
  return {
    kind: 'summarise',
    topic: rest.replace(THE_TALK, ' ').replace(/\s+/g, ' ').trim(),
    last: last ? Number(last[1] ?? last[2]) : null,
  }
}

const ABOUT_AGENT = /^(?:who(?:'s| is)|what (?:is|does|can))\s+/iu
const ABOUT_AGENT_REST =
  /^(?:\s*(?:do|for|good for|responsible for|是谁|是什么人|(?:能|会)?做什么|负责什么|是做什么的))?[\s?？!.。]*$/iu
const ASK_VERBS = ['ask ', 'let ', 'have ', 'tell ', 'get ', '请问', '请', '让', '叫', '问问', '问', '找', '']
const ASK_REST = /^[\s,，:：]*(?:(?:to|about|for|whether|if)\b|去|来|帮忙|一下)?[\s,，:：]*/iu

/** Names are data: they are compared, never made part of a pattern. */
function naming(text: string, others: readonly string[]): Intent | null {
  const lower = text.toLowerCase()
  for (const name of [...others].sort((a, b) => b.length - a.length)) {
    const wanted = name.toLowerCase()
    const about = ABOUT_AGENT.exec(text)?.[0].length ?? 0
    if (lower.startsWith(wanted, about) && ABOUT_AGENT_REST.test(text.slice(about + wanted.length))) {
      if (about > 0 || text.length > wanted.length + 1) return { kind: 'agent', name }
    }
    const verb = ASK_VERBS.find((each) => lower.startsWith(each + wanted))
    if (verb === undefined) continue
    const rest = text.slice(verb.length + wanted.length)
    // `ask Golemine` names nobody; a bare name only calls somebody when a mark or a Chinese verb follows.
    if (/^[\p{L}\p{N}_-]/u.test(rest) && !/^\p{Script=Han}/u.test(rest)) continue
    if (verb === '' && !/^(?:\s*[,，:：]|\s?(?:请|帮|查|找|总结|看|写|记))/u.test(rest)) continue
    const task = rest.replace(ASK_REST, '').trim()
    if (task !== '') return { kind: 'ask', teammate: name, task }
  }
  return null
}

/** Words that may stand in front of the name they greet. */
const GREETED =
  /^(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening)|你们?好|您好|大家好|嗨|哈喽|早上好|下午好|晚上好)[\s,，!！、]*(?=@)/iu

/** One line without the agent's own name where it is called, and without the marks of mentions. */
export function unnamed(text: string, self: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const names = [...self].sort((a, b) => b.length - a.length)
  const first = (strip: (name: string) => string | null): string | null =>
    names.map(strip).find((rest) => rest !== null) ?? null
  const inFront = first((name) => calledInFront(line.replace(GREETED, ''), name))
  // A greeting and a name are a greeting.
  const rest = inFront !== null && inFront !== '' ? inFront : first((name) => calledAtEnd(line, name))
  // `@Name` of somebody else stays, as a name.
  return (rest ?? line).replace(/(^|[\s(（]|\p{Script=Han})@(?=\p{L})/gu, '$1')
}

/** `@Name, text` or `Name: text`; null where the name calls nobody. */
function calledInFront(line: string, name: string): string | null {
  const mark = line.startsWith('@') ? 1 : 0
  if (!line.toLowerCase().startsWith(name.toLowerCase(), mark)) return null
  const behind = line.slice(mark + name.length)
  const isCalled =
    mark === 1
      ? !/^[\p{L}\p{N}_-]/u.test(behind) || /^\p{Script=Han}/u.test(behind)
      : /^\s*[,，:：]/u.test(behind)
  return isCalled ? behind.replace(/^[\s,，:：]+/u, '') : null
}

/** `text @Name!`; a question may be about the name (`who is @Name?`), unless a comma sets it apart. */
function calledAtEnd(line: string, name: string): string | null {
  const marks = /[\s.!?。！？~～]*$/u.exec(line)?.[0] ?? ''
  const body = line.slice(0, line.length - marks.length)
  const at = body.length - name.length - 1
  if (at < 0 || body.slice(at).toLowerCase() !== `@${name.toLowerCase()}`) return null
  const before = body.slice(0, at)
  if (/[\p{L}\p{N}._@/-]$/u.test(before) && !/\p{Script=Han}$/u.test(before)) return null
  if (isQuestion(line) && !/[,，]\s*$/u.test(before)) return null
  return `${before.replace(/[\s,，、]+$/u, '')}${marks.trim()}`
}

/**
 * @param self names the agent itself goes by
 * @param others names of the other agents of the room
 */
export function intentOf(text: string, self: readonly string[], others: readonly string[]): Intent {
  const intent = intentOfAll(text, self, others)
  if (intent.kind !== 'question') return intent
  // "On it. What can you do?": what is wanted is often the last sentence.
  const last = /[.!?。！？]\s*(\S[^.!?。！？]*[?？]?)\s*$/u.exec(text.trim().replace(END, ''))?.[1]
  const wanted = last === undefined ? null : intentOfAll(last, self, others)
  return wanted !== null && STANDING_ALONE.has(wanted.kind) ? wanted : intent
}

/** Intents that a last sentence may hold by itself, whatever was said before it. */
const STANDING_ALONE: ReadonlySet<Intent['kind']> = new Set([
  'introduce',
  'team',
  'recall',
  'decisions',
  'summarise',
])

function intentOfAll(text: string, self: readonly string[], others: readonly string[]): Intent {
  const whole = unnamed(text.slice(0, INTENT_CHARACTERS), self)
  const plain = whole.replace(PLEASE, '').trim() || whole
  const is = (pattern: RegExp): boolean => pattern.test(plain) || pattern.test(whole)
  if (is(GREETING)) return { kind: 'greet' }
  if (is(THANKS)) return { kind: 'thanks' }
  if (is(INTRODUCE)) return { kind: 'introduce' }
  if (is(TEAM)) return { kind: 'team' }
  const request = plain.replace(END, '')
  return (
    naming(whole.replace(END, ''), others) ??
    naming(request, others) ??
    memory(request) ??
    search(request) ??
    summary(request) ?? { kind: 'question', topic: plain }
  )
}
