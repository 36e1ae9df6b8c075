/** `/schedules` in a chat: those of the chat, and `cancel`. */
import { showMoment } from '../messaging/moment.js'
import { safeLine, safeName } from '../messaging/text/index.js'
import { all, type Room } from './db.js'
import { cancelSchedule, type ScheduleRow } from './schedules.js'

/** Schedules that are listed at most. */
const LISTED = 40
const EXCERPT = 80

export function schedulesCommand(
  room: Room,
  here: { chat: string; person: string; now: number },
  argument: string,
): string {
  const zh = room.policy.language === 'zh'
  const [, id] = /^cancel\s+#?(\d{1,15})$/iu.exec(argument.trim()) ?? []
  if (id !== undefined) {
    const cancelled = cancelSchedule(room, {
      id: Number(id),
      chatKey: here.chat,
      by: here.person,
      now: here.now,
    })
    if (cancelled.status === 'refused') return cancelled.why
    const name = safeLine(cancelled.schedule.name, 60)
    return zh ? `已取消定时任务 ${id}：${name}。` : `Schedule ${id} is cancelled: ${name}.`
  }
  const rows = all<ScheduleRow>(
    room.sql(
      'SELECT * FROM schedules WHERE chat = ? AND next_at IS NOT NULL ORDER BY next_at, id LIMIT ? + 0',
    ),
    here.chat,
    LISTED,
  )
  if (rows.length === 0)
    return zh
      ? '这里没有定时任务。可以请成员设置，例如：“每个工作日 9 点提醒我们站会”。'
      : 'Nothing is scheduled here. Ask an agent for it: "remind us of the stand-up at 9 on weekdays".'
  return [
    ...rows.map((row) => line(row, zh)),
    '',
    zh ? '`/schedules cancel <编号>` 取消。' : '`/schedules cancel <number>` cancels one.',
  ].join('\n')
}

function line(row: ScheduleRow, zh: boolean): string {
  const next = `${showMoment(row.next_at ?? 0, row.timezone)} ${row.timezone}`
  const again = row.cron === null ? '' : ` \`${row.cron}\``
  const by =
    row.source === 'config'
      ? zh
        ? 'golem.yaml'
        : 'in golem.yaml'
      : zh
        ? `由 ${safeName(row.made_by_name ?? '')} 设置`
        : `by ${safeName(row.made_by_name ?? '')}`
  const text = safeLine(row.text, EXCERPT)
  return `- **${row.id}** ${safeLine(row.name, 60)}${again}: ${zh ? '下次' : 'next'} ${next}, ${by} — ${text}`
}
