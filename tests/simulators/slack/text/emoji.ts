/** The names Slack gives to emoji: clients turn the character into a name, and people see the character again. */
const NAMES: readonly (readonly [name: string, character: string])[] = [
  ['+1', '👍'],
  ['-1', '👎'],
  ['eyes', '👀'],
  ['white_check_mark', '✅'],
  ['heavy_check_mark', '✔️'],
  ['x', '❌'],
  ['warning', '⚠️'],
  ['octagonal_sign', '🛑'],
  ['black_square_for_stop', '⏹️'],
  ['no_entry_sign', '🚫'],
  ['hourglass_flowing_sand', '⏳'],
  ['hourglass', '⌛'],
  ['stopwatch', '⏱️'],
  ['tada', '🎉'],
  ['heart', '❤️'],
  ['fire', '🔥'],
  ['rocket', '🚀'],
  ['wave', '👋'],
  ['pray', '🙏'],
  ['clap', '👏'],
  ['100', '💯'],
  ['thinking_face', '🤔'],
  ['smile', '😄'],
  ['slightly_smiling_face', '🙂'],
  ['joy', '😂'],
  ['cry', '😢'],
  ['scream', '😱'],
  ['ok_hand', '👌'],
  ['raised_hands', '🙌'],
  ['muscle', '💪'],
  ['robot_face', '🤖'],
  ['zap', '⚡'],
  ['bug', '🐛'],
  ['memo', '📝'],
  ['mag', '🔍'],
  ['lock', '🔒'],
  ['speech_balloon', '💬'],
  ['bulb', '💡'],
  ['question', '❓'],
  ['exclamation', '❗'],
  ['arrows_counterclockwise', '🔄'],
  ['repeat', '🔁'],
  ['see_no_evil', '🙈'],
  ['man_technologist', '👨‍💻'],
]
const ALIASES: Readonly<Record<string, string>> = {
  thumbsup: '+1',
  thumbsdown: '-1',
  'stop-sign': 'octagonal_sign',
  stop_button: 'black_square_for_stop',
}

const bare = (character: string): string => character.replaceAll('\ufe0f', '')
const byName = new Map(NAMES.map(([name, character]) => [name, character]))
const byCharacter = new Map(NAMES.map(([name, character]) => [bare(character), name]))

/** Workspaces have emoji of their own; this one does. */
export const CUSTOM_EMOJI = 'party-parrot'

const baseName = (name: string): string => {
  const base = name.replace(/::skin-tone-[2-6]$/, '')
  return ALIASES[base] ?? base
}

/** `+1` for `thumbsup`, `:+1:` or 👍. A name that nobody knows stays as it is. */
export function emojiName(emoji: string): string {
  const named = byCharacter.get(bare(emoji))
  if (named !== undefined) return named
  const inner = /^:(.+):$/.exec(emoji)?.[1] ?? emoji
  return ALIASES[inner] ?? inner
}

/** Whether a workspace knows an emoji of this name: `reactions.add` answers `invalid_name` where it does not. */
export const isEmojiName = (name: string): boolean => byName.has(baseName(name)) || name === CUSTOM_EMOJI

/** What a person sees for a name: the character, or `:name:` for a workspace's own. */
export const emojiCharacter = (name: string): string => byName.get(baseName(name)) ?? `:${name}:`

/** The code points as rich text carries them: `1f44d`. */
export function emojiUnicode(name: string): string | undefined {
  const character = byName.get(baseName(name))
  return character === undefined
    ? undefined
    : [...character].map((point) => (point.codePointAt(0) ?? 0).toString(16)).join('-')
}

/** Emoji characters of a typed text that clients turn into names. */
export const EMOJI_CHARACTER = new RegExp(
  [...byCharacter.keys()]
    .sort((a, b) => b.length - a.length)
    .map((character) => `${character}\ufe0f?`)
    .join('|'),
  'gu',
)
