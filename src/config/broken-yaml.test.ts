/** Broken YAML: every sentence exactly as a person reads it. Each begins with its line and column. */
import { expect, it } from 'vitest'
import { formatProblem } from './errors.js'
import { problemsOf } from './harness.fixture.js'

interface Broken {
  name: string
  yaml: string
  says: string[]
}

const BROKEN: Broken[] = [
  {
    name: 'a key that stands twice',
    yaml: 'name: golem\nlanguage: en\nname: other\n',
    says: ['3:1: name stands here a second time, first in line 1. Keep one of them.'],
  },
  {
    name: 'a list instead of keys',
    yaml: '- name: golem\n',
    says: [
      '1:1: the file must hold keys and values. Write each as `key: value`, with a blank after the colon.',
    ],
  },
  {
    name: 'no blank after the colon',
    yaml: 'name:golem\n',
    says: [
      '1:1: the file must hold keys and values. Write each as `key: value`, with a blank after the colon.',
    ],
  },
  {
    name: 'an empty file',
    yaml: '',
    says: ['1:1: the file is empty. Write at least `name: golem`, or start from golem.yaml.example.'],
  },
  {
    name: 'only comments',
    yaml: '# golem\n',
    says: ['1:1: the file is empty. Write at least `name: golem`, or start from golem.yaml.example.'],
  },
  {
    name: 'a tab',
    yaml: 'groupChat:\n\tgroupPolicy: smart\n',
    says: ['2:1: a tab stands at the start of this line. Indent with blanks only.'],
  },
  {
    name: 'a colon inside a value',
    yaml: 'name: golem: the bot\n',
    says: [
      '1:7: a second `key:` stands in this value. Put a text that holds a colon and a blank in quotes, or start a new line.',
    ],
  },
  {
    name: 'a quote that is not closed',
    yaml: 'name: "golem\nlanguage: en\n',
    says: ['1:7: this " is not closed. Add the missing ".'],
  },
  {
    name: 'a bracket that is not closed',
    yaml: 'channels:\n  local: { rooms: []\nname: golem\n',
    says: ['2:19: this { is not closed. Add the missing }.'],
  },
  {
    name: 'a bracket that closes nothing',
    yaml: 'name: golem ]\nchannels: { } }\n',
    says: ['2:15: a } closes nothing here. Remove it, or open it before.'],
  },
  {
    name: 'a wrong indentation',
    yaml: 'groupChat:\n  groupPolicy: smart\n   maxTurns: 3\n',
    says: ['3:4: this line is indented deeper than the key before it. Line the keys of one mapping up.'],
  },
  {
    name: 'a value without a colon',
    yaml: 'name: golem\nlanguage\n',
    says: ['2:1: a colon is missing here. Write `key: value`.'],
  },
  {
    name: 'a mention as a value',
    yaml: 'name: @golem\n',
    says: ['1:7: a text may not begin with this mark. Put the text in quotes.'],
  },
  {
    name: 'a wrong backslash',
    yaml: 'name: "C:\\golem"\n',
    says: [
      '1:10: this backslash means nothing in double quotes. Write \\\\ for a backslash, or use single quotes.',
    ],
  },
  {
    name: 'two documents',
    yaml: 'name: golem\n---\nname: other\n',
    says: ['2:1: a second document begins here (---). A golem.yaml holds one; remove the line.'],
  },
  {
    name: 'a tag',
    yaml: 'name: !secret golem\n',
    says: ['1:7: this tag (!tag) is not known. Remove it; a text that begins with ! needs quotes.'],
  },
  {
    name: 'an alias of nothing',
    yaml: 'name: *golem\n',
    says: [
      '1:7: *golem stands for nothing: no value before it is marked &golem. A text that begins with * needs quotes.',
    ],
  },
  {
    name: 'an alias inside itself',
    yaml: 'agents: &all\n  - *all\n',
    says: ['2:5: *all stands inside the value that it stands for. Write the value out.'],
  },
  {
    name: 'a bomb of aliases',
    yaml: 'a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d, *d, *d, *d]\n',
    says: ['1:23: aliases (*name) stand for more than 10,000 values. Write the values out.'],
  },
  {
    name: 'brackets without end',
    yaml: `name: ${'['.repeat(5_000)}`,
    says: ['1:407: more than 64 lists or mappings stand within each other. Write the file flatter.'],
  },
  {
    name: 'dashes without end',
    yaml: `${'- '.repeat(5_000)}x`,
    says: ['1:129: more than 64 lists or mappings stand within each other. Write the file flatter.'],
  },
  {
    name: 'a control character',
    yaml: 'name: "go\u0007lem"\n',
    says: ['1:10: a control character stands here, which no text file holds. Remove it.'],
  },
  {
    name: 'a key that is a list',
    yaml: '? [a, b]\n: 1\n',
    says: ['1:3: a key must be a single word or text. Write `key: value`.'],
  },
  {
    name: 'an unclosed bracket in the middle',
    yaml: 'channels: { local: { rooms: [a, b }\nname: golem\n',
    says: ['1:29: this [ is not closed. Add the missing ].'],
  },
  {
    name: 'a nested quote',
    yaml: 'name: golem\nrooms:\n  "*": { bulletin: "abc }\nlanguage: en\n',
    says: ['3:20: this " is not closed. Add the missing ".'],
  },
]

it.each(BROKEN)('$name', ({ yaml, says }) => {
  expect(problemsOf(yaml).map(formatProblem)).toEqual(says.map((sentence) => `golem.yaml:${sentence}`))
})
