/** Header fields of emails, through Email/get: RFC 8621 4.1.2, 4.1.3 and 4.2. */
import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { CONVENIENCE } from './convenience-properties.ts'

const { mailbox } = await startCore(t)
const hello = await mailbox('hello')

/** The result of Email/get for a message with these header lines. */
async function get(header: readonly string[] | Uint8Array, properties: readonly string[]): Promise<Result> {
  const raw = header instanceof Uint8Array ? header : `${header.join('\n')}\n\nbody\n`
  const ids = [await hello.receive(raw)]
  const answer = await hello.call('Email/get', { ids, properties: [...properties] })
  return answer.list?.[0] ?? answer
}

async function one(header: readonly string[] | Uint8Array, property: string): Promise<Result> {
  return (await get(header, [property]))[property]
}

/** RFC 5322 3.6 and RFC 2369 define exactly these; obsolete Resent-Reply-To of RFC 5322 4.5.6 is among the Addresses. */
const FORMS: { readonly [form: string]: readonly string[] } = {
  Text: ['Subject', 'Comments', 'Keywords'],
  Addresses: ['From', 'Sender', 'Reply-To', 'To', 'Cc', 'Bcc'].flatMap((name) => [name, `Resent-${name}`]),
  MessageIds: ['Message-ID', 'In-Reply-To', 'References', 'Resent-Message-ID'],
  Date: ['Date', 'Resent-Date'],
  URLs: ['Help', 'Unsubscribe', 'Subscribe', 'Post', 'Owner', 'Archive'].map((name) => `List-${name}`),
}
const DEFINED = [...Object.values(FORMS).flat(), 'Return-Path', 'Received']
const UNDEFINED = ['List-Id', 'X-Anything', 'Delivered-To', 'Content-Type', 'Autocrypt']

for (const form of [...Object.keys(FORMS), 'GroupedAddresses']) {
  const allowed = FORMS[form === 'GroupedAddresses' ? 'Addresses' : form]!

  t.test(
    `the form ${form} is allowed for the fields that the RFC lists and for unknown ones (RFC 8621 4.1.2)`,
    async (t) => {
      const properties = [...allowed, ...UNDEFINED].flatMap((name) => [
        `header:${name}:as${form}`,
        `header:${name.toUpperCase()}:as${form}:all`,
      ])
      const email = await get(['X: y'], properties)
      t.same(Object.keys(email), ['id', ...properties])
      for (const name of properties) t.same(email[name], name.endsWith(':all') ? [] : null, name)
    },
  )

  t.test(`the form ${form} of any other field is invalidArguments (RFC 8621 4.2)`, async (t) => {
    const ids = [await hello.receive('X: y\n\n')]
    for (const name of DEFINED.filter((field) => !allowed.includes(field))) {
      for (const property of [`header:${name}:as${form}`, `header:${name.toLowerCase()}:as${form}:all`]) {
        const refused = await hello.call('Email/get', { ids, properties: [property] })
        t.match(refused, { type: 'invalidArguments', arguments: ['properties'] }, property)
        const inParts = await hello.call('Email/get', { ids, properties: ['textBody'], bodyProperties: [property] })
        t.match(inParts, { type: 'invalidArguments', arguments: ['bodyProperties'] }, property)
      }
    }
  })
}

t.test('every field can be fetched raw (RFC 8621 4.1.2)', async (t) => {
  const properties = [...DEFINED, ...UNDEFINED].map((name) => `header:${name}`)
  const email = await get(
    DEFINED.map((name) => `${name}: value`),
    properties,
  )
  for (const name of DEFINED) t.equal(email[`header:${name}`], ' value')
})

t.test('Raw is the unchanged value with its folds, without the last line end (RFC 8621 4.1.2.1)', async (t) => {
  t.equal(await one(['X-A:  two  ', '\tlines ', 'X-B: b'], 'header:x-a'), '  two  \r\n\tlines ')
  t.equal(await one(['X-A:none'], 'header:X-A'), 'none')
  t.equal(await one(['X-A:', 'X-B: b'], 'header:X-A'), '')
})

t.test('Raw keeps UTF-8, replaces other octets by U+FFFD, and drops NUL (RFC 8621 4.1.2.1)', async (t) => {
  const header = Buffer.from('Subject: J\u00fcrgen \u{1f600}|\xff|\xc3(|a\0b\r\n\r\n', 'utf8')
  const broken = Buffer.from('Subject: \xff|\xc3(|\xed\xa0\x80|a\0b\r\n\r\n', 'latin1')
  t.equal(await one(header, 'header:Subject'), ' J\u00fcrgen \u{1f600}|\u00ff|\u00c3(|ab')
  const value = await one(broken, 'header:Subject')
  t.match(value, /^ \ufffd\|\ufffd\(\|\ufffd+\|ab$/)
})

t.test('Text is unfolded, without leading spaces, decoded and composed (RFC 8621 4.1.2.2)', async (t) => {
  t.equal(await one(['Subject:   two', '  lines'], 'header:Subject:asText'), 'two  lines')
  t.equal(await one(['Subject: =?utf-8?q?J=C3=BCrgen?= =?iso-8859-1?b?4Q==?= x'], 'subject'), 'J\u00fcrgen\u00e1 x')
  t.equal(await one(['Subject: =?utf-8?q?u=CC=88?= e\u0301'], 'subject'), '\u00fc \u00e9', 'NFC')
  t.equal(await one(['Subject: =?utf-8?q?a=00b=0D=0Ac=07d?='], 'subject'), 'abcd', 'no control characters')
  t.equal(await one(['Subject: =?utf-8?q?a=FFb?= =?utf-8?b?w6TD?='], 'subject'), 'a\ufffdb\u00e4\ufffd')
})

t.test('text that violates the rules of encoded-words is not decoded (RFC 8621 4.1.2.2)', async (t) => {
  for (const text of [
    'a=?utf-8?q?b?=',
    '=?utf-8?q?b?=a',
    '(=?utf-8?q?b?=)',
    '=?utf-8?q?a b?=',
    '=?nobody-knows?q?a?=',
    '=?utf-8?x?a?=',
  ])
    t.equal(await one([`Subject: ${text}`], 'subject'), text)
  t.equal(await one(['Subject: x =?utf-8?q?b?= y'], 'subject'), 'x b y', 'control')
})

const EXAMPLE = [
  'To: "  James Smythe" <james@example.com>, Friends:',
  '  jane@example.com, =?UTF-8?Q?John_Sm=C3=AEth?=',
  '  <john@example.com>;',
]
const JAMES = { name: 'James Smythe', email: 'james@example.com' }
const FRIENDS = [
  { name: null, email: 'jane@example.com' },
  { name: 'John Sm\u00eeth', email: 'john@example.com' },
]

t.test('Addresses are all mailboxes, without their groups: the example of the RFC (RFC 8621 4.1.2.3)', async (t) => {
  t.same(await one(EXAMPLE, 'header:To:asAddresses'), [JAMES, ...FRIENDS])
})

t.test('GroupedAddresses keep the groups: the example of the RFC (RFC 8621 4.1.2.4)', async (t) => {
  t.same(await one(EXAMPLE, 'header:To:asGroupedAddresses'), [
    { name: null, addresses: [JAMES] },
    { name: 'Friends', addresses: FRIENDS },
  ])
  const mixed = 'To: a@x, b@x, "The =?utf-8?q?T?= team": c@x;, d@x, Nobody:;, e@x'
  t.same(
    (await one([mixed], 'header:To:asGroupedAddresses')).map((group: Result) => [group.name, group.addresses.length]),
    [
      [null, 2],
      ['The T team', 1],
      [null, 1],
      ['Nobody', 0],
      [null, 1],
    ],
  )
})

t.test(
  'a name is a display-name, unquoted and unfolded, else the comment after the address (RFC 8621 4.1.2.3)',
  async (t) => {
    for (const [value, name] of [
      ['"A \\"B\\" \\\\ C" <x@y>', 'A "B" \\ C'],
      ['" A\n B " <x@y>', 'A B'],
      ['x@y (Jane Doe)', 'Jane Doe'],
      ['x@y (=?utf-8?q?J=C3=A4ne?=)', 'J\u00e4ne'],
      ['Jane <x@y> (not this)', 'Jane'],
      ['"" <x@y>', null],
      ['x@y', null],
      ['=?utf-8?q?Doe=2C?= =?utf-8?q?_Jane?= <x@y>', 'Doe, Jane'],
      ['=?utf-8?q?e=CC=81?= <x@y>', '\u00e9'],
      ['Jane Q. Public <x@y>', 'Jane Q. Public'],
    ])
      t.same(await one([`From: ${value}`], 'from'), [{ name, email: 'x@y' }], String(value))
  },
)

t.test('encoded-words in a phrase follow the rules of Text; a local part has none (RFC 8621 4.1.2.3)', async (t) => {
  t.same(await one(['From: a=?utf-8?q?b?= <x@y>'], 'from'), [{ name: 'a=?utf-8?q?b?=', email: 'x@y' }])
  t.same(await one(['From: =?nobody-knows?q?b?= <x@y>'], 'from'), [{ name: '=?nobody-knows?q?b?=', email: 'x@y' }])
  t.same(await one(['From: =?utf-8?q?b?=@y'], 'from'), [{ name: null, email: '=?utf-8?q?b?=@y' }])
  t.same(await one(['From: =?utf-8?q?b?= <x@y>'], 'from'), [{ name: 'b', email: 'x@y' }], 'control')
})

t.test('addresses are parsed leniently, also from drafts and obsolete syntax (RFC 8621 4.1.2.3)', async (t) => {
  for (const [value, email] of [
    ['jane', 'jane'],
    ['Jane <jane', 'jane'],
    ['<@a.example,@b.example:x@y>', 'x@y'],
    ['x . z @ y . example', 'x.z@y.example'],
    ['(comment) x@(another)y', 'x@y'],
    [',, x@y ,', 'x@y'],
    ['x@[192.0.2.1]', 'x@[192.0.2.1]'],
    ['"x y"@z', '"x y"@z'],
  ])
    t.match(await one([`To: ${value}`], 'to'), [{ email }], String(value))
  t.same(await one(['To:'], 'to'), [])
})

t.test(
  'MessageIds lose comments, white space and angle brackets, and are null if there is none (RFC 8621 4.1.2.5)',
  async (t) => {
    const header = ['References: <a@x>(c <no@x>)', '\t<"b"@x> <c', ' @x>', 'In-Reply-To: Your mail of today']
    const properties = ['references', 'inReplyTo', 'messageId', 'header:X-Refs:asMessageIds']
    t.match(await get([...header, 'X-Refs: <d@x>'], properties), {
      references: ['a@x', '"b"@x', 'c@x'],
      inReplyTo: null,
      messageId: null,
      'header:X-Refs:asMessageIds': ['d@x'],
    })
  },
)

t.test('a Date keeps its zone, and is null if invalid (RFC 8621 4.1.2.6)', async (t) => {
  for (const [value, date] of [
    ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T09:55:06-06:00'],
    ['21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06Z'],
    ['Fri, 21 Nov 97 09(comment):   55  :  06 -0600', '1997-11-21T09:55:06-06:00'],
    ['Fri, 21 Nov 1997 09:55 -0000 (not told)', '1997-11-21T09:55:00Z'],
    ['21 Nov 1997 09:55:60 +0530', '1997-11-21T09:55:59+05:30'],
    ['21 Nov 1997 09:55:06 EST', '1997-11-21T09:55:06-05:00'],
    ['soon', null],
    ['', null],
  ] as const)
    t.equal(await one([`Date: ${value}`], 'sentAt'), date, value)
})

t.test('URLs lose angle brackets and comments, and are null if there is none (RFC 8621 4.1.2.7)', async (t) => {
  const header = [
    'List-Post: (for members) <mailto:list@example.com?subject=a,b> , (web) <https://example.com/\n post>',
    'List-Help: NO (nobody helps)',
  ]
  const properties = ['header:List-Post:asURLs', 'header:List-Help:asURLs', 'header:List-Owner:asURLs']
  t.match(await get(header, properties), {
    'header:List-Post:asURLs': ['mailto:list@example.com?subject=a,b', 'https://example.com/post'],
    'header:List-Help:asURLs': null,
    'header:List-Owner:asURLs': null,
  })
})

t.test('convenience properties have the value of the last field of their name (RFC 8621 4.1.3)', async (t) => {
  const names = Object.values(CONVENIENCE).map((property) => property.split(':')[1]!)
  const header = ['<first@x>', '=?utf-8?q?L=C3=A4st?= <last@x>, G: <m@x>;'].flatMap((value) =>
    names.map((name) => `${name}: ${name === 'Date' ? '1 Jan 2026 00:00:00 +0100' : value}`),
  )
  for (const lines of [header, ['X: none of them'], names.map((name) => `${name}:`)]) {
    const email = await get(lines, Object.entries(CONVENIENCE).flat())
    for (const [property, form] of Object.entries(CONVENIENCE)) t.same(email[property], email[form], property)
  }
  t.same((await get(header, ['from'])).from, [
    { name: 'L\u00e4st', email: 'last@x' },
    { name: null, email: 'm@x' },
  ])
})

t.test('headers has all fields in order, with their names as written (RFC 8621 4.1.3)', async (t) => {
  t.same(await one(['x-ONE: 1', 'Subject: =?utf-8?q?s?=', 'X-One: 2', 'X-Fold: a', ' b'], 'headers'), [
    { name: 'x-ONE', value: ' 1' },
    { name: 'Subject', value: ' =?utf-8?q?s?=' },
    { name: 'X-One', value: ' 2' },
    { name: 'X-Fold', value: ' a\r\n b' },
  ])
})

t.test('`:all` gives every field of the name in order, in the requested form (RFC 8621 4.1.3)', async (t) => {
  const header = ['Resent-To: A <a@x>', 'resent-to: b@x, c@x', 'RESENT-TO:']
  t.same(await one(header, 'header:Resent-To:asAddresses:all'), [
    [{ name: 'A', email: 'a@x' }],
    [
      { name: null, email: 'b@x' },
      { name: null, email: 'c@x' },
    ],
    [],
  ])
  t.same(await one(header, 'header:resent-to:all'), [' A <a@x>', ' b@x, c@x', ''])
})

t.test(
  'a name may have any printable characters except the colon; suffixes have a fixed order (RFC 8621 4.1.3)',
  async (t) => {
    t.equal(await one(["!#$%&'*+-/=?^_`{|}~.9: odd"], "header:!#$%&'*+-/=?^_`{|}~.9"), ' odd')
    for (const property of [
      'header:',
      'header:a b',
      'header:\u00e4',
      'header:To:all:asAddresses',
      'header:To:asaddresses',
    ])
      t.match(await get(['X: y'], [property]), { type: 'invalidArguments' }, property)
  },
)

t.test('a property is returned under the requested name (RFC 8621 4.2)', async (t) => {
  const properties = ['header:sUbJeCt:asText', 'header:SUBJECT', 'header:subject:all']
  const { id, ...rest } = await get(['Subject: s'], properties)
  t.type(id, 'string')
  t.same(rest, {
    'header:sUbJeCt:asText': 's',
    'header:SUBJECT': ' s',
    'header:subject:all': [' s'],
  })
})

t.test('a body part has its own fields, in the same forms (RFC 8621 4.1.4)', async (t) => {
  const raw = [
    'Content-Type: multipart/mixed; boundary=b',
    'X-Tag: outer',
    '',
    '--b',
    'X-Tag: one',
    'x-tag: =?utf-8?q?tw=C3=B6?=',
    '',
    'text',
    '--b--',
    '',
  ].join('\n')
  const ids = [await hello.receive(raw)]
  const bodyProperties = ['headers', 'header:X-TAG', 'header:X-Tag:asText:all', 'header:X-None', 'header:X-None:all']
  const { list } = await hello.call('Email/get', { ids, properties: ['textBody', 'bodyStructure'], bodyProperties })
  t.same(list[0].textBody, [
    {
      headers: [
        { name: 'X-Tag', value: ' one' },
        { name: 'x-tag', value: ' =?utf-8?q?tw=C3=B6?=' },
      ],
      'header:X-TAG': ' =?utf-8?q?tw=C3=B6?=',
      'header:X-Tag:asText:all': ['one', 'tw\u00f6'],
      'header:X-None': null,
      'header:X-None:all': [],
    },
  ])
  t.equal(list[0].bodyStructure['header:X-TAG'], ' outer')
})
