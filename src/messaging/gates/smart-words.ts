/** How people write what the smart gate looks for, in English and in Chinese. Patterns of a text without code and links. */

type Patterns = readonly RegExp[]

/** How a question ends or begins, with a question mark or without. */
export const QUESTION: Patterns = [
  /[?？][\p{Extended_Pictographic}\s)）]*$/u,
  /^(?:(?:and|so|but|hi|hey|ok|btw),?\s+)*(?:who|what|when|where|why|how|which|can|could|is|are|does|do|did|has|have|any(?:one|body)|some(?:one|body))\b/iu,
  /\b(?:any\s?(?:one|body) (?:know|else|seen|tried)|any ideas?\b|what can we do)/iu,
  /(?:吗|嘛)[。！!…~～]*$/u,
  /什么|怎么|怎样|如何|为何|为什么|哪[里个些儿]|谁|几点|多少|多久|是不是|能不能|可不可以|有没有|有没|请问|是否/u,
]

/** Looks like a question, and wants no answer. */
export const RHETORICAL: Patterns = [
  /,\s*(?:right|huh|eh|yeah|no|(?:is|are|do|does|did|was|were|ca|wo|have|has)n['’]?t (?:it|they|we|you|he|she|that))\s*[?!.]*$/iu,
  /^(?:who (?:needs|cares|would have thought)|what could possibly|why (?:is it always|do(?:es)? .*\balways\b)|isn['’]t (?:it|that|this|\w+) (?:wonderful|great|lovely|nice|funny)|what a\b|how (?:cool|great|nice|awesome|funny|sweet|lovely)\b)/iu,
  /\bwhat could possibly go wrong/iu,
  // Answered in the same breath.
  /(?:\.{2,}|…+)\s*(?:oh|ah|wait|哦|噢|啊)(?![a-z])/iu,
  /不是吗[？?。！!]*$|^谁(?:说不是|知道呢|还(?:需要|要|不)|不想)|难道|何必|能出什么(?:问题|事)|有什么办法呢/u,
  /为什么(?:总|每次|老)是?/u,
  /^(?:这|那)?(?:也)?太.{1,8}了(?:吧)?[！!]*$|真是(?:太|一).+/u,
]

/** Somebody is asked to do something. */
export const REQUEST: Patterns = [
  /\b(?:please|pls|plz)\b/iu,
  /\b(?:can|could|would)\s+(?:some|any)\s?(?:one|body)\b|\b(?:some|any)(?:one|body) (?:please|who can)\b/iu,
  /^(?:can|could|may) i (?:get|have)\b|\bwe need (?:a|an|the|some)\b|\btake a note\b|^(?:note|remember|write down):?\s/iu,
  /^(?:help|sos)\b/iu,
  // Said of oneself, and meant as a question.
  /\bi (?:can(?:no|['’])t find|have no (?:clue|idea)|do(?: not|n['’]t) (?:know|understand)|forgot)\b|\bno clue\b|\bremind me\b|\bnot sure (?:which|how|what|where|why|who)\b/iu,
  /没头绪|找不到|搞不懂|不知道(?:该|怎|哪|为)|又?忘了$|想(?:了解|知道)|求(?:助|教|看)|有.{1,6}没$/u,
  /麻烦|帮忙|帮我|帮下|谁(?:能|可以|来|帮|给)|请(?!问|假|客)|记一下|记下来|^需要(?:一|有)|救命/u,
]

/** Something is not as it should be. */
export const TROUBLE: Patterns = [
  /\b(?:fail(?:s|ed|ing|ure)?|errors?|down|broken?|breaks|red|crash(?:es|ed|ing)?|time[ds]?[\s-]?out|timeouts?|hangs?|stuck|flaky|wrong|outdated|missing|gone|slow|50[0-4]s?|40[134]s?|leaks?|refuse[sd]?|denied|keeps \w+ing|does(?: not|n['’]t) (?:say|work|exist)|dropped|can(?:no|')t (?:log ?in|connect|reach))\b/iu,
  /报错|错误|失败|挂[了掉]|崩|超时|卡住|卡死|告警|不稳定|过时|丢了|没了|打不开|进不去|连不上|异常|变慢|很慢|红/u,
]

/** A talk ends, or somebody just says yes. */
export const CLOSING: Patterns = [
  /^(?:ok(?:ay)?|kk?|yes|yep|no|nope|sure|fine|cool|nice|great|perfect|done|noted|lgtm|agreed|right|true|exactly|got it|i see|oh i see|ah ok|sounds good|makes sense|will do|good (?:point|idea)|np|no (?:problem|idea|worries)|never ?mind|nvm|found it|that(?:'s| is) it|same here|me too|\+1)(?![\p{L}\p{N}])/iu,
  /\b(?:thanks|thank you|thx|ty|cheers)\b/iu,
  /^(?:哦|噢|嗯+|好(?:的|吧|嘞)?|行|收到|明白|了解|知道了|懂了|可以|没(?:问题|事|关系)|对|是的|不是|同意|赞|完美|辛苦|不客气|不清楚|不知道)(?:[，,。！!~～\s了啦]|$)/u,
  /谢谢|多谢|谢啦|感谢/u,
]

/** Trouble is over, or somebody takes care of it. */
export const SETTLED: Patterns = [
  /\b(?:fixed now|resolved|solved|green again|back to normal|up again|works (?:now|again)|it was (?:the|my|a))\b/iu,
  /^(?:i['’]?ll|i will|i['’]?m) (?:take|do|fix|look|check|handle|on it)\b|^on it\b/iu,
  /恢复了|原来是|(?:修|弄|搞|改|解决)好?了$|已经?解决|我来(?:吧|处理|看看?|修)?$|交给我/u,
]

/** Said for the pleasure of it, or to arrange something among people. */
export const SOCIAL: Patterns = [
  /^(?:good )?(?:morning|afternoon|evening|night|hi|hello|hey|bye|cya|see (?:you|ya)|welcome|congrats|congratulations)(?:[\s,!.]+(?:all|everyone|everybody|folks|team|guys|there|you|tomorrow))*(?:[\s!.,]|\p{Extended_Pictographic}|\ufe0f)*$/iu,
  /\b(?:lunch|coffee|breakfast|dinner|beers?|pizza|birthday|weekend|holidays|weather|haha+|lol|rofl)\b/iu,
  /(?:早上|上午|下午|晚上|大家)好|早安|晚安|再见|明天见|下班[了后]|打球|午饭|吃饭|咖啡|奶茶|啤酒|生日快乐|周末愉快|恭喜|天气|球赛|哈哈/u,
]

/** Told to everybody, so that they know. */
export const NOTICE: Patterns = [
  /^(?:fyi|reminder|heads[ -]?up|announcement|psa|note to self)\b/iu,
  /^(?:通知|提醒|公告|各位注意|温馨提示)/u,
]

export const some = (patterns: Patterns, text: string): boolean =>
  patterns.some((pattern) => pattern.test(text))
