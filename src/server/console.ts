/**
 * Serves the built console. Only files that stand in the folder now, followed to their real place: no path can leave
 * it. Built files carry a hash in their name and are kept by browsers for ever; everything else is asked for anew.
 */
import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/** Vite's names: `index-BkQ3x9Yz.js`. */
const HASHED = /^\/assets\/.*-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/
const FOR_EVER = 'public, max-age=31536000, immutable'

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Golem</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<h1>Golem is running</h1>
<p>Its console is not built yet. In Golem's folder, run:</p>
<pre>npm run build</pre>
<p>then load this page again; the daemon need not be restarted. Meanwhile:
<a href="/health">health</a>, <a href="/api/rooms">rooms</a>, <a href="/api/openapi.json">the API's description</a>.</p>
</html>
`

interface Found {
  bytes: Buffer
  tag: string
  type: string
}

async function find(root: string, path: string): Promise<Found | null> {
  const name = join(root, ...path.split('/').filter((segment) => segment !== ''))
  try {
    const [home, real] = await Promise.all([realpath(root), realpath(name)])
    if (real !== home && !real.startsWith(home + sep)) return null
    const info = await stat(real)
    if (!info.isFile()) return null
    return {
      bytes: await readFile(real),
      tag: `"${info.size.toString(36)}-${Math.trunc(info.mtimeMs).toString(36)}"`,
      type: TYPES[extname(real)] ?? 'application/octet-stream',
    }
  } catch {
    return null // absent, unreadable, or replaced by a build this very moment: not there
  }
}

function wantsPage(headers: Headers): boolean {
  return (headers.get('accept') ?? '*/*').includes('text/html')
}

/**
 * Answers for everything outside `/api`. Addresses inside the console are made by the page itself, so a browser that
 * opens one is given the page.
 *
 * @param path decoded, as the guard let it through
 * @returns null where there is nothing of that name
 */
export async function serveConsole(root: string, path: string, headers: Headers): Promise<Response | null> {
  const hidden = path.split('/').some((segment) => segment.startsWith('.'))
  const file = hidden || path === '/' ? null : await find(root, path)
  if (file !== null) return fileResponse(file, headers, HASHED.test(path) ? FOR_EVER : 'no-cache')
  if (path !== '/' && (extname(path) !== '' || hidden || !wantsPage(headers))) return null
  const page = await find(root, '/index.html')
  if (page !== null) return fileResponse(page, headers, 'no-cache')
  return new Response(NOT_BUILT, {
    status: path === '/' ? 503 : 404,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}

function fileResponse(file: Found, headers: Headers, caching: string): Response {
  const common = { etag: file.tag, 'cache-control': caching }
  if (headers.get('if-none-match') === file.tag) return new Response(null, { status: 304, headers: common })
  return new Response(new Uint8Array(file.bytes), { headers: { ...common, 'content-type': file.type } })
}
