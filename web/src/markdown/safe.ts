/** What may become of a link or a character reference in a text that somebody else wrote. */

const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** The address if a click on it can only open a page or a mail; null for `javascript:` and its kin. */
export function safeHref(href: string): string | null {
  // Browsers drop control characters and blanks inside a scheme; so must whoever looks at it.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const clean = href.replace(/[\u0000-\u0020\u007f-\u00a0]+/g, '')
  if (!/^[a-z][a-z0-9+.-]*:/i.test(clean)) return null
  try {
    const url = new URL(clean)
    return SCHEMES.has(url.protocol) ? url.href : null
  } catch {
    return null
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/** `&amp;` and the like as the characters that they stand for. Others stay as they were written. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED[name.toLowerCase()] ?? whole
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10)
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
      ? '\ufffd'
      : String.fromCodePoint(code)
  })
}
