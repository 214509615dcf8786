import t from 'tap'
import { headerForm, isFormAllowed, parseHeaderProperty } from '../../../jmap/message/header-forms.ts'

t.test('RFC 8621 4.1.3: a header property is parsed', async (t) => {
  t.same(parseHeaderProperty('header:Subject'), { name: 'Subject', form: 'Raw', all: false })
  t.same(parseHeaderProperty('header:X-Foo:asText'), { name: 'X-Foo', form: 'Text', all: false })
  t.same(parseHeaderProperty('header:X-Foo:all'), { name: 'X-Foo', form: 'Raw', all: true })
  t.same(parseHeaderProperty('header:To:asAddresses:all'), { name: 'To', form: 'Addresses', all: true })
  t.same(parseHeaderProperty('header:X:asRaw'), { name: 'X', form: 'Raw', all: false })
})

t.test('RFC 8621 4.1.3: suffixes in the wrong order, unknown forms and bad names are no header property', async (t) => {
  for (const property of [
    'subject',
    'header:',
    'header',
    'header:To:all:asAddresses',
    'header:To:asaddresses',
    'header:To:asFoo',
    'header:To:asText:asText',
    'header:a b',
    'header:ä',
    'Header:To',
    'header:To:',
    'header:To:all:all',
  ]) {
    t.equal(parseHeaderProperty(property), null, property)
  }
})

t.test('RFC 8621 4.1.2: each defined field has its forms, in any case', async (t) => {
  for (const [name, form] of [
    ['subject', 'Text'],
    ['Keywords', 'Text'],
    ['List-Id', 'Text'],
    ['RESENT-BCC', 'Addresses'],
    ['From', 'GroupedAddresses'],
    ['Resent-Message-Id', 'MessageIds'],
    ['Resent-Date', 'Date'],
    ['List-Archive', 'URLs'],
    ['X-Anything', 'Date'],
    ['X-Anything', 'Addresses'],
    ['Received', 'Raw'],
  ] as const) {
    t.ok(isFormAllowed(name, form), `${name} as ${form}`)
  }
})

t.test('RFC 8621 4.1.2: other forms of defined fields are forbidden', async (t) => {
  for (const [name, form] of [
    ['From', 'Date'],
    ['From', 'Text'],
    ['Subject', 'Addresses'],
    ['Date', 'Text'],
    ['References', 'URLs'],
    ['List-Post', 'Text'],
    ['Received', 'Text'],
    ['Return-Path', 'Addresses'],
  ] as const) {
    t.notOk(isFormAllowed(name, form), `${name} as ${form}`)
  }
})

t.test('RFC 8621 4.1.2.1: Raw replaces bad UTF-8 and drops NUL', async (t) => {
  t.equal(headerForm(Buffer.from(' a\xff\0b\r\n c', 'latin1'), 'Raw'), ' a\ufffdb\r\n c')
})

t.test('RFC 8621 4.1.2.2: Text unfolds, drops leading white space, decodes and composes', async (t) => {
  t.equal(headerForm('  plain\r\n text ', 'Text'), 'plain text ')
  t.equal(headerForm('\r\n\tplain', 'Text'), 'plain')
  t.equal(headerForm(' =?UTF-8?Q?J=C3=B6rg_X?= says =?utf-8*de?b?w6Q=?=', 'Text'), 'Jörg X says ä')
  t.equal(headerForm('e\u0301', 'Text'), 'é')
})

t.test('RFC 2047 6.2: white space between encoded-words is dropped, other white space kept', async (t) => {
  t.equal(headerForm(' =?utf-8?Q?a?=\r\n =?utf-8?Q?b?=  c', 'Text'), 'ab  c')
})

t.test('a character split over two encoded-words is joined', async (t) => {
  t.equal(headerForm(' =?utf-8?Q?=C3?= =?utf-8?Q?=A4?=', 'Text'), 'ä')
  t.equal(headerForm(' =?utf-8?B?w6TD?= =?utf-8?B?pA==?=', 'Text'), 'ää')
})

t.test('RFC 8621 4.1.2.2: text that violates the placement rules of RFC 2047 is not decoded', async (t) => {
  for (const value of [
    'a=?utf-8?Q?b?=',
    '=?utf-8?Q?b?=a',
    '=?utf-8?Q?a b?=',
    '=?utf-8?X?ab?=',
    '=?utf-8?Q?a',
    '=?no-such-charset?Q?a?=',
    '=?utf-8?Q?a?b?=',
  ]) {
    t.equal(headerForm(value, 'Text'), value)
  }
  t.equal(headerForm('=?utf-8?Q?ok?=', 'Text'), 'ok')
})

t.test('RFC 8621 4.1.2.2: encoded control characters are dropped', async (t) => {
  t.equal(headerForm('=?utf-8?Q?a=00=0D=0ABcc:_x=07?=', 'Text'), 'aBcc: x')
})

t.test('RFC 8621 4.1.2.2: undecodable octets become U+FFFD', async (t) => {
  t.equal(headerForm('=?utf-8?Q?a=FFb?=', 'Text'), 'a\ufffdb')
})

t.test('encoded-words in legacy charsets are decoded', async (t) => {
  const jis = '=?iso-2022-jp?B?GyRCRnxLXBsoQg==?='
  t.equal(headerForm(`${jis}\r\n ${jis} x ${jis}`, 'Text'), '日本日本 x 日本')
  t.equal(headerForm('=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', 'Text'), '日本')
  t.equal(headerForm('=?koi8-r?Q?=ED=CF=D3=CB=D7=C1?=', 'Text'), 'Москва')
  t.equal(headerForm('=?windows-1252?Q?=80?=', 'Text'), '€')
})

t.test('octets beyond ASCII in a Q encoded-word, which RFC 2047 4.2 forbids, are read in its charset', async (t) => {
  const subject = (octets: string) => headerForm(Buffer.from(octets, 'latin1'), 'Text')
  t.equal(subject(' =?iso-8859-1?Q?caf\xe9_=E0_la_cr\xe8me?='), 'café à la crème')
  t.equal(subject(' =?ISO-8859-1?q?\xfcber?= =?iso-8859-1?Q?all_=FC?='), 'überall ü')
  t.equal(subject(' =?koi8-r?Q?\xed\xcf\xd3\xcb\xd7\xc1?='), 'Москва')
  t.equal(subject(' =?windows-1252?Q?10_\x80?='), '10 €')
  t.equal(subject(' =?utf-8?Q?caf\xc3\xa9_=C3=A9?='), 'café é')
  t.equal(subject(' =?iso-8859-1?Q?\xe6\x97\xa5\xe6\x9c\xac?='), '日本', 'UTF-8 that windows-1252 has no letters for')
  t.equal(
    subject(' =?iso-8859-1?Q?caf\xe9 au lait?='),
    '=?iso-8859-1?Q?café au lait?=',
    'white space is in no encoded-word',
  )
  t.equal(subject(' =?iso-8859-1?B?Y2Fm\xe9?='), '=?iso-8859-1?B?Y2Fmé?=', 'base64 has no such octets')
})

t.test('RFC 8621 4.1.2.5: MessageIds lose brackets, comments, phrases and white space', async (t) => {
  t.same(headerForm(' <a@b> (x <c@d>) <e@f>\r\n', 'MessageIds'), ['a@b', 'e@f'])
  t.same(headerForm('Your message of "Monday" <a@b>', 'MessageIds'), ['a@b'])
  t.same(headerForm(' <123\r\n\t456\\@lo cal>', 'MessageIds'), ['123456\\@local'])
  t.same(headerForm(' a@b', 'MessageIds'), ['a@b'])
})

t.test('RFC 8621 4.1.2.5: MessageIds is null if there is none', async (t) => {
  t.equal(headerForm(' nothing here', 'MessageIds'), null)
  t.equal(headerForm('', 'MessageIds'), null)
})

t.test('RFC 8621 4.1.2.6: Date keeps the zone; null if invalid', async (t) => {
  t.equal(headerForm(' Tue, 10 Jul 2018 03:05:08 +1000', 'Date'), '2018-07-10T03:05:08+10:00')
  t.equal(headerForm(' Tue, 10 Jul 2018 03:05:08 GMT', 'Date'), '2018-07-10T03:05:08Z')
  t.equal(headerForm(' Tue, 10 Jul 2018 03:05:08 +2400', 'Date'), '2018-07-09T03:05:08Z', 'RFC 3339 has no such zone')
  t.equal(headerForm(' Tue, 10 Jul 2018 03:05:08 +2359', 'Date'), '2018-07-10T03:05:08+23:59')
  t.equal(headerForm(' soon', 'Date'), null)
})

t.test('RFC 8621 4.1.2.7, RFC 2369 2: URLs lose brackets and comments; null if there is none', async (t) => {
  t.same(headerForm(' (Use this) <https://example.com/\r\n u>, <mailto:x@y>', 'URLs'), [
    'https://example.com/u',
    'mailto:x@y',
  ])
  t.equal(headerForm(' NO (posting not allowed)', 'URLs'), null)
})

t.test('every form accepts any octets', async (t) => {
  const value = Buffer.from('\0\xff<(\\"=?utf-8?Q?=', 'latin1')
  for (const form of ['Raw', 'Text', 'Addresses', 'GroupedAddresses', 'MessageIds', 'Date', 'URLs'] as const) {
    t.doesNotThrow(() => headerForm(value, form), form)
  }
})
