import t from 'tap'
import { isAddress, readAddress, sameAddress, sendableAddress } from '../../rest/schema/addresses.ts'

t.test('addresses that mail can be sent to are accepted', async (t) => {
  const taken = [
    'a@b.co',
    'first.last+tag@example.com',
    "o'neil!#$%&*/=?^_`{|}~-@example.com",
    '"quoted local"@example.com',
    'a@xn--mnchen-3ya.example',
    `${'x'.repeat(64)}@example.com`,
  ]
  for (const address of taken) t.ok(isAddress(address), address)
})

t.test('addresses that mail cannot be sent to are refused', async (t) => {
  const refused = [
    '',
    'a',
    '@example.com',
    'a@',
    'a@localhost',
    'a@192.0.2.1',
    'a@[192.0.2.1]',
    'a b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example-.com',
    'a@exa_mple.com',
    'a@example.com:25',
    'a@example.com/x',
    'a@example..com',
    'a@%65xample.com',
    `${'x'.repeat(65)}@example.com`,
    `a@${'x'.repeat(64)}.com`,
    'a\r\nb@example.com',
    'a@example.com\n',
    'ä@example.com',
  ]
  for (const address of refused) t.notOk(isAddress(address), JSON.stringify(address))
})

t.test('a domain is stored in lower-case A-labels, a local part as written', async (t) => {
  t.equal(sendableAddress('Jane.Doe@Example.COM'), 'Jane.Doe@example.com')
  t.equal(sendableAddress('jane@münchen.example'), 'jane@xn--mnchen-3ya.example')
})

t.test('one address with its name is read; several or none are refused', async (t) => {
  t.same(readAddress('jane@example.org'), { name: null, email: 'jane@example.org' })
  t.same(readAddress('Jane Doe <jane@example.org>'), { name: 'Jane Doe', email: 'jane@example.org' })
  t.same(readAddress('"Doe, Jane" <jane@example.org>'), { name: 'Doe, Jane', email: 'jane@example.org' })
  t.same(readAddress('<jane@example.org>'), { name: null, email: 'jane@example.org' })
  t.equal(readAddress('a@example.org, b@example.org'), null)
  t.equal(readAddress('Jane <jane>'), null)
  t.equal(readAddress('Jane\r\nBcc: x@example.org <jane@example.org>'), null)
})

t.test('addresses compare without case', async (t) => {
  t.ok(sameAddress('Jane@Example.org', 'jane@example.org'))
  t.notOk(sameAddress('jane@example.org', 'jan@example.org'))
})
