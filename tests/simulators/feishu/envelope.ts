/**
 * How deliveries to a webhook are sealed: AES-256-CBC under the SHA-256 of the app's Encrypt Key, and a signature over
 * time, nonce, key and body.
 * https://open.feishu.cn/document/event-subscription-guide/event-subscriptions/event-subscription-configure-/encrypt-key-encryption-configuration-case
 */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'

/** `base64(iv ‖ ciphertext)`. */
export function encrypt(text: string, key: string): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), iv)
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
}

/** The headers that prove a body. @param seconds since 1970 */
export function signed(key: string, seconds: number, nonce: string, body: string): Record<string, string> {
  return {
    'x-lark-request-timestamp': String(seconds),
    'x-lark-request-nonce': nonce,
    'x-lark-signature': createHash('sha256').update(`${seconds}${nonce}${key}${body}`).digest('hex'),
  }
}
