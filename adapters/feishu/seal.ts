/**
 * How Feishu seals what it posts: `{"encrypt": base64(iv ‖ AES-256-CBC)}` under the SHA-256 of the Encrypt Key, and a
 * signature over time, nonce, key and the body's bytes.
 * https://open.feishu.cn/document/event-subscription-guide/event-subscriptions/event-subscription-configure-/encrypt-key-encryption-configuration-case
 */
import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'

/** The text inside; null where it was not sealed with this key. */
export function unseal(encrypted: string, key: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64')
  // An initialisation vector and at least one block.
  if (bytes.length < 32 || bytes.length % 16 !== 0) return null
  try {
    const secret = createHash('sha256').update(key).digest()
    const decipher = createDecipheriv('aes-256-cbc', secret, bytes.subarray(0, 16))
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

/** Whether a signature is that of a body, in constant time. */
export function isSigned(
  signature: string,
  timestamp: string,
  nonce: string,
  key: string,
  body: Uint8Array,
): boolean {
  const expected = createHash('sha256').update(`${timestamp}${nonce}${key}`).update(body).digest('hex')
  return sameText(signature.toLowerCase(), expected)
}

/** In a time that tells nothing of where they differ. */
export function sameText(given: string, wanted: string): boolean {
  const [left, right] = [given, wanted].map((text) => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}
