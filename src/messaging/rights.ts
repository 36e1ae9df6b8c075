/** Who may change how a room works. An empty list never means everybody. */
import type { Language, RoomSettings } from './roster.js'

/** Whether somebody may change a chat's schedules and models: its owners, and in a direct message whoever it is with. */
export function mayChange(
  settings: Pick<RoomSettings, 'owners'>,
  chat: { kind: 'dm' | 'group' },
  person: string,
): boolean {
  return chat.kind === 'dm' || (settings.owners ?? []).includes(person)
}

/** What somebody is told who may not, with the cure. */
export function mayNot(chatKey: string, person: string, language: Language): string {
  return language === 'zh'
    ? `只有本群的负责人可以这样做。请运行 Golem 的人在 golem.yaml 的 rooms."${chatKey}".owners 中加入你的 id：${person}。`
    : `Only the owners of this room may do that. Whoever runs Golem can add your id, ${person}, to rooms."${chatKey}".owners in golem.yaml.`
}
