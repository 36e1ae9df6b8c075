/** `transcribe:` in golem.yaml: who writes down what people say in voice notes. */
import { z } from 'zod'
import { duration } from './duration.js'
import { keyProblem, programCommand, programEnv, providerKey } from './engine-keys.js'
import { type Finding, showPath } from './errors.js'
import { type Mapping, mappingOf } from './shape.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND

export const transcribe = z
  .strictObject({
    command: programCommand(
      'A program that prints what is said in an audio file. `{file}` in an argument is the path of the file; where no argument holds it, it is the last one.',
      ['./transcribe.sh', '{file}'],
    ).exactOptional(),
    env: programEnv('WHISPER_API_KEY'),
    model: z
      .string()
      .regex(
        /^(?:openai|openai-compatible)\/\S{1,200}$/,
        'must be openai/… or openai-compatible/…, e.g. openai/whisper-1',
      )
      .exactOptional()
      .meta({
        description:
          "A model behind OpenAI's API for transcriptions, or a server of your own that speaks it (`openai-compatible`, with `baseUrl`). Either this or `command`.",
        examples: ['openai/whisper-1'],
      }),
    baseUrl: z
      .string()
      .regex(
        /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/i,
        'must be an http or https address, without a user, a query or blanks',
      )
      .exactOptional()
      .meta({
        description: 'Address of the server, up to the version. `openai-compatible` needs it.',
        examples: ['http://127.0.0.1:8000/v1'],
      }),
    apiKey: providerKey.exactOptional().meta({
      description: 'Its key. Default for `openai`: the environment variable OPENAI_API_KEY.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
      examples: ['${OPENAI_API_KEY}'],
    }),
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/, 'must be a language code, e.g. en or zh')
      .exactOptional()
      .meta({ description: 'What is mostly spoken; default: found out.', examples: ['zh'] }),
    timeout: duration('s', SECOND, 10 * MINUTE)
      .prefault('60s')
      .meta({
        description: 'One voice note may take this long. Seconds, or text with a unit.',
        examples: ['2m'],
      }),
  })
  .exactOptional()
  .meta({
    description:
      'Voice notes and audio files that people send are written down by a program or a model, and agents are shown the words. Without it agents get the file alone.',
    examples: [{ model: 'openai/whisper-1' }],
  })

export type TranscribeConfig = NonNullable<z.output<typeof transcribe>>

/** What no schema of a single key can see. */
export function checkTranscribe(root: Mapping, env: Readonly<Record<string, string | undefined>>): Finding[] {
  if (root.transcribe === undefined) return []
  const written = mappingOf(root.transcribe)
  const find = (key: string, rest: string): Finding[] => {
    const path = key === '' ? ['transcribe'] : ['transcribe', key]
    return [{ path, message: `${showPath(path)}: ${rest}` }]
  }
  const { command, model, baseUrl, apiKey } = written
  if ((command === undefined) === (model === undefined))
    return command === undefined
      ? find('', 'it is not said by whom. Write command: [program, "{file}"], or model: openai/whisper-1.')
      : find('model', 'command and model exclude each other. Keep one of them.')
  if (typeof model !== 'string') return []
  if (model.startsWith('openai-compatible/'))
    return baseUrl !== undefined
      ? []
      : find(
          '',
          'openai-compatible needs an address. Write baseUrl: http://127.0.0.1:8000/v1, or wherever it is.',
        )
  if (apiKey !== undefined) return []
  const problem = keyProblem('openai', ['OPENAI_API_KEY'], baseUrl === undefined ? 'apiKey' : null, env)
  return problem === null ? [] : find('', problem)
}
