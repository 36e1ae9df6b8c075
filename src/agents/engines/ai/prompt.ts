/** A turn's prompt in the two parts that models know: what holds, and what is to be done. */

const SYSTEM = /^\[System: (.*)\]$/
const OWN = [
  'Your last message is posted to the chat as it is, in Markdown. What you say before a tool call is only shown while you work.',
  'You cannot open paths. Files that came with the message are attached where you can take them.',
]

/**
 * The frame's first lines - who the agent is, what is data and what is not - go to the model as its system prompt, the
 * rest as the user's message, word for word. No line from outside stands before them, and none begins as they do.
 */
export function split(prompt: string): { system: string; user: string } {
  const lines = prompt.split('\n')
  const system: string[] = []
  for (const line of lines) {
    const rule = SYSTEM.exec(line)?.[1]
    if (rule === undefined) break
    system.push(rule)
  }
  return { system: [...system, ...OWN].join('\n'), user: lines.slice(system.length).join('\n') }
}
