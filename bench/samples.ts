/** Events in the shape in which the platforms send them. */

export function telegramUpdate(text: string): unknown {
  return {
    update_id: 1,
    message: {
      message_id: 7,
      from: { id: 5, is_bot: false, first_name: 'Ann', username: 'ann' },
      chat: { id: -100, type: 'supergroup', title: 'Lobby' },
      date: 1_800_000_000,
      text,
      entities: [{ type: 'bold', offset: 5, length: 10 }],
    },
  }
}

export function slackEvent(text: string): unknown {
  return {
    type: 'event_callback',
    team_id: 'T1',
    api_app_id: 'A1',
    event_id: 'Ev1',
    event_time: 1_800_000_000,
    event: {
      type: 'message',
      channel: 'C1',
      channel_type: 'channel',
      user: 'U1',
      text,
      ts: '1800000000.000100',
      client_msg_id: '1',
      team: 'T1',
      blocks: [
        {
          type: 'rich_text',
          block_id: 'b',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
        },
      ],
    },
  }
}

export function discordDispatch(text: string): unknown {
  return {
    t: 'MESSAGE_CREATE',
    d: {
      id: '1200000000000000001',
      type: 0,
      channel_id: '1100000000000000001',
      guild_id: '1000000000000000001',
      author: { id: '900000000000000005', username: 'ann', global_name: 'Ann', discriminator: '0' },
      member: { nick: null, roles: [], joined_at: '2026-01-01T00:00:00.000000+00:00' },
      content: text,
      timestamp: '2026-11-30T12:00:00.000000+00:00',
      edited_timestamp: null,
      tts: false,
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      pinned: false,
      flags: 0,
      components: [],
    },
  }
}

export function feishuEvent(text: string): unknown {
  return {
    body: {
      schema: '2.0',
      header: {
        event_id: 'e1',
        event_type: 'im.message.receive_v1',
        create_time: '1800000000000',
        token: 't',
        app_id: 'cli_0123456789abcdef',
        tenant_key: 'k',
      },
      event: {
        sender: { sender_id: { open_id: 'ou_5', union_id: 'on_5' }, sender_type: 'user', tenant_key: 'k' },
        message: {
          message_id: 'om_1',
          create_time: '1800000000000',
          chat_id: 'oc_1',
          chat_type: 'group',
          message_type: 'text',
          content: JSON.stringify({ text }),
        },
      },
    },
  }
}
