import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { complete, keyAction, queryAt, suggest } from '../model/completion.js'
import { indexOf, type Nameable } from '../model/mentions.js'
import { CompletionList } from './CompletionList.js'
import { NamedText } from './NamedText.js'

interface Props {
  value: string
  onChange: (text: string) => void
  onSend: () => void
  /** Escape while no list is open. */
  onEscape: () => void
  /** Arrow up in an empty box. */
  onUp: () => void
  onFiles: (files: readonly File[]) => void
  names: readonly Nameable[]
  me: string
  label: string
  placeholder: string
  input: RefObject<HTMLTextAreaElement | null>
}

/**
 * A text box that completes names and shows which ones it has understood. The text is drawn twice, at the same place:
 * below by the page, with the mentions marked, above by the box itself, with only its caret and selection to be seen.
 */
export function MentionInput(props: Props) {
  const { value, names, input } = props
  const id = useId()
  const mirror = useRef<HTMLDivElement>(null)
  const [caret, setCaret] = useState(0)
  /** Offset of the `@` whose list was closed with Escape. */
  const [closed, setClosed] = useState<number | null>(null)
  const [focused, setFocused] = useState(false)
  const [at, setAt] = useState(0)
  const wanted = useRef<number | null>(null)
  const index = useMemo(() => indexOf(names), [names])

  const query = useMemo(() => (focused ? queryAt(value, caret) : null), [focused, value, caret])
  const found = useMemo(() => (query === null ? [] : suggest(query, names)), [query, names])
  const open = query !== null && found.length > 0 && closed !== query.from
  const chosen = Math.min(at, found.length - 1)

  // The caret is set after React has put the new text in: before, the browser would move it to the end.
  useLayoutEffect(() => {
    const box = input.current
    if (box === null) return
    if (wanted.current !== null && box.value === value) {
      box.setSelectionRange(wanted.current, wanted.current)
      setCaret(wanted.current)
      wanted.current = null
    }
    box.style.height = '0'
    box.style.height = `${box.scrollHeight}px`
  }, [input, value])

  const follow = () => {
    const box = input.current
    if (box === null) return
    setCaret(box.selectionStart === box.selectionEnd ? box.selectionStart : -1)
    if (mirror.current) mirror.current.scrollTop = box.scrollTop
  }

  const choose = (name: Nameable) => {
    if (query === null) return
    const done = complete(value, caret, query, name.name)
    wanted.current = done.caret
    setAt(0)
    props.onChange(done.text)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { nativeEvent } = event
    const action = keyAction(nativeEvent, open)
    const name = found[chosen]
    if (action === 'next' || action === 'previous') {
      setAt((chosen + (action === 'next' ? 1 : found.length - 1)) % found.length)
    } else if (action === 'choose' && name) choose(name)
    else if (action === 'close') setClosed(query?.from ?? null)
    else if (action === 'send') props.onSend()
    else if (nativeEvent.isComposing || nativeEvent.keyCode === 229) return
    else if (event.key === 'Escape') props.onEscape()
    else if (event.key === 'ArrowUp' && value === '') props.onUp()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    props.onFiles(files)
  }

  return (
    <div className="mention-input">
      {open && <CompletionList id={`${id}-list`} found={found} at={chosen} hover={setAt} choose={choose} />}
      <div className="mention-mirror" aria-hidden="true" ref={mirror}>
        <NamedText text={value} names={index} me={props.me} markdown />
        {/* A last line that is empty has a height of its own only with something on it. */}
        {'\u200b'}
      </div>
      <textarea
        ref={input}
        value={value}
        rows={1}
        placeholder={props.placeholder}
        aria-label={props.label}
        role="combobox"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open ? `${id}-list-${chosen}` : undefined}
        autoComplete="off"
        maxLength={32_000}
        onChange={(event) => {
          const box = event.currentTarget
          setCaret(box.selectionStart)
          setClosed((old) => (old !== null && box.value[old] !== '@' && box.value[old] !== '＠' ? null : old))
          setAt(0)
          props.onChange(box.value)
        }}
        onSelect={follow}
        onScroll={follow}
        onFocus={() => {
          setFocused(true)
          follow()
        }}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
    </div>
  )
}
