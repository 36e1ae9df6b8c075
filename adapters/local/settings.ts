import { z } from 'zod'

/** Room ids stand in URLs, keys and file names: nothing in them ever needs escaping. */
export const roomId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'a room id is 1-64 characters of A-Z a-z 0-9 _ -')

const configuredRoom = z.strictObject({
  id: roomId.describe('Id of the room, as it stands in its chat key: `local:<id>`.'),
  title: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Title people see. Default: the id. A title changed in the console stays.'),
})

/** `channels.local` of golem.yaml. */
export const localSettings = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Display name of the bot in the local rooms. Default: `name` of golem.yaml.'),
  rooms: z
    .array(configuredRoom)
    .max(100)
    .default([{ id: 'lobby', title: 'Lobby' }])
    .describe('Rooms that exist from the start. More are made by the first message sent to them.'),
})

export type LocalSettings = z.infer<typeof localSettings>
