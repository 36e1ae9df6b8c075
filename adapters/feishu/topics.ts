/**
 * Writing into a topic. Feishu has no other way than to answer a message of it, and the topic's id is no message: so of
 * each topic one message is remembered, and after a restart its first one is looked up.
 * https://open.feishu.cn/document/server-docs/im-v1/message/thread-introduction
 */
import type { Place } from '../../src/messaging/contract.js'
import { PlatformFailure } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import type { Remembered } from './remembered.js'
import { fields, list, nativeId } from './shape.js'

const PAGE = 20

export class Topics {
  constructor(
    private readonly api: Api,
    private readonly remembered: Remembered,
  ) {}

  /**
   * A message of the topic that can be answered.
   *
   * @throws CallFailed; PlatformFailure where there is none
   */
  async messageIn(place: Place & { thread: string }, signal: AbortSignal): Promise<string> {
    const known = this.remembered.topic(place.thread)
    if (known !== undefined) return known
    const query = {
      container_id_type: 'thread',
      container_id: place.thread,
      sort_type: 'ByCreateTimeAsc',
      page_size: PAGE,
    }
    const found = await this.api.call('GET', 'im/v1/messages', { query, signal })
    for (const value of list(found.items)) {
      const item = fields(value)
      if (item.deleted === true || nativeId(item.message_id) === undefined) continue
      this.remembered.note(item)
      return String(item.message_id)
    }
    throw new PlatformFailure({ kind: 'gone', what: 'thread' }, 'the topic has no message any more')
  }

  /** That message was withdrawn. */
  forget(thread: string): void {
    this.remembered.forgetTopic(thread)
  }
}
