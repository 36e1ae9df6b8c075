/** How often the smart gate is right about messages that it was not made on, and how much it keeps from the agents. */
import { gateOn, halfOf, type Labelled, labelled, type Score, scoreOf } from '../tests/support/smart-gate.js'

export interface SmartGateBench {
  /** The half that the rules were not made on. */
  test: Record<'en' | 'zh' | 'both', Rules>
  /** The half that they were made on, to see how far the two are apart. */
  tune: Record<'en' | 'zh' | 'both', Pick<Rules, 'local'>>
}

interface Rules {
  local: Score & { skipped: number; unsure: number }
  runAlways: Score
  /** Runs where the text holds a question mark. */
  questionMark: Score
}

export function smartGates(): SmartGateBench {
  const half = (which: 'tune' | 'test', language?: 'en' | 'zh'): Labelled[] =>
    labelled().filter(
      (one) => halfOf(one.id) === which && (language === undefined || one.language === language),
    )
  const local = (messages: Labelled[]): Rules['local'] => {
    const verdicts = new Map(messages.map((one) => [one.id, gateOn(one).verdict]))
    const count = (verdict: string) => [...verdicts.values()].filter((one) => one === verdict).length
    return {
      ...scoreOf(messages, ({ id }) => verdicts.get(id) !== 'skip'),
      skipped: count('skip'),
      unsure: count('unsure'),
    }
  }
  const rules = (messages: Labelled[]): Rules => ({
    local: local(messages),
    runAlways: scoreOf(messages, () => true),
    questionMark: scoreOf(messages, ({ text }) => /[?？]/u.test(text)),
  })
  return {
    test: { en: rules(half('test', 'en')), zh: rules(half('test', 'zh')), both: rules(half('test')) },
    tune: {
      en: { local: local(half('tune', 'en')) },
      zh: { local: local(half('tune', 'zh')) },
      both: { local: local(half('tune')) },
    },
  }
}
