import { useMemo } from 'react'
import { type Names, pieces } from '../model/mentions.js'

/** Text in which the names that it really mentions stand out. */
export function NamedText({
  text,
  names,
  me,
  markdown,
}: {
  text: string
  names: Names
  /** Id of the reader: a mention of them stands out more. */
  me: string
  markdown: boolean
}) {
  const found = useMemo(() => pieces(text, names, markdown), [text, names, markdown])
  return found.map((piece) =>
    piece.of === null ? (
      piece.text
    ) : (
      <span key={piece.start} className={piece.of.id === me ? 'mention mention-me' : 'mention'}>
        {piece.text}
      </span>
    ),
  )
}
