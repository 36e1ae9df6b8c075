import type { Root } from 'mdast'

/**
 * Text as a tree: an mdast root whose phrasing content may also be a {@link Mention}.
 *
 * `source` is the verbatim text the tree was read from. Nodes carry mdast positions into it, so what nobody knows how
 * to render is shown as it was written. Mentions are identities, never text: strip, convert and mask are walks.
 */
export interface Doc extends Root {
  source?: string
}

/** Somebody is named. `id` is the platform's id of the user or role, or the agent's name; absent when unresolved. */
export interface Mention {
  type: 'mention'
  target: 'user' | 'agent' | 'role' | 'everyone'
  id?: string
  /** The name as a person reads it, without `@`. */
  name: string
  position?: { start: { offset?: number }; end: { offset?: number } }
}

declare module 'mdast' {
  interface PhrasingContentMap {
    mention: Mention
  }
  interface RootContentMap {
    mention: Mention
  }
}
