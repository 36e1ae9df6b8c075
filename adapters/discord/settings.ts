import { z } from 'zod'

/** `channels.discord` of golem.yaml. */
export const discordSettings = z
  .strictObject({
    botToken: z
      .string()
      .min(1)
      .refine((token) => !/^bot\s/i.test(token), {
        message: 'write the token alone, without "Bot " in front',
      })
      .refine((token) => !/^\d{15,20}$/.test(token), {
        message: 'this is an application id; the token is shown once under "Bot" -> "Reset Token"',
      })
      .refine((token) => !/^[0-9a-f]{64}$/.test(token), {
        message: 'this is the public key; the token is shown once under "Bot" -> "Reset Token"',
      })
      .refine((token) => !/\s/.test(token), { message: 'a bot token has no blanks or line breaks' })
      .describe(
        'Token of the bot, from "Bot" -> "Reset Token" of the app at discord.com/developers/applications.',
      ),
    apiUrl: z
      .url({ protocol: /^https?$/, error: 'must begin with https://, as https://discord.com/api does' })
      .default('https://discord.com/api')
      .describe("Where Discord's API is, without the version. Another one for a relay or a simulator."),
    proxy: z
      .url({
        protocol: /^https?$/,
        error: 'must begin with http:// or https://, as http://proxy.example:3128 does',
      })
      .optional()
      .describe('HTTP proxy for everything this connection does: API, files and the gateway socket.'),
    registerCommands: z
      .boolean()
      .default(true)
      .describe(
        'Keeps the slash command `/golem` and the message menu entry "Why?" registered. `false` leaves the app’s commands alone.',
      ),
  })
  .describe('Connects Discord: the settings of one account, a list of accounts, or `false` for off.')

export type DiscordSettings = z.infer<typeof discordSettings>
