/**
 * Reactions have names of their own. https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce
 *
 * The list is long; these are those a bot is likely to meet. Any other name of that form is taken as it is.
 */
const CHARACTERS: Readonly<Record<string, string>> = {
  OK: '👌',
  THUMBSUP: '👍',
  THANKS: '🙏',
  MUSCLE: '💪',
  FINGERHEART: '🫰',
  APPLAUSE: '👏',
  FISTBUMP: '👊',
  JIAYI: '➕',
  DONE: '✅',
  SMILE: '😊',
  BLUSH: '☺️',
  LAUGH: '😄',
  LOL: '😆',
  LOVE: '😍',
  FACEPALM: '🤦',
  SOB: '😭',
  THINKING: '🤔',
  CRY: '😢',
  ANGRY: '😠',
  SHOCKED: '😱',
  PARTY: '🎉',
  ROSE: '🌹',
  HEART: '❤️',
  BEER: '🍺',
  CAKE: '🎂',
  GIFT: '🎁',
  FIRE: '🔥',
  CLAP: '👏',
  PRAISE: '👍',
  CrossMark: '❌',
  CheckMark: '✔️',
  No: '🙅',
  OneSecond: '☝️',
  Typing: '⌨️',
  Get: '🫡',
  OnIt: '🏃',
  LGTM: '🆗',
  GLANCE: '👀',
  EYES: '👀',
  ThumbsDown: '👎',
  ERROR: '🚫',
  Alarm: '⏰',
  BOMB: '💣',
  Pin: '📌',
  Hundred: '💯',
  SMART: '🤓',
}

const NAMES = new Map<string, string>()
for (const [name, character] of Object.entries(CHARACTERS)) {
  if (!NAMES.has(character)) NAMES.set(character, name)
}

/** `👍` to `THUMBSUP`; a name stays. @throws Error for a character that Feishu has not, as a person cannot pick it */
export function emojiName(emoji: string): string {
  const name = NAMES.get(emoji) ?? NAMES.get(emoji.replace(/\ufe0f/g, ''))
  if (name !== undefined) return name
  if (isEmojiName(emoji)) return emoji
  throw new Error(`Feishu has no reaction ${JSON.stringify(emoji)}: use a name of its list, such as THUMBSUP`)
}

/** `THUMBSUP` to `👍`; a name that is not in the list above stays a name. */
export const emojiCharacter = (name: string): string => CHARACTERS[name] ?? name

/** Whether a card shows `:NAME:` as a picture. */
export const isKnownEmoji = (name: string): boolean => Object.hasOwn(CHARACTERS, name)

export const isEmojiName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,40}$/.test(name)
