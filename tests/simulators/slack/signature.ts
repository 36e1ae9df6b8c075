/** How Slack signs what it posts. https://docs.slack.dev/authentication/verifying-requests-from-slack */
import { createHmac } from 'node:crypto'

/** @param at seconds since 1970 */
export function signed(secret: string, at: number, body: string): Record<string, string> {
  const mac = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${mac}` }
}
