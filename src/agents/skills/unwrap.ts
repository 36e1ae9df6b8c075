/** Markdown whose paragraphs were broken at a column becomes Markdown of one line a paragraph: chats show each break. */

const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** What begins a block of its own, so that it joins nothing before it. */
const BLOCK = /^ {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\||<!--|(?:[-*_][ \t]*){3,}$)/
/** What nothing is joined to. */
const WHOLE = /^ {0,3}(?:#{1,6}[ \t]|>|\||(?:[-*_][ \t]*){3,}$)/
const CJK = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]/

/** Joins the lines of paragraphs and list items. Code, tables, quotes and deliberate breaks stay as they are. */
export function unwrap(markdown: string): string {
  const out: string[] = []
  let fence = ''
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    const before = out.at(-1)
    if (fence !== '') {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = ''
      out.push(line)
    } else if (mark !== undefined) {
      fence = mark
      out.push(line)
    } else if (before !== undefined && joins(before, line)) out[out.length - 1] = join(before, line.trim())
    else out.push(line)
  }
  return out.join('\n')
}

function joins(before: string, line: string): boolean {
  if (before.trim() === '' || line.trim() === '') return false
  if (/(?: {2}|\\)$/.test(before) || WHOLE.test(before) || FENCE.test(before)) return false
  return !BLOCK.test(line)
}

/** Chinese and Japanese write no blank where a line was broken. */
function join(before: string, line: string): string {
  const bare = before.trimEnd()
  const glued = CJK.test(bare.at(-1) ?? '') && CJK.test(line[0] ?? '')
  return glued ? bare + line : `${bare} ${line}`
}
