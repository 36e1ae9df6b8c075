/** What is said in voice notes, once it has been written down. */

export interface NewTranscript {
  message: number
  /** The platform's id of the file. */
  file: string
  text: string
}

export interface TranscriptStore {
  /** From now on agents are shown the words with the message. Once a file. */
  noteTranscript(transcript: NewTranscript): Promise<void>
}

/** As it stands in a line. */
export function voiceNote(words: string): string {
  return words === '' ? '[voice note, transcribed: no words]' : `[voice note, transcribed: ${words}]`
}
