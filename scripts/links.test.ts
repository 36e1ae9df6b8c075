/** Every link of the documentation leads somewhere: to a file, a folder or a heading that is there. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { describe, expect, it } from 'vitest'
import { filesBelow } from './lib/files.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = filesBelow(ROOT, [
  'README.md',
  'CONTRIBUTING.md',
  'memory/README.md',
  'adapters',
  'docs',
  'skills',
  'src',
  'tests',
  'web',
]).filter((file) => file.endsWith('.md'))

/** A path of the repository as it is named in running text: `src/gateway.ts`. */
const NAMED = /^(?:src|adapters|tests|scripts|web|docs|skills|bench)\/[\w./-]+\.\w+$/

interface Page {
  links: string[]
  named: string[]
  anchors: Set<string>
}

function read(file: string): Page {
  const page: Page = { links: [], named: [], anchors: new Set() }
  const tree = fromMarkdown(readFileSync(join(ROOT, file), 'utf8'), {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  })
  walk(tree, (node) => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') page.links.push(node.url)
    if (node.type === 'inlineCode' && NAMED.test(node.value)) page.named.push(node.value)
    if (node.type === 'heading') {
      const slug = slugOf(textOf(node))
      for (let n = 0; ; n++) {
        const anchor = n === 0 ? slug : `${slug}-${n}`
        if (page.anchors.has(anchor)) continue
        page.anchors.add(anchor)
        break
      }
    }
  })
  return page
}

function walk(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node)
  if ('children' in node) for (const child of node.children) walk(child, visit)
}

function textOf(node: Nodes): string {
  if ('value' in node) return node.value
  return 'children' in node ? node.children.map(textOf).join('') : ''
}

/** As GitHub makes them: lower case, punctuation gone, each blank a hyphen. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

/** What is wrong with a link; null when it leads somewhere. Other sites are nobody's to test here. */
function wrong(from: string, url: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return null
  const [path = '', anchor] = url.split('#').map(decodeURIComponent)
  const target = path === '' ? from : relative(ROOT, join(ROOT, dirname(from), path))
  if (target.startsWith('..')) return `${url} leaves the repository`
  if (!existsSync(join(ROOT, target))) return `${url}: there is no ${target}`
  if (anchor === undefined || !target.endsWith('.md')) return null
  return read(target).anchors.has(anchor) ? null : `${url}: ${target} has no heading #${anchor}`
}

it('finds the pages', () => {
  expect(PAGES).toEqual(
    expect.arrayContaining(['README.md', 'docs/README.md', 'adapters/local/README.md', 'memory/README.md']),
  )
})

describe.each(PAGES)('%s', (file) => {
  const { links, named } = read(file)

  it('has links that lead somewhere', () => {
    expect(links.flatMap((url) => wrong(file, url) ?? [])).toEqual([])
  })

  it('names files that are there', () => {
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

it('the index of the documentation has every page', () => {
  const listed = new Set(read('docs/README.md').links.map((url) => join('docs', url)))
  const pages = PAGES.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md')
  expect(pages.filter((file) => !listed.has(file))).toEqual([])
})

it.each([
  ['docs/cli.md', '#exit-codes', null],
  ['docs/cli.md', '../adapters/local/README.md#limits', null],
  ['docs/cli.md', 'https://vitest.dev', null],
  ['docs/cli.md', 'nowhere.md', 'nowhere.md: there is no docs/nowhere.md'],
  ['docs/cli.md', '#nowhere', '#nowhere: docs/cli.md has no heading #nowhere'],
  ['README.md', '../elsewhere.md', '../elsewhere.md leaves the repository'],
])('%s -> %s', (from, url, expected) => {
  expect(wrong(from, url)).toBe(expected)
})
