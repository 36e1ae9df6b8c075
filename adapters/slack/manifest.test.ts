import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { WHY_SHORTCUT } from './read-action.js'

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

interface Manifest {
  display_information: { name: string; description: string }
  features: {
    bot_user: { display_name: string }
    shortcuts: { name: string; callback_id: string; description: string; type: string }[]
    slash_commands: { command: string; description: string }[]
  }
  oauth_config: { scopes: { bot: string[] } }
  settings: {
    event_subscriptions: { bot_events: string[] }
    interactivity: { is_enabled: boolean }
    socket_mode_enabled: boolean
  }
}
const manifest = parse(file('manifest.yaml')) as Manifest
const scopes = new Set(manifest.oauth_config.scopes.bot)
const events = manifest.settings.event_subscriptions.bot_events

/** What each event wants, by https://docs.slack.dev/reference/events. */
const WANTS: Record<string, readonly string[]> = {
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_created: ['channels:read'],
  channel_id_changed: [],
  channel_rename: ['channels:read'],
  channel_unarchive: ['channels:read'],
  group_rename: ['groups:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  member_left_channel: ['channels:read', 'groups:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  reaction_added: ['reactions:read'],
  reaction_removed: ['reactions:read'],
  team_join: ['users:read'],
  tokens_revoked: [],
  user_change: ['users:read'],
}

/** What each method that is called here wants, by https://docs.slack.dev/reference/methods. */
const METHODS: Record<string, readonly string[]> = {
  'assistant.threads.setStatus': ['chat:write'],
  'auth.test': [],
  'bots.info': ['users:read'],
  'chat.delete': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write', 'chat:write.customize'],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.info': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.join': ['channels:join'],
  'conversations.list': ['channels:read'],
  'conversations.members': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'usergroups.list': ['usergroups:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
}

const SOURCES = ['connection', 'perform', 'marks', 'upload', 'read-back', 'download', 'channels', 'directory']

describe('the manifest', () => {
  it('is the same in JSON and in YAML, and the guide shows it', () => {
    expect(JSON.parse(file('manifest.json'))).toEqual(manifest)
    expect(file('README.md')).toContain('manifest.yaml')
  })

  it('asks for the scopes of every event and every method, and for no other', () => {
    const wanted = new Set([
      'commands',
      ...Object.values(METHODS).flat(),
      ...events.flatMap((event) => WANTS[event] ?? ['?']),
    ])
    expect([...scopes].sort()).toEqual([...wanted].sort())
    expect(manifest.oauth_config.scopes.bot).toHaveLength(scopes.size)
  })

  it('knows every method that is called', () => {
    const called = SOURCES.flatMap((name) =>
      [...file(`${name}.ts`).matchAll(/'((?:[a-z]+\.){1,2}[a-zA-Z]+)'/g)].map(([, method]) => method ?? ''),
    ).filter((method) =>
      /^(?:assistant|auth|bots|chat|conversations|files|reactions|usergroups|users)\./.test(method),
    )
    expect([...new Set(called)].sort()).toEqual(Object.keys(METHODS).sort())
  })

  it('asks for the events that are read', () => {
    expect([...events].sort()).toEqual(Object.keys(WANTS).sort())
  })

  it('fits what is read, and Slack’s lengths', () => {
    const { shortcuts, slash_commands: commands } = manifest.features
    expect(shortcuts).toMatchObject([{ callback_id: WHY_SHORTCUT, type: 'message' }])
    expect(commands).toMatchObject([{ command: '/golem' }])
    expect(manifest.settings).toMatchObject({
      socket_mode_enabled: true,
      interactivity: { is_enabled: true },
    })
    // https://docs.slack.dev/reference/app-manifest
    expect(manifest.display_information.name.length).toBeLessThanOrEqual(35)
    expect(manifest.display_information.description.length).toBeLessThanOrEqual(140)
    for (const { name, description } of shortcuts) {
      expect(name.length).toBeLessThanOrEqual(24)
      expect(description.length).toBeLessThanOrEqual(150)
    }
  })
})
