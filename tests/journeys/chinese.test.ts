import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent, until } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(`name: 小助手
language: zh
groupChat: { debounce: 50ms, maxTurns: 1 }
agents:
  - { name: 小助手, role: orchestrator, engine: offline }
  - { name: 书记员, role: "记录笔记，总结对话，记住决定", engine: offline }
${programAgent('程序员', 'obeys')}`)
})

describe('language: zh', () => {
  it('一个 @ 得到引用回复', async () => {
    const id = await daemon.say('@小助手 你能做什么？', { author: '李雷' })
    await daemon.quiet()
    const [answer] = await daemon.answers(id)
    expect(answer?.text).toContain('我是 小助手')
    expect(answer?.replyTo?.id).toBe(id)
  })

  it('名字直接跟在中文和标点之后', async () => {
    const [answer] = await daemon.ask('你好，@书记员：我们决定用 Postgres', { author: '韩梅梅' })
    expect(answer).toMatchObject({ agent: '书记员' })
  })

  it('群记忆用中文标题', () => {
    expect(daemon.memory()).toMatch(/## 成员\n+- 李雷\n- 韩梅梅\n/)
    expect(daemon.memory()).toMatch(/## 决策记录\n+- \[\d{4}-\d\d-\d\d\] .*Postgres/)
  })

  it('记住和回忆', async () => {
    await daemon.ask('@小助手 记住：演示在星期五', { author: '李雷' })
    expect(daemon.memory()).toContain('演示在星期五')
    const [answer] = await daemon.ask('@小助手 你还记得什么？', { author: '李雷' })
    expect(answer?.text).toContain('演示在星期五')
  })

  it('请队友总结', async () => {
    const [answer] = await daemon.ask('@小助手 请总结一下对话', { author: '李雷' })
    expect(answer?.text).toContain('书记员')
  })

  it('失败、停止和安静都用中文说', async () => {
    const room = 'front'
    const [failed] = await daemon.ask('@程序员 do exit 3', { room, author: '李雷' })
    expect(failed?.text).toMatch(/^抱歉，程序员 未能完成。原因见回执 local:front:\d+。$/)
    const id = await daemon.say('@程序员 do hang', { room, author: '李雷' })
    await until(
      async () => (await daemon.queue()).turns.some(({ state }) => state === 'running'),
      'not running',
    )
    await daemon.say('/stop', { room, author: '李雷' })
    await daemon.quiet()
    expect((await daemon.answers(id, room)).at(-1)?.text).toBe('已停止 程序员。')
    const bot = { id: 'ci', name: 'CI', kind: 'bot' } as const
    await daemon.ask('@程序员 do say 一', { room, author: bot })
    expect(await daemon.ask('@程序员 do say 二', { room, author: bot })).toMatchObject([
      { text: '机器人已连续发言 1 次。在有人说话之前，我先保持安静。' },
    ])
  })
})
