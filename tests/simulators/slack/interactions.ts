/**
 * What people do beside writing: they press buttons, give commands, use shortcuts; and what the app answers.
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */
import type { Incoming, Reply } from '../kit/server.js'
import { readContent } from './api/content.js'
import { ApiError, Args } from './api/method.js'
import type { Hub } from './hub.js'
import { edit, post, remove } from './posting.js'
import type { Outgoing } from './publisher.js'
import type { Rendered } from './text/render.js'
import type { Fields } from './text/rich.js'
import { messageOf } from './wire.js'
import type { Channel, Message, User } from './world.js'

/** https://docs.slack.dev/interactivity/handling-user-interaction#trigger_id */
const TRIGGER_MS = 3_000
/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses: five times in 30 minutes. */
const RESPONSE_MS = 30 * 60_000
const RESPONSE_USES = 5

interface Responder {
  channel: string
  user: string
  message?: string
  threadTs?: string
  until: number
  uses: number
}

type Button = Rendered['buttons'][number]

export class Interactions {
  readonly #hub: Hub
  readonly #responders = new Map<string, Responder>()

  constructor(hub: Hub) {
    this.#hub = hub
  }

  press(channel: Channel, message: Message, user: User, button: Button): void {
    const hub = this.#hub
    const isEphemeral = message.onlyFor !== undefined
    const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs }
    this.#send({
      type: 'block_actions',
      ...this.#who(user),
      container: {
        type: 'message',
        message_ts: message.ts,
        channel_id: channel.id,
        is_ephemeral: isEphemeral,
        ...thread,
      },
      channel: { id: channel.id, name: channelName(channel) },
      // What only one person sees is not kept, so it cannot be shown: captured.
      ...(!isEphemeral && { message: messageOf(hub, message) }),
      state: { values: {} },
      response_url: this.#responder(channel, user, message),
      trigger_id: this.#trigger(user),
      actions: [
        {
          action_id: button.actionId,
          block_id: button.blockId,
          text: { type: 'plain_text', text: button.label, emoji: true },
          ...(button.value !== '' && { value: button.value }),
          ...(button.style !== undefined && { style: button.style }),
          type: 'button',
          action_ts: hub.world.ids.ts(hub.clock.now()),
        },
      ],
    })
  }

  /** A shortcut of a message's menu. https://docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload */
  messageShortcut(channel: Channel, message: Message, user: User, callbackId: string): void {
    this.#send({
      type: 'message_action',
      ...this.#who(user),
      callback_id: callbackId,
      channel: { id: channel.id, name: channelName(channel) },
      message_ts: message.ts,
      message: messageOf(this.#hub, message),
      response_url: this.#responder(channel, user, message),
      trigger_id: this.#trigger(user),
      action_ts: this.#hub.world.ids.ts(this.#hub.clock.now()),
    })
  }

  globalShortcut(user: User, callbackId: string): void {
    this.#send({
      type: 'shortcut',
      ...this.#who(user),
      callback_id: callbackId,
      trigger_id: this.#trigger(user),
      action_ts: this.#hub.world.ids.ts(this.#hub.clock.now()),
    })
  }

  /** The app need not be in the chat. https://docs.slack.dev/interactivity/implementing-slash-commands */
  slash(channel: Channel, user: User, command: string, text: string): void {
    const { world, publisher } = this.#hub
    publisher.interaction('slash_commands', {
      token: 'verification-token-of-old',
      team_id: world.team.id,
      team_domain: world.team.domain,
      channel_id: channel.id,
      channel_name: channelName(channel),
      user_id: user.id,
      user_name: user.handle,
      command,
      text,
      api_app_id: world.bot.appId,
      is_enterprise_install: 'false',
      response_url: this.#responder(channel, user),
      trigger_id: this.#trigger(user),
    })
  }

  /** What the app sent along with its acknowledgement of a command: a text, or a message. */
  answered({ type, payload }: Outgoing, response: unknown): void {
    if (type !== 'slash_commands') return
    const fields = typeof response === 'string' ? { text: response } : ((response ?? {}) as Fields)
    if (fields.text === undefined && fields.blocks === undefined) return
    this.#say(
      { channel: String(payload.channel_id), user: String(payload.user_id), until: 0, uses: 0 },
      fields,
    )
  }

  /** `POST` to a `response_url`. */
  receive(request: Incoming): Reply {
    const key = request.url.pathname.split('/').at(-1) ?? ''
    const responder = this.#responders.get(key)
    if (responder === undefined) return { status: 404, body: 'no_service' }
    if (responder.uses >= RESPONSE_USES || responder.until < this.#hub.clock.now())
      return { status: 404, body: 'used_url' }
    responder.uses++
    try {
      const fields = JSON.parse(request.body.toString('utf8')) as Fields
      this.#say(responder, fields)
      return { status: 200, body: 'ok' }
    } catch (error) {
      return { status: 400, body: error instanceof ApiError ? error.code : 'invalid_payload' }
    }
  }

  #say(responder: Responder, fields: Fields): void {
    const hub = this.#hub
    const args = new Args(fields)
    const source =
      responder.message === undefined
        ? undefined
        : hub.world.channel(responder.channel).byTs.get(responder.message)
    if (args.flag('delete_original')) {
      if (source !== undefined) remove(hub, source)
      return
    }
    const content = readContent(hub, args)
    if (args.flag('replace_original') && source !== undefined) {
      edit(hub, source, content, hub.world.bot.botId ?? '')
      return
    }
    const threadTs = args.text('thread_ts') ?? responder.threadTs
    post(hub, {
      channel: responder.channel,
      user: hub.world.bot.id,
      ...(hub.world.bot.botId !== undefined && { botId: hub.world.bot.botId }),
      ...(hub.world.bot.appId !== undefined && { appId: hub.world.bot.appId }),
      ...content,
      ...(threadTs !== undefined && { threadTs }),
      ...(args.text('response_type') !== 'in_channel' && { onlyFor: responder.user }),
    })
  }

  #who(user: User): Fields {
    const { world } = this.#hub
    return {
      user: { id: user.id, username: user.handle, name: user.handle, team_id: user.team },
      api_app_id: world.bot.appId,
      token: 'verification-token-of-old',
      team: { id: world.team.id, domain: world.team.domain },
      enterprise: null,
      is_enterprise_install: false,
    }
  }

  #send(payload: Fields): void {
    this.#hub.publisher.interaction('interactive', payload)
  }

  #trigger(user: User): string {
    const id = `${this.#hub.world.ids.next('tr').slice(2)}.trigger`
    this.#hub.triggers.set(id, { user: user.id, until: this.#hub.clock.now() + TRIGGER_MS, isUsed: false })
    return id
  }

  #responder(channel: Channel, user: User, message?: Message): string {
    const key = this.#hub.world.ids.next('r').slice(1)
    this.#responders.set(key, {
      channel: channel.id,
      user: user.id,
      ...(message !== undefined && { message: message.ts }),
      ...(message?.threadTs !== undefined && { threadTs: message.threadTs }),
      until: this.#hub.clock.now() + RESPONSE_MS,
      uses: 0,
    })
    return `${this.#hub.url}/response/${this.#hub.world.team.id}/${key}`
  }
}

/** Direct and private chats have no name for apps in such payloads. */
const channelName = ({ kind, name }: Channel): string =>
  kind === 'im' ? 'directmessage' : kind === 'channel' ? name : 'privategroup'
