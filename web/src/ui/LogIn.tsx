import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { logIn } from '../api/core.js'
import { sentence } from '../api/http.js'
import { Logo } from './icons.js'

/** Asks for `gateway.token`, where the daemon wants one. */
export function LogIn({ done }: { done: () => void }) {
  const [token, setToken] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await logIn(token.trim())
      done()
    } catch (reason) {
      setError(sentence(reason))
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)} className="login-card">
        <Logo size={44} />
        <h1>Golem console</h1>
        <p className="dim">
          This daemon asks for its token: <code>gateway.token</code> in golem.yaml.
        </p>
        <PasswordInput
          label="Token"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          error={error}
          autoFocus
          autoComplete="current-password"
          required
        />
        <Button type="submit" loading={busy} disabled={token.trim() === ''} fullWidth>
          Log in
        </Button>
      </form>
    </main>
  )
}
