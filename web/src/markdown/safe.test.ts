import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeReferences, safeHref } from './safe.js'

describe('links of a message', () => {
  it('open pages and mails', () => {
    expect(
      ['https://a.example/x?y=1', 'http://a.example/', 'mailto:a@b.example'].map(safeHref),
    ).not.toContain(null)
  })

  it('never run a script, read a file or leave the scheme to the page', () => {
    for (const href of [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'JAVASCRIPT:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://a/b',
      '//evil.example',
      '/api/session',
      '#/r/x',
      'https://',
      '',
    ]) {
      expect(safeHref(href), href).toBeNull()
    }
  })

  it('have one of three schemes, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('j', 'h', 't', 'p', 's', ':', '/', '\t', '\u00a0', 'a', '.') }),
        (href) => {
          const safe = safeHref(href)
          expect(safe === null || /^(https?|mailto):/.test(safe)).toBe(true)
        },
      ),
    )
  })
})

describe('character references', () => {
  it('are read once', () => {
    expect(decodeReferences('&lt;b&gt; &amp;lt; &#65;&#x1F600; &bogus; &#0; &#xD800;')).toBe(
      '<b> &lt; A😀 &bogus; \ufffd \ufffd',
    )
  })
})
