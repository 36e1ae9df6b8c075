import { ActionIcon, FileButton, Loader, Tooltip } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type RefObject, useCallback, useMemo, useState } from 'react'
import { amend } from '../api/local.js'
import { indexOf, type Nameable, nativeMentions } from '../model/mentions.js'
import { type ChatMessage, shownName } from '../model/message.js'
import { bytes } from '../model/time.js'
import { clearDraft, type Draft, getDraft, setDraft } from '../state/drafts.js'
import { fetchInto, takeLive } from '../state/logs.js'
import { send } from '../state/outgoing.js'
import { useSpeaker } from '../state/speaker.js'
import { complain } from '../state/toasts.js'
import { startUpload } from '../state/uploads.js'
import { Icon } from '../ui/icons.js'
import { MentionInput } from './MentionInput.js'
import { PersonSwitcher } from './PersonSwitcher.js'

interface Props {
  /** Id of the local room. */
  room: string
  title: string
  thread: string | null
  names: readonly Nameable[]
  draft: Draft
  draftId: string
  input: RefObject<HTMLTextAreaElement | null>
  /** The reader's newest own message, to be edited with the arrow up. */
  lastOwn: ChatMessage | undefined
  onSent: () => void
}

let attachmentKey = 0

/** Where messages are written, answered and changed. */
export function Compose(props: Props) {
  const { room, thread, names, draft, draftId, input } = props
  const client = useQueryClient()
  const speaker = useSpeaker()
  const [dragging, setDragging] = useState(false)
  const index = useMemo(() => indexOf(names), [names])
  const text = draft.text.trim()
  const sendable = text !== '' || draft.attachments.length > 0

  const attach = useCallback(
    (files: readonly File[]) => {
      for (const file of files) {
        const key = attachmentKey++
        const uploaded = startUpload(room, file)
        const waiting = { key, name: file.name, bytes: file.size, uploaded, there: false }
        setDraft(draftId, (old) => ({ attachments: [...old.attachments, waiting].slice(0, 10) }))
        /** Only while it is being written: a message on its way tells of its files itself. */
        const isHere = () => getDraft(draftId).attachments.some((one) => one.key === key)
        uploaded().then(
          () =>
            isHere() &&
            setDraft(draftId, (old) => ({
              attachments: old.attachments.map((one) => (one.key === key ? { ...one, there: true } : one)),
            })),
          (error: unknown) => {
            if (!isHere()) return
            setDraft(draftId, (old) => ({ attachments: old.attachments.filter((one) => one.key !== key) }))
            complain('A file is missing', error)
          },
        )
      }
    },
    [room, draftId],
  )

  const change = async (message: ChatMessage) => {
    if (text === '') return
    const before = getDraft(draftId)
    clearDraft(draftId)
    if (text === message.text) return
    try {
      const mentions = nativeMentions(text, index)
      takeLive(client, `local:${room}`, await amend(room, message.id, { author: speaker, text, mentions }))
    } catch (error) {
      setDraft(draftId, before)
      complain('The message was not changed', error)
    }
  }

  const submit = () => {
    if (draft.editing) {
      void change(draft.editing)
      return
    }
    if (!sendable) return
    send(
      {
        room,
        author: speaker,
        text,
        mentions: nativeMentions(text, index),
        thread,
        replyTo: draft.replyTo,
        files: draft.attachments,
      },
      (id, message) => fetchInto(client, id, message),
    )
    clearDraft(draftId)
    props.onSent()
  }

  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setDragging(false)
    attach([...event.dataTransfer.files])
  }

  const insertAt = () => {
    const box = input.current
    if (box === null) return
    const { selectionStart: start, value } = box
    const blank = start > 0 && !/\s$/u.test(value.slice(0, start)) ? ' ' : ''
    box.focus()
    // Typed as a key would type it: the browser keeps its undo, and the list opens.
    document.execCommand('insertText', false, `${blank}@`)
  }

  return (
    <section
      className="compose"
      aria-label="Write a message"
      data-dragging={dragging || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setDragging(true)
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={onDrop}
    >
      <div className="compose-box">
        {draft.editing ? (
          <Bar label="Editing your message" cancel={() => clearDraft(draftId)} />
        ) : (
          draft.replyTo && (
            <Bar
              label={`Replying to ${draft.replyTo.author}`}
              text={draft.replyTo.excerpt}
              cancel={() => setDraft(draftId, { replyTo: null })}
            />
          )
        )}
        <MentionInput
          value={draft.text}
          onChange={(value) => setDraft(draftId, { text: value })}
          onSend={submit}
          onEscape={() => setDraft(draftId, draft.editing ? { editing: null, text: '' } : { replyTo: null })}
          onUp={() => props.lastOwn && startEditing(draftId, props.lastOwn)}
          onFiles={attach}
          names={names}
          me={speaker.id}
          label={`Message ${props.title}`}
          placeholder={thread === null ? `Message ${props.title}` : 'Answer in this thread'}
          input={input}
        />
        {draft.attachments.length > 0 && (
          <ul className="attachments" aria-label="Attached files">
            {draft.attachments.map((one) => (
              <li key={one.key} className="file">
                {one.there ? <Icon name="file" size={16} /> : <Loader size={14} />}
                <span className="file-name">{one.name}</span>
                <span className="dim">{bytes(one.bytes)}</span>
                <button
                  type="button"
                  className="tool"
                  aria-label={`Remove ${one.name}`}
                  onClick={() =>
                    setDraft(draftId, (old) => ({
                      attachments: old.attachments.filter((each) => each.key !== one.key),
                    }))
                  }
                >
                  <Icon name="close" size={14} />
                </button>
              </li>
            ))}
          </ul>
        )}
        <div className="compose-row">
          <PersonSwitcher />
          <span className="grow" />
          <span className="compose-hint">
            <kbd>Enter</kbd> to {draft.editing ? 'save' : 'send'}
          </span>
          <Tooltip label="Name somebody">
            <ActionIcon variant="subtle" color="gray" aria-label="Name somebody" onClick={insertAt}>
              <Icon name="at" />
            </ActionIcon>
          </Tooltip>
          {!draft.editing && (
            <FileButton multiple onChange={(files) => attach(files)}>
              {(button) => (
                <Tooltip label="Attach files">
                  <ActionIcon variant="subtle" color="gray" aria-label="Attach files" {...button}>
                    <Icon name="clip" />
                  </ActionIcon>
                </Tooltip>
              )}
            </FileButton>
          )}
          <ActionIcon
            size={32}
            aria-label={draft.editing ? 'Save' : 'Send'}
            disabled={draft.editing ? text === '' : !sendable}
            onClick={() => {
              submit()
              input.current?.focus()
            }}
          >
            <Icon name={draft.editing ? 'check' : 'send'} />
          </ActionIcon>
        </div>
      </div>
    </section>
  )
}

export function startEditing(draftId: string, message: ChatMessage): void {
  setDraft(draftId, { editing: message, text: message.text, replyTo: null, attachments: [] })
}

export function startReply(draftId: string, message: ChatMessage): void {
  const excerpt = message.text.replace(/\s+/gu, ' ').slice(0, 140)
  setDraft(draftId, (old) => ({
    editing: null,
    text: old.editing ? '' : old.text,
    replyTo: { id: message.id, author: shownName(message), excerpt, deleted: false },
  }))
}

function Bar({ label, text, cancel }: { label: string; text?: string; cancel: () => void }) {
  return (
    <div className="compose-bar">
      <Icon name={text === undefined ? 'edit' : 'reply'} size={15} />
      <strong>{label}</strong>
      <span className="grow compose-bar-text">{text}</span>
      <button type="button" className="tool" aria-label="Cancel" title="Cancel (Escape)" onClick={cancel}>
        <Icon name="close" size={15} />
      </button>
    </div>
  )
}
