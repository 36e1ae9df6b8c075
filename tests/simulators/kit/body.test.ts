import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadBody, readForm, readJson, readMultipart } from './body.js'

describe('multipart', () => {
  it('reads what the runtime writes, whatever bytes are in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: fc.constantFrom('a', 'ü', '漢', ' ', '.', "'"), minLength: 1, maxLength: 20 }),
        fc.string({ maxLength: 50 }),
        async (bytes, name, text) => {
          const form = new FormData()
          form.set('field', text)
          form.set('file', new Blob([bytes], { type: 'image/png' }), name)
          const response = new Response(form)
          const body = Buffer.from(await response.arrayBuffer())
          const read = readMultipart(body, response.headers.get('content-type') ?? '')
          expect(read.files.file).toEqual({ name, mime: 'image/png', bytes: Buffer.from(bytes) })
          // Line breaks of fields are normalised by the writer.
          expect(read.fields.field).toBe(text.replace(/\r\n|\r|\n/g, '\r\n'))
        },
      ),
    )
  })

  it('reads file names as clients write them', () => {
    const named = (parameter: string) => {
      const head = `--b\r\nContent-Disposition: form-data;name=f;${parameter}\r\n\r\nx\r\n--b--\r\n`
      return readMultipart(Buffer.from(head), 'multipart/form-data; boundary="b"').files.f?.name
    }
    expect(named('filename=a b.txt')).toBe('a b.txt')
    expect(named('filename="a;b.txt"')).toBe('a;b.txt')
    expect(named('filename="a\\"b.txt"')).toBe('a"b.txt')
    expect(named('filename=ü "x".txt')).toBe('ü "x".txt')
    expect(named("filename=x;filename*=UTF-8''%E6%BC%A2.txt")).toBe('漢.txt')
  })

  it.each([
    ['no boundary', 'x', 'multipart/form-data'],
    ['no part', 'x', 'multipart/form-data; boundary=b'],
    ['no end', '--b\r\ncontent-disposition:form-data;name=a\r\n\r\nx', 'multipart/form-data; boundary=b'],
    ['no header', '--b\r\nx\r\n--b--', 'multipart/form-data; boundary=b'],
    ['no name', '--b\r\nx: y\r\n\r\nx\r\n--b--', 'multipart/form-data; boundary=b'],
  ])('refuses a body with %s', (_, body, type) => {
    expect(() => readMultipart(Buffer.from(body), type)).toThrow(BadBody)
  })
})

it('reads forms and JSON', () => {
  expect(readForm('a=1&b=%C3%BC+x&a=2')).toEqual({ a: '2', b: 'ü x' })
  expect(readJson('{"a": 1}')).toEqual({ a: 1 })
  expect(() => readJson('{')).toThrow(BadBody)
})
