const CONTROLS = /(?![\t\n\r])\p{Cc}/gu

/** Without control characters: they mean nothing to people, and something to terminals that show the chat. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '')
}
