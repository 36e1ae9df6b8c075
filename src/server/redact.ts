/** Takes secrets out of lines that leave the process: logs, and reasons shown on the open health page. */

const MASK = '[redacted]'
/** Shorter values would mask ordinary words. */
const SHORTEST_SECRET = 6

/** Shapes of credentials that nobody listed: bearer tokens, tokens in URLs, the platforms' own formats. */
const SHAPES: readonly [RegExp, string][] = [
  [/\b(bearer|bot)\s+[A-Za-z0-9._~+/=-]{12,}/gi, `$1 ${MASK}`],
  [/([?&](?:access_token|token|key|secret|signature|sig)=)[^&\s"']+/gi, `$1${MASK}`],
  [/(\/\/[^\s/:@]+:)[^\s/@]+@/g, `$1${MASK}@`],
  [/\bxox[a-z]-[A-Za-z0-9-]{8,}/g, MASK],
  [/\bxapp-[A-Za-z0-9-]{8,}/g, MASK],
  [/(?<!\d)\d{6,}:[A-Za-z0-9_-]{30,}/g, MASK],
  [/\b(?:sk|pk|ghp|gho|github_pat)[-_][A-Za-z0-9_-]{16,}/g, MASK],
]

export type Redact = (text: string) => string

/** @param secrets known values: tokens and passwords of the configuration */
export function redactor(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of known) clean = clean.replaceAll(secret, MASK)
    for (const [shape, mask] of SHAPES) clean = clean.replace(shape, mask)
    return clean
  }
}
