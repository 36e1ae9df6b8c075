import { Logo } from '../ui/icons.js'

/** An empty room: one thing to try, a click away. */
export function FirstRun({
  agent,
  readOnly,
  fill,
}: {
  agent: string
  readOnly: boolean
  fill: (text: string) => void
}) {
  const hint = `@${agent} what can you do?`
  return (
    <div className="first-run">
      <Logo size={52} />
      <h2>Nothing has been said here yet</h2>
      {readOnly ? (
        <p className="dim">What people say in this chat appears here, each message with its receipt.</p>
      ) : (
        <>
          <p className="dim">
            Name an agent with <code>@</code> to be answered. Then click any message to see why it was, or was
            not, answered.
          </p>
          <button type="button" className="try" onClick={() => fill(hint)}>
            <span className="mention">@{agent}</span> what can you do?
          </button>
        </>
      )}
    </div>
  )
}
