/** `provider/model` to a model of the AI SDK. A provider's package is loaded when the first of its models is asked. */
import type { LanguageModel, ModelMessage } from 'ai'
import { openFetch } from './fetch.js'

export interface ProviderSettings {
  baseUrl?: string | undefined
  apiKey?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

export interface ModelsOptions {
  /** Of the provider whose model is the agent's own. */
  own: ProviderSettings & { provider: string }
  /** Of the others, and over the former. */
  providers: Readonly<Record<string, ProviderSettings>>
  proxy?: string | undefined
  /** Golem's environment: the usual variables for keys. */
  environment: NodeJS.ProcessEnv
}

/** Variables that hold a provider's key; the first that is set counts. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
}
/** Stands for the key at a server of one's own that asks for none. */
const NO_KEY = 'none'

/** The two parts of `provider/model`; a model's name may hold further slashes. */
export function partsOf(id: string): { provider: string; name: string } {
  const at = id.indexOf('/')
  return { provider: id.slice(0, at), name: id.slice(at + 1) }
}

type ChatModel = Exclude<LanguageModel, string>

export class Models {
  readonly #options: ModelsOptions
  readonly #made = new Map<string, Promise<ChatModel>>()
  #fetch: Promise<{ fetch: typeof fetch; close(): Promise<void> }> | undefined

  constructor(options: ModelsOptions) {
    this.#options = options
  }

  get(id: string): Promise<ChatModel> {
    const known = this.#made.get(id)
    if (known !== undefined) return known
    const made = this.#make(id)
    this.#made.set(id, made)
    // What could not be loaded is tried again next time.
    made.catch(() => this.#made.delete(id))
    return made
  }

  async close(): Promise<void> {
    await (await this.#fetch)?.close()
  }

  async #make(id: string): Promise<ChatModel> {
    const { provider, name } = partsOf(id)
    const { own, providers, proxy, environment } = this.#options
    const settings = { ...(own.provider === provider ? own : {}), ...defined(providers[provider]) }
    this.#fetch ??= openFetch(proxy)
    const { fetch } = await this.#fetch
    const common = {
      fetch,
      ...(settings.headers === undefined ? {} : { headers: { ...settings.headers } }),
      ...(settings.baseUrl === undefined ? {} : { baseURL: settings.baseUrl.replace(/\/+$/, '') }),
    }
    const variable = KEYS[provider]?.find((key) => (environment[key] ?? '') !== '')
    const apiKey = settings.apiKey ?? (variable === undefined ? NO_KEY : environment[variable]) ?? NO_KEY
    switch (provider) {
      case 'anthropic':
        return (await import('@ai-sdk/anthropic')).createAnthropic({ ...common, apiKey })(name)
      case 'openai':
        return (await import('@ai-sdk/openai')).createOpenAI({ ...common, apiKey })(name)
      case 'google':
        return (await import('@ai-sdk/google')).createGoogleGenerativeAI({ ...common, apiKey })(name)
      default: {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
        const make = createOpenAICompatible({
          baseURL: '',
          ...common,
          name: provider,
          includeUsage: true,
          ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
        })
        return make(name)
      }
    }
  }
}

function defined(settings: ProviderSettings | undefined): ProviderSettings {
  return Object.fromEntries(Object.entries(settings ?? {}).filter(([, value]) => value !== undefined))
}

export type Effort = 'minimal' | 'low' | 'medium' | 'high'
type ProviderOptions = NonNullable<ModelMessage['providerOptions']>

/** What a request says to its provider in the provider's own words. `more` wins. */
export function providerOptions(
  provider: string,
  effort: Effort | undefined,
  more: ProviderOptions[string] | undefined,
): ProviderOptions {
  const own: ProviderOptions[string] = {}
  // Nothing of a conversation stays with the provider; each request holds what it needs.
  if (provider === 'openai') own.store = false
  if (effort !== undefined) {
    if (provider === 'anthropic') own.effort = effort === 'minimal' ? 'low' : effort
    else if (provider === 'google') own.thinkingConfig = { thinkingLevel: effort }
    else own.reasoningEffort = effort
  }
  const key = provider === 'openai-compatible' ? 'openaiCompatible' : provider
  return { [key]: { ...own, ...more } }
}
