/** The reactions that may be set without Premium: https://core.telegram.org/bots/api#reactiontypeemoji */
const REACTIONS: ReadonlySet<string> = new Set(
  (
    '❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 ' +
    '👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡'
  ).split(' '),
)

/** With or without the variation selector that some keyboards put behind it. */
export const isReaction = (emoji: string): boolean =>
  REACTIONS.has(emoji) || REACTIONS.has(emoji.replaceAll('\ufe0f', ''))
