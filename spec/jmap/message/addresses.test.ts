import t from 'tap'
import { headerForm } from '../../../jmap/message/header-forms.ts'

function addresses(value: string): [string | null, string][] {
  return headerForm(value, 'Addresses').map(({ name, email }) => [name, email])
}

const RFC_EXAMPLE =
  '"  James Smythe" <james@example.com>, Friends:\r\n jane@example.com, =?UTF-8?Q?John_Sm=C3=AEth?=\r\n <john@example.com>;'

t.test('RFC 8621 4.1.2.3: the example', async (t) => {
  t.same(addresses(RFC_EXAMPLE), [
    ['James Smythe', 'james@example.com'],
    [null, 'jane@example.com'],
    ['John Smîth', 'john@example.com'],
  ])
})

t.test('RFC 8621 4.1.2.4: the example, with its group', async (t) => {
  t.same(headerForm(RFC_EXAMPLE, 'GroupedAddresses'), [
    { name: null, addresses: [{ name: 'James Smythe', email: 'james@example.com' }] },
    {
      name: 'Friends',
      addresses: [
        { name: null, email: 'jane@example.com' },
        { name: 'John Smîth', email: 'john@example.com' },
      ],
    },
  ])
})

t.test('an empty group is kept by GroupedAddresses and gives no address', async (t) => {
  t.same(headerForm('undisclosed-recipients:;', 'GroupedAddresses'), [
    { name: 'undisclosed-recipients', addresses: [] },
  ])
  t.same(addresses('undisclosed-recipients:;'), [])
})

t.test('addresses after a group are outside of it', async (t) => {
  t.same(
    headerForm('a@b, G: c@d;, e@f', 'GroupedAddresses').map(({ name, addresses }) => [name, addresses.length]),
    [
      [null, 1],
      ['G', 1],
      [null, 1],
    ],
  )
})

for (const [what, value, expected] of [
  ['quoted-pairs in a name', '"a \\"b\\" \\\\c" <x@y>', ['a "b" \\c', 'x@y']],
  ['a comma in quotes', '"Doe, Jane" <j@d>', ['Doe, Jane', 'j@d']],
  ['a comma in an encoded-word', '=?utf-8?Q?Doe=2C_Jane?= <j@d>', ['Doe, Jane', 'j@d']],
  ['a bare comma in an encoded-word', '=?utf-8?Q?Doe,_Jane?= <j@d>', ['Doe, Jane', 'j@d']],
  ['encoded-words in quotes, as many mailers write them', '"=?utf-8?Q?J=C3=B6rg?=" <j@d>', ['Jörg', 'j@d']],
  ['raw octets in an encoded-word', '=?iso-8859-1?Q?J\xf6rg?= <j@d>', ['Jörg', 'j@d']],
  ['encoded-words beside atoms', 'Dr. =?utf-8?Q?J=C3=B6rg?= X <j@d>', ['Dr. Jörg X', 'j@d']],
  ['a comment as name', 'j@d (Jane Doe)', ['Jane Doe', 'j@d']],
  ['nested comments', 'j@d (Jane (the (one)) Doe)', ['Jane (the (one)) Doe', 'j@d']],
  ['a name before a comment', 'Jane (x) <j@d> (y)', ['Jane', 'j@d']],
  ['no name', '<j@d>', [null, 'j@d']],
  ['an empty name', '"" <j@d>', [null, 'j@d']],
  ['RFC 5322 4.4: a route', '<@a,@b:j@d>', [null, 'j@d']],
  ['comments and white space in an address', 'j (c) @ d . e', [null, 'j@d.e']],
  ['a quoted local part', '"j k"@d', [null, '"j k"@d']],
  ['a domain literal', 'j@[IPv6:::1]', [null, 'j@[IPv6:::1]']],
  ['a name without angle brackets', 'Jane Doe j@d', ['Jane Doe', 'j@d']],
  ['a semi-complete draft', 'jane', [null, 'jane']],
  ['an angle bracket that never closes', 'Jane <j@d', ['Jane', 'j@d']],
  ['eight-bit names', 'Jörg <j@d>', ['Jörg', 'j@d']],
] as const) {
  t.test(`reads ${what}`, async (t) => {
    t.same(addresses(value), [expected])
  })
}

t.test('repeated separators, and semicolons outside of groups, give no empty addresses', async (t) => {
  t.same(
    addresses(',, a@b ,; c@d;e@f,').map(([, email]) => email),
    ['a@b', 'c@d', 'e@f'],
  )
})

t.test('an unclosed address does not include the next one', async (t) => {
  t.same(addresses('A <a@b, C <c@d>'), [
    ['A', 'a@b'],
    ['C', 'c@d'],
  ])
})

t.test('a missing comma between two mailboxes leaves each its name', async (t) => {
  t.same(addresses('A <a@b> "C D" <c@d>'), [
    ['A', 'a@b'],
    ['C D', 'c@d'],
  ])
})

t.test('text without an address gives an empty list', async (t) => {
  t.same(addresses(''), [])
  t.same(addresses(' (just a comment) '), [])
  t.same(addresses('<>'), [])
})
