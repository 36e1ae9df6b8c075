/**
 * A message's Markdown as a tree of React elements. Never raw HTML: tags are shown as they were typed. Pictures are
 * links, so that reading a message asks no stranger's server for anything.
 */
import { CopyButton } from '@mantine/core'
import { lexer, type Token, type Tokens } from 'marked'
import { createElement, Fragment, memo, type ReactNode, useMemo } from 'react'
import { NamedText } from '../conversation/NamedText.js'
import type { Names } from '../model/mentions.js'
import { Icon } from '../ui/icons.js'
import { decodeReferences, safeHref } from './safe.js'

interface Around {
  names: Names
  me: string
  /** Inside a quote or a link nobody is named. */
  mute: boolean
}

function Code({ text, language }: { text: string; language: string | undefined }) {
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{language || 'text'}</span>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <button type="button" className="code-copy" onClick={copy}>
              <Icon name={copied ? 'check' : 'copy'} size={14} />
              {copied ? 'Copied' : 'Copy'}
            </button>
          )}
        </CopyButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}

function Cell({ cell, head, around }: { cell: Tokens.TableCell; head: boolean; around: Around }) {
  return createElement(
    head ? 'th' : 'td',
    { className: cell.align ? `align-${cell.align}` : undefined },
    inline(cell.tokens, around),
  )
}

function table(token: Tokens.Table, around: Around): ReactNode {
  return (
    <div className="table-scroll">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a parsed text never reorders
              <Cell key={at} cell={cell} head around={around} />
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, y) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a parsed text never reorders
            <tr key={y}>
              {row.map((cell, x) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a parsed text never reorders
                <Cell key={x} cell={cell} head={false} around={around} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function list(token: Tokens.List, around: Around): ReactNode {
  const items = token.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a parsed text never reorders
    <li key={at} className={item.task ? 'task' : undefined}>
      {blocks(item.tokens, around)}
    </li>
  ))
  return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>
}

function link(href: string, content: ReactNode): ReactNode {
  const safe = safeHref(href)
  if (safe === null) return content
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {content}
    </a>
  )
}

/** One token. What the parser may add one day is shown as it was typed. */
function one(token: Token, around: Around): ReactNode {
  const known = token as Tokens.Generic & { type: string }
  switch (known.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p>{inline(known.tokens, around)}</p>
    case 'heading':
      return <p className={`heading heading-${known.depth}`}>{inline(known.tokens, around)}</p>
    case 'blockquote':
      return <blockquote>{blocks(known.tokens, { ...around, mute: true })}</blockquote>
    case 'code':
      return <Code text={known.text} language={known.lang?.split(/\s/)[0]} />
    case 'list':
      return list(token as Tokens.List, around)
    case 'table':
      return table(token as Tokens.Table, around)
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'strong':
      return <strong>{inline(known.tokens, around)}</strong>
    case 'em':
      return <em>{inline(known.tokens, around)}</em>
    case 'del':
      return <del>{inline(known.tokens, around)}</del>
    case 'codespan':
      return <code>{known.text}</code>
    case 'link':
      return link(known.href, inline(known.tokens, { ...around, mute: true }))
    case 'image':
      return link(known.href, known.text || known.href)
    case 'checkbox':
      return (
        <input
          type="checkbox"
          checked={known.checked}
          disabled
          aria-label={known.checked ? 'done' : 'to do'}
        />
      )
    case 'text':
      return known.tokens ? inline(known.tokens, around) : text(known.text, around)
    case 'escape':
      return known.text
    default:
      return text(known.raw, { ...around, mute: true })
  }
}

function text(raw: string, around: Around): ReactNode {
  const shown = decodeReferences(raw)
  return around.mute ? shown : <NamedText text={shown} names={around.names} me={around.me} markdown={false} />
}

/** Escapes cut a name in two (`@Team\\_Bot`): such neighbours are one text again before names are looked for. */
function joined(tokens: readonly Token[]): Token[] {
  const found: Token[] = []
  for (const token of tokens) {
    const plain = token.type === 'escape' || (token.type === 'text' && !('tokens' in token && token.tokens))
    const before = found.at(-1)
    if (plain && before?.type === 'text' && !('tokens' in before && before.tokens)) {
      const text = `${(before as Tokens.Text).text}${(token as Tokens.Text).text}`
      found[found.length - 1] = { type: 'text', raw: before.raw + token.raw, text }
    } else if (plain) {
      found.push({ type: 'text', raw: token.raw, text: (token as Tokens.Text).text })
    } else found.push(token)
  }
  return found
}

function many(tokens: readonly Token[] | undefined, around: Around): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a parsed text never reorders
  return joined(tokens ?? []).map((token, at) => <Fragment key={at}>{one(token, around)}</Fragment>)
}
const inline = many
const blocks = many

/** Deeper nesting than this is no message but an attempt to break the page. */
const DEEPEST = 40

function depth(tokens: readonly Token[], at = 0): number {
  if (at > DEEPEST) return at
  let deepest = at
  for (const token of tokens) {
    const inner =
      'tokens' in token && token.tokens ? token.tokens : 'items' in token ? token.items : undefined
    if (Array.isArray(inner)) deepest = Math.max(deepest, depth(inner, at + 1))
  }
  return deepest
}

function parse(source: string): readonly Token[] | null {
  try {
    const tokens = lexer(source, { gfm: true, breaks: true })
    return depth(tokens) > DEEPEST ? null : tokens
  } catch {
    return null
  }
}

function Markdown({ source, names, me }: { source: string; names: Names; me: string }) {
  const tokens = useMemo(() => parse(source), [source])
  if (tokens === null) return <p className="plain">{source}</p>
  return <>{blocks(tokens, { names, me, mute: false })}</>
}

export default memo(Markdown)
