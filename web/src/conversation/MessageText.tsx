import { lazy, memo, Suspense } from 'react'
import type { Names } from '../model/mentions.js'
import { NamedText } from './NamedText.js'

// Asked for as soon as the page runs: it is there before the first message is, and not in the way of the first paint.
const loading = import('../markdown/Markdown.js')
const Markdown = lazy(() => loading)

/** A message's text. Until the Markdown part is there, the words as they were typed. */
export const MessageText = memo(function MessageText(props: { text: string; names: Names; me: string }) {
  return (
    <div className="prose">
      <Suspense
        fallback={
          <p className="plain">
            <NamedText text={props.text} names={props.names} me={props.me} markdown />
          </p>
        }
      >
        <Markdown source={props.text} names={props.names} me={props.me} />
      </Suspense>
    </div>
  )
})
