import { z } from 'zod'

/** `channels.feishu` of golem.yaml. */
export const feishuSettings = z
  .strictObject({
    appId: z
      .string()
      // The SDK opens no long connection for any other form, and says so in a log line only.
      .regex(
        /^cli_[0-9a-f]{16}$/i,
        'an App ID looks like cli_a1b2c3d4e5f60718: "Credentials & Basic Info" of the app',
      )
      .describe(
        'App ID (`cli_…`), from "Credentials & Basic Info" of the app at open.feishu.cn/app or open.larksuite.com/app.',
      ),
    appSecret: z
      .string()
      .min(1)
      .refine((secret) => !/^cli_/i.test(secret), {
        message:
          'this is an App ID (cli_…): write it as appId; the App Secret stands below it on the same page',
      })
      .describe('App Secret, from the same page.'),
    domain: z
      .union(
        [
          z.enum(['feishu', 'lark']),
          z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
        ],
        {
          error:
            'must be `feishu`, `lark`, or an address that begins with https://, as https://open.feishu.cn does',
        },
      )
      .default('feishu')
      .describe(
        'Where the app lives: `feishu` (open.feishu.cn), `lark` (open.larksuite.com), or the address of an own installation, a relay or a simulator.',
      ),
    webhook: z
      .strictObject({
        encryptKey: z
          .string()
          .min(1)
          .describe(
            'Encrypt Key of "Events & Callbacks" -> "Encryption Strategy". Every delivery must be encrypted and signed with it.',
          ),
        verificationToken: z
          .string()
          .min(1)
          .describe('Verification Token of the same page. Every delivery must carry it.'),
      })
      .optional()
      .describe(
        'Let Feishu post events to `/webhooks/<connection>`. Default: a long connection, which needs no public address.',
      ),
    proxy: z
      .url({
        protocol: /^https?$/,
        error: 'must begin with http:// or https://, as http://proxy.example:3128 does',
      })
      .optional()
      .describe('HTTP proxy for everything this connection does: calls, files and the long connection.'),
  })
  .describe('Connects Feishu or Lark: the settings of one app, a list of apps, or `false` for off.')

export type FeishuSettings = z.infer<typeof feishuSettings>

/** The address that API paths (`/open-apis/…`) follow, without a slash at its end. */
export function originOf(domain: FeishuSettings['domain']): string {
  if (domain === 'feishu') return 'https://open.feishu.cn'
  return domain === 'lark' ? 'https://open.larksuite.com' : domain
}
