import t from 'tap'
import { isEnvelopeAddress, parsePathArgument } from '../../../mta/smtp/path.ts'

const ACCEPTED: [argument: string, address: string][] = [
  ['FROM:<a@b.test>', 'a@b.test'],
  ['from:<a@b.test>', 'a@b.test'],
  ['FROM: <a@b.test>', 'a@b.test'],
  ['FROM:<>', ''],
  ['FROM:<@relay.test,@other.test:a@b.test>', 'a@b.test'],
  ['FROM:<"a b"@b.test>', '"a b"@b.test'],
  ['FROM:<"a>b"@b.test>', '"a>b"@b.test'],
  ['FROM:<"a\\"@b"@b.test>', '"a\\"@b"@b.test'],
  ['FROM:<a%c@b.test>', 'a%c@b.test'],
  ['FROM:<a+tag@b.test>', 'a+tag@b.test'],
  ['FROM:<a@[192.0.2.1]>', 'a@[192.0.2.1]'],
  ['FROM:<a@[IPv6:2001:db8::1]>', 'a@[IPv6:2001:db8::1]'],
  ['FROM:<jörg@bücher.test>', 'jörg@bücher.test'],
]

for (const [argument, address] of ACCEPTED) {
  t.test(`reads ${argument}`, async (t) => {
    t.equal(parsePathArgument(argument, 'FROM')?.address, address)
  })
}

const REFUSED = [
  'FROM:a@b.test',
  'FROM:<a@b.test',
  'FROM:<a@b.test>x',
  'FROM:<a>',
  'FROM:<a@>',
  'FROM:<@b.test>',
  'FROM:<a@b@c.test>',
  'FROM:<a@b.test.>',
  'FROM:<a@.test>',
  'FROM:<a..b@c.test>',
  'FROM:<.a@c.test>',
  'FROM:<a b@c.test>',
  'FROM:<<a@b.test>>',
  'FROM:<a@[1.2.3]>',
  'FROM:<a@[IPv6:1]>',
  'FROM:<a@-b.test>',
  'FROM:<a\u0000@b.test>',
  'FROM:<a\u200b@b.test>',
  'FROM:<a\u2028@b.test>',
  'FROM:<a\u0085@b.test>',
  `FROM:<${'a'.repeat(65)}@b.test>`,
  `FROM:<a@${'b'.repeat(64)}.test>`,
  'FROM:<a@b.test> SIZE=1 SIZE=2',
  'FROM:<a@b.test> =1',
  'FROM:<a@b.test> RET=',
  'TO:<a@b.test>',
]

for (const argument of REFUSED) {
  t.test(`refuses ${encodeURI(argument)}`, async (t) => {
    t.equal(parsePathArgument(argument, 'FROM'), null)
  })
}

t.test('a bare postmaster is a valid recipient and no valid sender', async (t) => {
  t.equal(parsePathArgument('TO:<PostMaster>', 'TO')?.address, 'PostMaster')
  t.equal(parsePathArgument('FROM:<postmaster>', 'FROM'), null)
  t.notOk(isEnvelopeAddress('postmaster'))
})

t.test('parameters keep their values as written, and their names become upper case', async (t) => {
  const path = parsePathArgument('FROM:<a@b.test> size=10 SMTPUTF8 envid=x+2By', 'FROM')
  t.same(
    [...path!.parameters],
    [
      ['SIZE', '10'],
      ['SMTPUTF8', null],
      ['ENVID', 'x+2By'],
    ],
  )
})
