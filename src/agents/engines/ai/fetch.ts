/**
 * How requests leave: by Node's own `fetch`, or through a proxy where there is one. Node's own gives up a reply of which
 * nothing comes for five minutes, which no turn waits for by default.
 *
 * A redirect is an answer like any other, and followed nowhere: `fetch` keeps the headers that providers have for their
 * keys (`x-api-key`, `x-goog-api-key`) on the way to another host.
 */
export async function openFetch(
  proxy: string | undefined,
): Promise<{ fetch: typeof fetch; close(): Promise<void> }> {
  if (proxy === undefined) {
    return {
      fetch: (input, init) => globalThis.fetch(input, { ...init, redirect: 'manual' }),
      close: async () => {},
    }
  }
  const undici = await import('undici')
  const dispatcher = new undici.ProxyAgent(proxy)
  const through = (input: Parameters<typeof fetch>[0], init?: RequestInit) =>
    undici.fetch(
      input as string,
      { ...(init as object), redirect: 'manual', dispatcher } as Parameters<typeof undici.fetch>[1],
    )
  return { fetch: through as unknown as typeof fetch, close: () => dispatcher.destroy() }
}
