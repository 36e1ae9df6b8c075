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
