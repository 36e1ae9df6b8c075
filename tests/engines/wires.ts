/** The four protocols that a scripted model server speaks: how a request is read and a streamed reply is written. */
import { pieces } from './play.js'

/** What a request says, whichever protocol it came in. */
export interface Heard {
  wire: WireName
  model: string
  /** The system prompt and everything the user says, as text. */
  text: string
  tools: string[]
  /** Results of tool calls in the request, oldest first, as text. */
  results: string[]
  /** Kinds of the files in it, e.g. `image/png`. */
  media: string[]
  /** `none` where the model may call no tool. */
  toolChoice: string
  headers: Readonly<Record<string, string>>
  body: Json
}

export type Json = Readonly<Record<string, unknown>>
export type End = 'stop' | 'tools' | 'length' | 'refused'
export interface Tokens {
  input: number
  output: number
  cached?: number
}

/** Writes one reply; each method gives what goes over the line. */
export interface Writer {
  begin(): string
  text(text: string): string
  tool(name: string, args: string): string
  end(how: End, tokens: Tokens): string
}

export interface Wire {
  name: WireName
  path: RegExp
  read(body: Json, path: string): Omit<Heard, 'wire' | 'headers' | 'body'>
  write(model: string): Writer
}

export type WireName = 'chat' | 'responses' | 'messages' | 'generate'

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
const named = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : [])
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const string = (value: unknown): string => (typeof value === 'string' ? value : '')
/** A result's text: as it is, or of its parts, or as JSON. */
const plain = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return (value as Json[]).map((part) => string(part.text)).join('')
  return JSON.stringify(value ?? null)
}
let made = 0
/** No two calls have the same, over all requests. */
const idOf = (kind: string, name: string): string => `${kind}_${++made}_${name}`
const mediaOf = (url: unknown): string[] => {
  const kind = /^data:([^;]+);/.exec(string(url))?.[1]
  return kind === undefined ? [] : [kind]
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
const chat: Wire = {
  name: 'chat',
  path: /\/chat\/completions$/,
  read(body) {
    const messages = list(body.messages)
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []))
    return {
      model: string(body.model),
      text: messages.map(({ content }) => plain(content)).join('\n'),
      tools: list(body.tools).map((tool) => string(object(tool.function).name)),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => plain(content)),
      media: parts.flatMap((part) => [
        ...mediaOf(object(part.image_url).url),
        ...mediaOf(object(part.file).file_data),
      ]),
      toolChoice: string(body.tool_choice),
    }
  },
  write(model) {
    let calls = 0
    const chunk = (delta: object, more: object = {}): string =>
      event({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: null, ...more }],
      })
    return {
      begin: () => chunk({ role: 'assistant', content: '' }),
      text: (text) => chunk({ content: text }),
      tool(name, args) {
        const index = calls++
        const [first = '', ...rest] = pieces(args)
        const call = {
          index,
          id: idOf('call', name),
          type: 'function',
          function: { name, arguments: first },
        }
        return [
          chunk({ tool_calls: [call] }),
          ...rest.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
        ].join('')
      },
      end(how, { input, output, cached = 0 }) {
        const reasons = {
          stop: 'stop',
          tools: 'tool_calls',
          length: 'length',
          refused: 'content_filter',
        } as const
        const usage = {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
          prompt_tokens_details: { cached_tokens: cached },
        }
        return `${chunk({}, { finish_reason: reasons[how] })}${event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage })}data: [DONE]\n\n`
      },
    }
  },
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
const responses: Wire = {
  name: 'responses',
  path: /\/responses$/,
  read(body) {
    const input = list(body.input)
    const parts = input.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []))
    return {
      model: string(body.model),
      text: [string(body.instructions), ...input.map(({ content }) => plain(content))].join('\n'),
      // A server's tools may stand under one name: `server/tool`.
      tools: list(body.tools).flatMap((tool) =>
        tool.type === 'namespace'
          ? list(tool.tools).map(({ name }) => `${string(tool.name)}/${string(name)}`)
          : [string(tool.name)],
      ),
      results: input.filter(({ type }) => type === 'function_call_output').map(({ output }) => plain(output)),
      media: parts.flatMap((part) => [...mediaOf(part.image_url), ...mediaOf(part.file_data)]),
      toolChoice: string(body.tool_choice),
    }
  },
  write(model) {
    const output: object[] = []
    let said = ''
    let isOpen = false
    const item = (): object => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: said, annotations: [] }],
    })
    return {
      begin: () =>
        named({
          type: 'response.created',
          response: { id: 'resp_1', object: 'response', created_at: 1, model, output: [] },
        }),
      text(text) {
        const opening = isOpen
          ? ''
          : named({
              type: 'response.output_item.added',
              output_index: 0,
              item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
            })
        isOpen = true
        said += text
        return `${opening}${named({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: text })}`
      },
      tool(name, args) {
        const index = output.length + 1
        const [own = '', namespace] = name.split('/').reverse()
        const call = {
          id: `fc_${index}`,
          type: 'function_call',
          call_id: idOf('call', own),
          name: own,
          ...(namespace === undefined ? {} : { namespace }),
          arguments: args,
          status: 'completed',
        }
        output.push(call)
        const at = { item_id: call.id, output_index: index }
        return [
          named({
            type: 'response.output_item.added',
            output_index: index,
            item: { ...call, arguments: '', status: 'in_progress' },
          }),
          ...pieces(args).map((delta) =>
            named({ type: 'response.function_call_arguments.delta', ...at, delta }),
          ),
          named({ type: 'response.output_item.done', output_index: index, item: call }),
        ].join('')
      },
      end(how, { input, output: out, cached = 0 }) {
        const done = isOpen ? named({ type: 'response.output_item.done', output_index: 0, item: item() }) : ''
        const isWhole = how === 'stop' || how === 'tools'
        const response = {
          id: 'resp_1',
          object: 'response',
          created_at: 1,
          model,
          status: isWhole ? 'completed' : 'incomplete',
          incomplete_details: isWhole
            ? null
            : { reason: how === 'length' ? 'max_output_tokens' : 'content_filter' },
          output: [...(isOpen ? [item()] : []), ...output],
          usage: {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached },
            output_tokens: out,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: input + out,
          },
        }
        const type = isWhole ? 'response.completed' : 'response.incomplete'
        return `${done}${named({ type, response })}`
      },
    }
  },
}

/** https://docs.claude.com/en/docs/build-with-claude/streaming */
const messages: Wire = {
  name: 'messages',
  path: /\/messages$/,
  read(body) {
    const turns = list(body.messages)
    const parts = turns.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []))
    return {
      model: string(body.model),
      text: [plain(body.system ?? ''), ...turns.map(({ content }) => plain(content))].join('\n'),
      tools: list(body.tools).map((tool) => string(tool.name)),
      results: parts.filter(({ type }) => type === 'tool_result').map(({ content }) => plain(content)),
      media: parts
        .filter(({ type }) => type === 'image' || type === 'document')
        .map((part) => string(object(part.source).media_type)),
      toolChoice: string(object(body.tool_choice).type),
    }
  },
  write(model) {
    let index = -1
    let open: 'text' | null = null
    let cachedTokens = 0
    const close = (): string => {
      const was = open
      open = null
      return was === null ? '' : named({ type: 'content_block_stop', index })
    }
    const start = (block: object): string => {
      index += 1
      return named({ type: 'content_block_start', index, content_block: block })
    }
    const delta = (what: object): string => named({ type: 'content_block_delta', index, delta: what })
    return {
      begin: () =>
        named({
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 0, output_tokens: 1 },
          },
        }),
      text(text) {
        const opening = open === 'text' ? '' : `${close()}${start({ type: 'text', text: '' })}`
        open = 'text'
        return `${opening}${delta({ type: 'text_delta', text })}`
      },
      tool(name, args) {
        const before = close()
        const opening = start({ type: 'tool_use', id: idOf('toolu', name), name, input: {} })
        const body = pieces(args).map((piece) => delta({ type: 'input_json_delta', partial_json: piece }))
        return [before, opening, ...body, named({ type: 'content_block_stop', index })].join('')
      },
      end(how, { input, output, cached = 0 }) {
        cachedTokens = cached
        const reasons = {
          stop: 'end_turn',
          tools: 'tool_use',
          length: 'max_tokens',
          refused: 'refusal',
        } as const
        const usage = {
          input_tokens: input - cachedTokens,
          cache_read_input_tokens: cachedTokens,
          cache_creation_input_tokens: 0,
          output_tokens: output,
        }
        const ending = { stop_reason: reasons[how], stop_sequence: null }
        return `${close()}${named({ type: 'message_delta', delta: ending, usage })}${named({ type: 'message_stop' })}`
      },
    }
  },
}

/** https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
const generate: Wire = {
  name: 'generate',
  path: /:streamGenerateContent$/,
  read(body, path) {
    const contents = list(body.contents)
    const parts = contents.flatMap((content) => list(content.parts))
    const system = list(object(body.systemInstruction).parts)
    const declared = list(body.tools).flatMap((tool) => list(tool.functionDeclarations))
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      text: [...system, ...parts].map((part) => string(part.text)).join('\n'),
      tools: declared.map((tool) => string(tool.name)),
      results: parts.flatMap((part) =>
        part.functionResponse === undefined
          ? []
          : [
              plain(
                object(object(part.functionResponse).response).content ??
                  object(part.functionResponse).response,
              ),
            ],
      ),
      media: parts.flatMap((part) => string(object(part.inlineData).mimeType) || []),
      toolChoice: string(object(object(body.toolConfig).functionCallingConfig).mode).toLowerCase(),
    }
  },
  write() {
    const chunk = (parts: object[], more: object = {}, rest: object = {}): string =>
      event({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }], ...rest })
    return {
      begin: () => '',
      text: (text) => chunk([{ text }]),
      // It sends arguments whole. What is no JSON cannot be sent at all; a text in their place is as near as it gets.
      tool: (name, args) => chunk([{ functionCall: { name, args: parsed(args) } }]),
      end(how, { input, output, cached = 0 }) {
        const reasons = { stop: 'STOP', tools: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' } as const
        const usageMetadata = {
          promptTokenCount: input,
          candidatesTokenCount: output,
          cachedContentTokenCount: cached,
          totalTokenCount: input + output,
        }
        return chunk([], { finishReason: reasons[how] }, { usageMetadata })
      },
    }
  },
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

export const WIRES: readonly Wire[] = [chat, responses, messages, generate]
