/** What a message says, as a document: its text, what it forwards, polls, and what apps say in embeds. */
import { type Doc, plainText } from '../../src/messaging/contract.js'
import { DocBuilder, type Piece } from './doc-builder.js'
import type { People } from './read-people.js'
import { addText, piecesOf, type Reading } from './read-text.js'
import { type Fields, fields, list, number, text } from './shape.js'

/** https://docs.discord.com/developers/resources/message#message-reference-types */
export const FORWARD = 1
const MOST_EMBEDS = 10
const MOST_FIELDS = 25
const MOST_COMPONENTS = 40

/** @param isBot embeds are its own words; those of people are previews of links */
export function docOf(message: Fields, people: People, isBot: boolean): Doc {
  const reading: Reading = { people: people.of(message), everyone: message.mention_everyone === true }
  const builder = new DocBuilder()
  const content = text(message.content)
  if (content !== undefined && content.trim() !== '') addText(content, reading, builder)
  addPoll(fields(message.poll), builder)
  if (isBot) {
    for (const embed of list(message.embeds).slice(0, MOST_EMBEDS)) addEmbed(fields(embed), reading, builder)
    addComponents(list(message.components), reading, builder, { left: MOST_COMPONENTS })
  }
  for (const snapshot of snapshotsOf(message)) addForwarded(snapshot, people, builder)
  return builder.done()
}

/** What a message forwards: copies without an author. */
export function snapshotsOf(message: Fields): Fields[] {
  if (number(fields(message.message_reference).type) !== FORWARD) return []
  return list(message.message_snapshots)
    .slice(0, 10)
    .map((snapshot) => fields(fields(snapshot).message))
}

/** Somebody else's words: a quote. Their names are not told. */
function addForwarded(snapshot: Fields, people: People, builder: DocBuilder): void {
  const inner = plainText(docOf({ ...snapshot, message_reference: undefined }, people, true))
  if (inner.trim() !== '') builder.quote([{ kind: 'text', text: inner }])
}

/** https://docs.discord.com/developers/resources/poll#poll-object */
function addPoll(poll: Fields, builder: DocBuilder): void {
  const question = text(fields(poll.question).text)
  if (question === undefined) return
  const answers = list(poll.answers)
    .slice(0, MOST_FIELDS)
    .flatMap((answer) => {
      const media = fields(fields(answer).poll_media)
      const shown = [text(fields(media.emoji).name), text(media.text)].filter((part) => part !== undefined)
      return shown.length === 0 ? [] : [`- ${shown.join(' ')}`]
    })
  builder.section([{ kind: 'text', text: [`Poll: ${question}`, ...answers].join('\n') }])
}

/** https://docs.discord.com/developers/resources/message#embed-object. A preview of a link is nobody's words. */
function addEmbed(embed: Fields, reading: Reading, builder: DocBuilder): void {
  if (embed.type !== undefined && embed.type !== 'rich') return
  const author = text(fields(embed.author).name)
  if (author !== undefined) builder.section([{ kind: 'text', text: author }])
  const title = text(embed.title)
  const url = text(embed.url)
  if (title !== undefined) {
    const link: Piece[] = [{ kind: 'link', url: url ?? '', label: title }]
    builder.section(url === undefined || !/^https?:\/\//.test(url) ? piecesOf(title, reading) : link)
  }
  const description = text(embed.description)
  if (description !== undefined) addText(description, reading, builder)
  for (const item of list(embed.fields).slice(0, MOST_FIELDS)) {
    const { name, value } = fields(item)
    builder.section(piecesOf(`${text(name) ?? ''}: ${text(value) ?? ''}`, reading))
  }
  const footer = text(fields(embed.footer).text)
  if (footer !== undefined) builder.section([{ kind: 'text', text: footer }])
}

/** Texts of the newer components: https://docs.discord.com/developers/components/reference#text-display */
function addComponents(
  components: readonly unknown[],
  reading: Reading,
  builder: DocBuilder,
  budget: { left: number },
): void {
  for (const value of components) {
    if (budget.left-- <= 0) return
    const component = fields(value)
    const content = text(component.content)
    if (component.type === 10 && content !== undefined) addText(content, reading, builder)
    addComponents(list(component.components), reading, builder, budget)
  }
}
