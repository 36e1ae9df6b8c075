import type { EngineRun, TurnMessage } from '../../../messaging/engine.js'
import { type Intent, intentOf, isQuestion, unnamed } from './intent.js'
import { decisions, forget, recall, remember } from './notes.js'
import type { Outcome } from './outcome.js'
import { answerFrom, strongest } from './question.js'
import { quiet } from './quote.js'
import { Scene } from './scene.js'
import { findSaid, requestIn, summarise, withConversation } from './talk.js'
import { Tools } from './tools.js'
import { languageOf, WORDING, type Wording } from './wording.js'

/** Lines of one turn that are answered; a merged burst may hold more. */
const LINES = 10
/** A teammate is asked when its field fits at least so well; nobody was addressed: better than that. */
const FITS = 0.35
const FITS_UNASKED = 0.5
const SUGGESTS = 0.3
/** A result that is none: the gateway's note, silence. */
const NO_RESULT = /^\s*(?:\[[^\]\n]* gave no result\b[^\n]*\]|\[(?:pass|skip)\]|\(pass\))?\s*$/iu

/** One turn of the offline agent. Used once. */
export class OfflineTurn {
  private readonly tools: Tools
  private readonly scene: Scene

  constructor(
    private readonly run: EngineRun,
    fields: Readonly<Record<string, readonly string[]>>,
  ) {
    this.tools = new Tools(run)
    this.scene = new Scene(run, this.tools, fields)
  }

  /** The answer; null where a teammate was asked and nothing is to be said yet. */
  async answer(): Promise<string | null> {
    const { scene } = this
    if (this.run.input.turn.kind === 'follow-up') return this.followUp()
    const lines = scene.fresh.filter((line) => line.kind !== 'digest' && line.kind !== 'result').slice(-LINES)
    const spoken = lines.filter((line) =>
      /[\p{L}\p{N}\p{S}\p{P}]/u.test(unnamed(line.text, [scene.name]).replace(/^@/, '')),
    )
    if (spoken.length === 0) return this.bareMention()

    const said: string[] = []
    let asked = false
    for (const line of spoken) {
      if (this.run.signal.aborted) return null
      const outcome = await this.respond(line)
      if (outcome === 'asked') asked = true
      else if (outcome !== 'nothing' && !said.includes(outcome.say)) said.push(outcome.say)
    }
    if (said.length > 0) return said.join('\n\n')
    if (asked) return null
    const last = spoken.at(-1)
    return last && scene.mustSpeak ? this.honest(last.text) : '[PASS]'
  }

  private wording(text: string): Wording {
    return WORDING[languageOf(requestIn(text), this.run.input.turn.language)]
  }

  private intent(text: string): Intent {
    const { scene } = this
    return intentOf(
      requestIn(text),
      [scene.name],
      scene.teammates.map((agent) => agent.name),
    )
  }

  private async respond(line: TurnMessage): Promise<Outcome> {
    const { scene, tools } = this
    const say = this.wording(line.text)
    const intent = this.intent(line.text)
    if (!scene.mustSpeak && !(await this.joinsIn(intent, line.text))) return 'nothing'
    switch (intent.kind) {
      case 'greet':
        return { say: say.hello(scene.name) }
      case 'thanks':
        return { say: say.welcome }
      case 'introduce':
        return { say: say.introduction(scene.name, scene.role, scene.isOrchestrator, scene.teammates) }
      case 'team':
        return { say: say.team(scene.members, scene.name, scene.peers) }
      case 'agent': {
        const agent = scene.teammates.find((other) => other.name === intent.name)
        return agent ? { say: say.agent(agent) } : 'nothing'
      }
      case 'remember':
        return remember(intent, scene, tools, say)
      case 'forget':
        return forget(intent.topic, scene, tools, say)
      case 'recall':
        return recall(intent.topic, scene, say)
      case 'decisions':
        return decisions(intent.topic, scene, say)
      case 'search':
        return findSaid(intent, scene, tools, say)
      case 'ask':
        return this.askByName(intent.teammate, intent.task, say)
      case 'summarise':
        return this.summary(intent, line.text, say)
      case 'question':
        return this.question(intent.topic, line.text, say)
    }
  }

  /** Whether an agent that was not addressed has something to do with a line. */
  private async joinsIn(intent: Intent, text: string): Promise<boolean> {
    switch (intent.kind) {
      case 'remember':
        return this.scene.isMine(`${text} remember decision notes 记录 决定`)
      case 'decisions':
      case 'recall':
        return this.scene.isMine(`${text} remember decision notes 记录 决定`)
      case 'summarise':
        return this.scene.isMine(`${text} summary notes 总结`)
      case 'search':
        return this.scene.isMine(`${text} find 查找`)
      case 'question':
        return isQuestion(text) && this.scene.isMine(text)
      default:
        return false
    }
  }

  private async askByName(name: string, task: string, say: Wording): Promise<Outcome> {
    const teammate = this.scene.teammates.find((agent) => agent.name === name)
    if (!teammate) return 'nothing'
    if (this.scene.mayAsk && (await this.delegate(name, task, say))) return 'asked'
    const own = await this.respond({ ...this.blank(), text: task })
    return own === 'nothing' ? { say: `${say.nothing}\n${say.tryAgent(teammate)}` } : own
  }

  private async summary(
    intent: Intent & { kind: 'summarise' },
    text: string,
    say: Wording,
  ): Promise<Outcome> {
    if (this.scene.mayAsk) {
      const fit = this.scene.bestOther(
        'summarise summary conversation notes 总结 笔记',
        0.2,
        this.scene.teammates,
      )
      if (fit && (await this.delegate(fit.agent.name, text, say))) return 'asked'
    }
    const summary = await summarise(intent, text, this.scene, this.tools, say, (line) => this.intent(line))
    if (summary !== null) return { say: summary }
    return intent.topic === '' ? { say: say.nothingToSummarise } : this.question(intent.topic, text, say)
  }

  private async question(topic: string, text: string, say: Wording): Promise<Outcome> {
    const { scene } = this
    const found = await strongest(topic, scene, this.tools)
    if (scene.mayAsk) {
      const least = Math.max(found?.score ?? 0, scene.mustSpeak ? FITS : FITS_UNASKED)
      const fit = scene.bestOther(topic, least, scene.teammates)
      if (fit && fit.score > (found?.score ?? 0) && (await this.delegate(fit.agent.name, text, say)))
        return 'asked'
    }
    if (!found || (!scene.mustSpeak && !found.sure)) return 'nothing'
    return { say: answerFrom(found, say) }
  }

  private delegate(name: string, task: string, say: Wording): Promise<boolean> {
    const isSummary = this.intent(task).kind === 'summarise'
    return this.tools.ask(name, isSummary ? withConversation(task, this.scene, say) : task)
  }

  /** Nothing fits: say so, say what this is, and who may know. */
  private honest(text: string): string {
    const { scene } = this
    const say = this.wording(text)
    const other = scene.bestOther(text, SUGGESTS, [...scene.teammates, ...scene.peers])
    const plain = scene.isTask ? say.nothingInTask : say.nothing
    return other && !scene.isTask ? `${plain}\n${say.tryAgent(other.agent)}` : plain
  }

  /** Called without words: the last thing that somebody asked is meant. */
  private async bareMention(): Promise<string | null> {
    const { scene } = this
    const last = scene.before.filter((line) => line.kind === 'person' && line.text.trim() !== '').at(-1)
    if (last && this.intent(last.text).kind !== 'greet') {
      const outcome = await this.respond(last)
      if (outcome === 'asked') return null
      if (outcome !== 'nothing') return outcome.say
    }
    if (!scene.mustSpeak) return '[PASS]'
    return this.wording('').introduction(scene.name, scene.role, scene.isOrchestrator, scene.teammates)
  }

  /** Teammates have reported: what they say is posted in their name. */
  private async followUp(): Promise<string> {
    const results = this.scene.fresh.filter((line) => line.kind === 'result')
    const question = this.scene.before.filter((line) => line.kind === 'person').at(-1)
    const say = this.wording(question?.text ?? results[0]?.text ?? '')
    const parts = results.map((line) =>
      NO_RESULT.test(line.text)
        ? say.noResult(line.author.name)
        : say.result(line.author.name, line.text.trim()),
    )
    if (question && results.every((line) => NO_RESULT.test(line.text))) {
      const found = await strongest(question.text, this.scene, this.tools)
      parts.push(found ? answerFrom(found, say) : this.honest(question.text))
    }
    return parts.length > 0 ? parts.join('\n\n') : this.honest(quiet(question?.text ?? ''))
  }

  private blank(): TurnMessage {
    return { id: '', author: { id: '', name: '' }, kind: 'person', text: '', at: '', new: true }
  }
}
