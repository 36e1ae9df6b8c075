import { z } from 'zod'

/** `channels.slack` of golem.yaml. */
export const slackSettings = z
  .strictObject({
    botToken: z
      .string()
      .min(1)
      .refine((token) => !token.startsWith('xapp-'), {
        message: 'this is an app-level token (xapp-…): write it as appToken; botToken begins with xoxb-',
      })
      .refine((token) => !/^xox[ps]-/.test(token), {
        message: 'this is a person’s token; take the Bot User OAuth Token (xoxb-…) of "Install App"',
      })
      .describe('Bot User OAuth Token (`xoxb-…`), from "Install App" of the app at api.slack.com/apps.'),
    appToken: z
      .string()
      .min(1)
      .refine((token) => !token.startsWith('xoxb-'), {
        message: 'this is the bot token (xoxb-…): write it as botToken; appToken begins with xapp-',
      })
      .optional()
      .describe(
        'App-level token (`xapp-…`) with the scope connections:write. Events then come by Socket Mode: no public address is needed.',
      ),
    signingSecret: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Signing Secret of "Basic Information". Slack then posts events to `/webhooks/<connection>/events`; each one is checked against it.',
      ),
    apiUrl: z
      .url({ protocol: /^https?$/, error: 'must begin with https://, as https://slack.com/api/ does' })
      .default('https://slack.com/api/')
      .describe("Where Slack's Web API is. Another one for GovSlack, a relay, or a simulator."),
    proxy: z
      .url({
        protocol: /^https?$/,
        error: 'must begin with http:// or https://, as http://proxy.example:3128 does',
      })
      .optional()
      .describe('HTTP proxy for everything this connection does: Web API, files and the socket.'),
    joinPublicChannels: z
      .boolean()
      .default(false)
      .describe(
        'Joins every public channel, and new ones when they are made. Needs the scopes channels:read and channels:join.',
      ),
  })
  .refine((settings) => settings.appToken !== undefined || settings.signingSecret !== undefined, {
    message:
      'nothing can be heard from Slack: add appToken (xapp-…, for Socket Mode) or signingSecret (for HTTP events)',
    path: ['appToken'],
  })
  .describe('Connects Slack: the settings of one account, a list of accounts, or `false` for off.')

export type SlackSettings = z.infer<typeof slackSettings>
