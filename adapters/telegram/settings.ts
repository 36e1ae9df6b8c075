import { z } from 'zod'

/** `channels.telegram` of golem.yaml. */
export const telegramSettings = z.strictObject({
  botToken: z
    .string()
    .regex(/^\d{1,20}:[A-Za-z0-9_-]+$/, 'a bot token looks like 123456789:AAE…, as BotFather shows it')
    .describe('Token of the bot, from @BotFather.'),
  apiUrl: z
    .url({
      protocol: /^https?$/,
      error: 'must begin with https://, as https://api.telegram.org does',
    })
    .optional()
    .describe('Address of the Bot API server: a simulator or your own. Default: `https://api.telegram.org`.'),
  webhook: z
    .strictObject({
      url: z
        .url({
          protocol: /^https?$/,
          // One that is missing is told what it is for.
          error: ({ code }) =>
            code === 'invalid_format'
              ? 'must begin with https://, as https://golem.example.com/webhooks/telegram does; it leads to this Golem'
              : undefined,
        })
        .describe(
          'Public address that leads to this Golem at `/webhooks/<connection>`, e.g. `https://golem.example.com/webhooks/telegram`.',
        ),
      secret: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,256}$/, 'a webhook secret is 1-256 characters of A-Z a-z 0-9 _ -')
        .describe('Shared secret; every delivery must carry it.'),
    })
    .optional()
    .describe('Let Telegram call Golem. Default: long polling, which needs no public address.'),
  proxy: z
    .url({
      protocol: /^https?$/,
      error: 'must begin with http:// or https://, as http://proxy.example.com:3128 does',
    })
    .optional()
    .describe('HTTP proxy for all calls to Telegram, e.g. `http://proxy.example.com:3128`.'),
})

export type TelegramSettings = z.infer<typeof telegramSettings>
