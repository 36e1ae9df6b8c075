import { z } from 'zod'
import { ToolError } from '../../messaging/engine.js'
import { BULLETIN_CHARACTERS } from '../../messaging/limits.js'
import type { PostDesk } from '../../messaging/poster.js'
import { mayReach, POST_CHARACTERS, type RoomText } from '../../messaging/posts.js'
import { mayChange } from '../../messaging/rights.js'
import { safeLine } from '../../messaging/text/index.js'
import { defineTool, type Tool, type ToolOutcome, type ToolScope } from './tool.js'

const text = z.string().trim().min(1).max(POST_CHARACTERS).describe('the message, in Markdown')
const more = z
  .boolean()
  .default(false)
  .describe('only when you were told that an earlier run of this turn has posted already: post one more')

export const postToRoom = defineTool({
  name: 'post_to_room',
  description:
    'Post a message in this chat now, before your answer: an interim result, a warning that cannot wait. What answers the question belongs into your answer, not here. It cannot be taken back.',
  args: z.strictObject({ text, more }),
  writes: true,
  offered: ({ posts }) => posts !== undefined,
  async run(args, scope) {
    const outcome = await post(scope, null, args)
    scope.posted()
    return outcome
  },
})

export const listPlaces = defineTool({
  name: 'list_places',
  description:
    'The other chats that you may post a message to from here, each with the name to give to post_to_place.',
  args: z.strictObject({}),
  writes: false,
  offered: reachesOut,
  async run(_args, scope) {
    const places = await desk(scope).places(scope.turn)
    return {
      result: {
        places: places.map(({ key, kind, title }) => ({
          place: key,
          platform: key.slice(0, key.search(/[.:]/)),
          ...(kind === 'dm' ? { private: true } : {}),
          ...(title === null ? {} : { title: safeLine(title, 120) }),
        })),
      },
      note: `${places.length} found`,
    }
  },
})

export const postToPlace = defineTool({
  name: 'post_to_place',
  description:
    'Post a message in another chat, when the person you work for wants it there. The people of that chat see it under your name, without this conversation: it must be complete in itself, and hold nothing that was said here in confidence. It cannot be taken back.',
  args: z.strictObject({
    place: z.string().trim().min(3).max(300).describe('as list_places has it'),
    text,
    more,
  }),
  writes: true,
  offered: reachesOut,
  async run(args, scope) {
    // Looked at before anything is asked of the other chat. The store has the last word.
    if (!mayReach(scope.settings.places, args.place, 'group'))
      throw new ToolError(
        'Nothing was posted: this room may not post there. list_places names where it may; whoever runs Golem can add places to the room in golem.yaml.',
      )
    return post(scope, args.place, args)
  },
})

function reachesOut({ posts, settings }: ToolScope): boolean {
  return posts !== undefined && (settings.places ?? []).length > 0
}

async function post(
  scope: ToolScope,
  to: string | null,
  args: { text: string; more: boolean },
): Promise<ToolOutcome> {
  const posted = await desk(scope).post(scope.turn, { to, text: args.text, more: args.more })
  if (posted.status === 'refused') throw new ToolError(`Nothing was posted: ${posted.why}`)
  const again = posted.status === 'known' ? ' already, by an earlier run of this turn' : ''
  return { result: { status: 'posted' }, note: `posted${again}: ${posted.reference}` }
}

/** Only for a person who may, in a message of their own; the store asks once more. */
function mayChangeRoom({ posts, settings, turn }: ToolScope): boolean {
  return (
    posts !== undefined &&
    turn.requester !== null &&
    (turn.kind === 'message' || turn.kind === 'follow-up') &&
    turn.ask === null &&
    turn.schedule === undefined &&
    turn.hop === 0 &&
    turn.addressed &&
    mayChange(settings, turn.chat, turn.requester.id)
  )
}

function roomText(key: RoomText, most: number, described: string): Tool {
  return defineTool({
    name: `set_${key}`,
    description: `${described} Only when the person you work for asks for it. An empty text brings back what golem.yaml says.`,
    args: z.strictObject({ text: z.string().trim().max(most).describe('the whole new text') }),
    writes: true,
    offered: mayChangeRoom,
    async run(args, scope) {
      const changed = await desk(scope).changeRoomText(scope.turn, key, args.text === '' ? null : args.text)
      if (changed.status === 'refused') throw new ToolError(`Nothing was changed: ${changed.why}`)
      const note = changed.status === 'same' ? 'as it was' : args.text === '' ? 'as in golem.yaml' : 'changed'
      return { result: { status: changed.status }, note }
    },
  })
}

export const setBulletin = roomText(
  'bulletin',
  BULLETIN_CHARACTERS,
  'Change the standing instructions of this chat, which every agent here is shown from then on.',
)
export const setDescription = roomText(
  'description',
  200,
  'Change the one line that says what this chat is about, which every agent here is shown from then on.',
)

function desk({ posts }: ToolScope): PostDesk {
  if (posts === undefined) throw new ToolError('Nothing can be posted from here.')
  return posts
}
