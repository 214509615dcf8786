import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { encodeHeader, type HeaderSpec } from '../../../jmap/message/header-encoding.ts'
import { headerForm } from '../../../jmap/message/header-forms.ts'
import type { EncodingFault } from '../../../jmap/message/header-pieces.ts'

function written(spec: HeaderSpec): string {
  const field = encodeHeader(spec)
  if (typeof field !== 'string') throw new Error(field.fault)
  return field
}

function fault(spec: HeaderSpec): string | null {
  const field = encodeHeader(spec)
  return typeof field === 'string' ? null : (field as EncodingFault).fault
}

/** The raw value of a written field, as a reader sees it. */
function rawValue(spec: HeaderSpec): string {
  return written(spec)
    .slice(spec.name.length + 1)
    .replace(/\r\n$/, '')
}

function subject(value: string): HeaderSpec {
  return { name: 'Subject', form: 'Text', value }
}

t.test('RFC 2047: ASCII text is written unchanged, other text in encoded-words', async (t) => {
  t.equal(written(subject('Hello there')), 'Subject: Hello there\r\n')
  t.equal(written(subject('Hello wörld and more')), 'Subject: Hello =?UTF-8?Q?w=C3=B6rld?= and more\r\n')
})

t.test('text that looks like an encoded-word is encoded, so that decoding restores it', async (t) => {
  const value = 'a =?utf-8?Q?b?= c'
  t.equal(headerForm(rawValue(subject(value)), 'Text'), value)
  t.notMatch(written(subject(value)), value)
})

const TEXT = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(' ', '  ', 'word', 'wörd', '😀', '=?', '?='),
    ),
    {
      maxLength: 40,
    },
  )
  .map((pieces) =>
    pieces
      .join('')
      .replace(/[\p{Cc}\p{Cs}]/gu, '')
      .normalize('NFC')
      .trim(),
  )

t.test(
  'RFC 2047, RFC 5322: text is restored, in lines of at most 78 ASCII characters where it can be folded',
  async (t) => {
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(TEXT, (value) => {
          const field = written(subject(value))
          if (field === '') return value === ''
          const lines = field.slice(0, -2).split('\r\n')
          const areShort = lines.every((line) => line.length <= 78 || !/\S\s+\S/.test(line.slice(1)))
          return (
            /^[\x20-\x7e\r\n\t]*$/.test(field) && areShort && headerForm(rawValue(subject(value)), 'Text') === value
          )
        }),
        { numRuns: 1_000 },
      ),
    )
  },
)

t.test('RFC 5322 2.1.1: one very long word is folded below 998 octets and restored', async (t) => {
  const value = 'x'.repeat(5_000)
  t.ok(
    written(subject(value))
      .split('\r\n')
      .every((line) => line.length <= 998),
  )
  t.equal(headerForm(rawValue(subject(value)), 'Text'), value)
})

const NAMES = [
  'Jane Doe',
  'Doe, Jane',
  'J. "X" \\ Doe',
  'Jörg Ä',
  '=?utf-8?Q?x?=',
  'a@b',
  '😀',
  'x'.repeat(300),
  'a (b)',
]

for (const name of NAMES) {
  t.test(`a name is restored: ${name.slice(0, 20)}`, async (t) => {
    const value = [
      { name, email: 'a@example.com' },
      { name: null, email: 'b@example.com' },
    ]
    const spec = { name: 'To', form: 'Addresses', value } as const
    t.same(headerForm(rawValue(spec), 'Addresses'), value)
  })
}

t.test('RFC 2047 5 (3): no encoded-word is written inside quotes', async (t) => {
  for (const name of NAMES) {
    t.notMatch(written({ name: 'To', form: 'Addresses', value: [{ name, email: 'a@b' }] }), /"[^"]*=\?[^"]*"/)
  }
})

t.test('groups are restored, including empty ones', async (t) => {
  const value = [
    { name: null, addresses: [{ name: 'A', email: 'a@x' }] },
    { name: 'The Gröup', addresses: [{ name: null, email: 'b@x' }] },
    { name: 'undisclosed', addresses: [] },
  ]
  const spec = { name: 'To', form: 'GroupedAddresses', value } as const
  t.same(headerForm(rawValue(spec), 'GroupedAddresses'), value)
})

t.test('RFC 5890: a domain beyond ASCII is written in ASCII; a local part beyond it stays UTF-8', async (t) => {
  const to = (email: string) => written({ name: 'To', form: 'Addresses', value: [{ name: null, email }] })
  t.equal(to('a@bücher.example'), 'To: a@xn--bcher-kva.example\r\n')
  t.equal(to('jörg@example.com'), 'To: jörg@example.com\r\n')
})

t.test('RFC 8621 4.6: the half-typed address of a draft is kept', async (t) => {
  const spec = { name: 'To', form: 'Addresses', value: [{ name: 'Jane', email: 'jane' }] } as const
  t.same(headerForm(rawValue(spec), 'Addresses'), [{ name: 'Jane', email: 'jane' }])
})

t.test('an address cannot add a second one', async (t) => {
  const email = 'a@b>, "x" <evil@example.com'
  const spec = { name: 'To', form: 'Addresses', value: [{ name: null, email }] } as const
  t.equal(headerForm(rawValue(spec), 'Addresses').length, 1)
})

t.test('message ids, URLs and dates are restored', async (t) => {
  const ids = ['a@x', 'b@y', `${'c'.repeat(100)}@z`]
  t.same(headerForm(rawValue({ name: 'References', form: 'MessageIds', value: ids }), 'MessageIds'), ids)
  const urls = ['https://x/?a=1,2', 'mailto:x@y']
  t.same(headerForm(rawValue({ name: 'List-Unsubscribe', form: 'URLs', value: urls }), 'URLs'), urls)
  const date = '2024-02-29T12:30:00-03:30'
  t.equal(headerForm(rawValue({ name: 'Date', form: 'Date', value: date }), 'Date'), date)
})

t.test('an empty list writes no field', async (t) => {
  t.equal(written({ name: 'To', form: 'Addresses', value: [] }), '')
  t.equal(written({ name: 'References', form: 'MessageIds', value: [] }), '')
})

t.test('RFC 8621 4.1.2.1: a Raw value is written octet for octet', async (t) => {
  t.equal(written({ name: 'X', form: 'Raw', value: ' a;\r\n\tb' }), 'X: a;\r\n\tb\r\n')
})

for (const [what, spec] of [
  ['CR LF in text', { name: 'Subject', form: 'Text', value: 'a\r\nBcc: evil@example.com' }],
  ['LF in text', { name: 'Subject', form: 'Text', value: 'a\nb' }],
  ['CR in text', { name: 'Subject', form: 'Text', value: 'a\rb' }],
  ['NUL in text', { name: 'Subject', form: 'Text', value: 'a\0b' }],
  ['a line break in a name', { name: 'To', form: 'Addresses', value: [{ name: 'a\r\nX: y', email: 'a@b' }] }],
  ['a line break in an address', { name: 'To', form: 'Addresses', value: [{ name: null, email: 'a@b\r\nX: y' }] }],
  ['a line break in a group name', { name: 'To', form: 'GroupedAddresses', value: [{ name: 'a\nb', addresses: [] }] }],
  ['white space in a message id', { name: 'References', form: 'MessageIds', value: ['a b'] }],
  ['an angle bracket in a message id', { name: 'References', form: 'MessageIds', value: ['a> <b'] }],
  ['a line break in a URL', { name: 'List-Post', form: 'URLs', value: ['mailto:a\r\nX: y'] }],
  ['what is no date', { name: 'Date', form: 'Date', value: 'tomorrow' }],
  ['a line break in a Raw value', { name: 'X', form: 'Raw', value: ' a\r\nBcc: b' }],
  ['a bare LF in a Raw value', { name: 'X', form: 'Raw', value: ' a\n b' }],
  ['an empty folded line in a Raw value', { name: 'X', form: 'Raw', value: ' a\r\n \r\n b' }],
  ['eight-bit Raw values', { name: 'X', form: 'Raw', value: ' ä' }],
  ['a Raw line over 998 octets', { name: 'X', form: 'Raw', value: ' '.concat('a'.repeat(1_000)) }],
  ['a line break in a field name', { name: 'X\r\nY', form: 'Text', value: 'a' }],
  ['a colon in a field name', { name: 'X:Y', form: 'Text', value: 'a' }],
] as const) {
  t.test(`refuses ${what}`, async (t) => {
    t.type(fault(spec as HeaderSpec), 'string')
  })
}

t.test('other control characters are dropped', async (t) => {
  t.equal(written(subject('a\x07b\x7f')), 'Subject: ab\r\n')
})

t.test('lone surrogates become U+FFFD', async (t) => {
  t.equal(headerForm(Buffer.from(rawValue(subject('a\ud800b'))), 'Text'), 'a\ufffdb')
})
