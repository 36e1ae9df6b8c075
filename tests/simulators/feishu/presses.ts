/**
 * Buttons of cards: the app is asked, answers within 3 s with a toast or another card, and may change the card later by
 * the token of the question. https://open.feishu.cn/document/feishu-cards/card-callback-communication
 */
import { type Fields, fieldsOf, isFields, textOf } from './fields.js'
import type { AppPort, Hub, Press, Toast } from './hub.js'
import { edit } from './posting.js'
import type { Button } from './text/canvas.js'
import { checkCard } from './text/card-check.js'
import { idsOf, tenantOf } from './wire.js'
import type { Message } from './world.js'

/** https://open.feishu.cn/document/server-docs/im-v1/message-card/delay-update-message-card: twice in 30 minutes. */
const TOKEN_MS = 30 * 60_000
export const TOKEN_USES = 2
/** Cards of schema 2.0 can be pressed for 14 days. https://open.feishu.cn/document/feishu-cards/card-json-v2-breaking-changes-release-notes */
const PRESS_MS = 14 * 86_400_000

/** @throws Error when the card is too old to be pressed */
export function press(hub: Hub, port: AppPort, message: Message, person: string, button: Button): void {
  if (hub.clock.now() - message.created > PRESS_MS)
    throw new Error(`The card ${message.id} is more than 14 days old: nobody can press it any more`)
  const token = hub.world.ids.next('c-', 40)
  hub.presses.set(token, {
    message,
    before: message.content,
    isAnswered: false,
    uses: 0,
    until: hub.clock.now() + TOKEN_MS,
  })
  port.callback('card.action.trigger', {
    operator: { tenant_key: tenantOf(hub, person), ...idsOf(hub, port.app, person) },
    token,
    action: {
      ...(button.action !== undefined && { value: button.action }),
      tag: 'button',
      ...(button.name !== undefined && { name: button.name }),
    },
    host: 'im_message',
    context: { open_message_id: message.id, open_chat_id: message.chat },
  })
}

/** @param response undefined: the app did not answer in time */
export function answered(hub: Hub, question: Fields, response: { body: unknown } | undefined): void {
  const event = fieldsOf(question.event)
  const found = hub.presses.get(textOf(event.token))
  if (found === undefined) return
  found.isAnswered = true
  const say = (type: Toast['type'], text: string): void => {
    const person = openIdForMain(hub, textOf(fieldsOf(event.operator).union_id))
    hub.toasts.push({ person, message: found.message.id, type, text })
    hub.changes.changed()
  }
  if (response === undefined) {
    say('failed', hub.words.noAnswer)
    return
  }
  // The answer is an object, or nothing at all.
  const { body } = response
  if (body !== undefined && !isFields(body)) {
    say('failed', '200672')
    return
  }
  const { toast, card } = fieldsOf(body)
  if (isFields(toast)) say(toastType(toast.type), textOf(toast.content))
  if (isFields(card) && card.type === 'raw') replace(hub, found, card.data)
  // What was changed before the answer came is undone by it.
  else if (found.uses > 0) edit(hub, found.message, { content: found.before })
}

function replace(hub: Hub, { message }: Press, card: unknown): void {
  const text = JSON.stringify(card)
  const lenient = { isPerson: () => true, mayNameAll: true, isImage: () => true }
  edit(hub, message, { content: checkCard(text, lenient), sent: text })
}

const toastType = (type: unknown): Toast['type'] =>
  type === 'success' || type === 'error' || type === 'warning' ? type : 'info'

const openIdForMain = ({ world, main }: Hub, unionId: string): string => world.openId(main.appId, unionId)
