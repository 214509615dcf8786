// Promise S4: mail from outside goes to mailboxes of this server or nowhere, for any form of address.
import t, { type Test } from 'tap'
import { startOverCore } from './over-core.ts'

/** None of them is a mailbox here; some would be relayed by a server that accepts them. */
const FORMS = [
  'victim@elsewhere.test',
  'victim@ELSEWHERE.TEST',
  'victim@elsewhere.test.',
  'victim@sub.example.test',
  'victim@example.test.elsewhere.test',
  'victim@notexample.test',
  'victim%elsewhere.test@example.test',
  'victim%elsewhere.test%third.test@example.test',
  'victim%elsewhere.test@[127.0.0.1]',
  'victim@[127.0.0.1]',
  'victim@[IPv6:::1]',
  'victim@[192.0.2.1]',
  'hello@[127.0.0.1]',
  'hello@127.0.0.1',
  'victim@localhost',
  'victim@localhost.',
  'victim@mx.example.test',
  '@example.test:victim@elsewhere.test',
  '@elsewhere.test:victim@third.test',
  '@a.test,@b.test:victim@elsewhere.test',
  '@example.test,@elsewhere.test:victim@elsewhere.test',
  'elsewhere.test!victim@example.test',
  'elsewhere.test!victim',
  'a!b!victim@example.test',
  'example.test!elsewhere.test!victim',
  'victim@elsewhere.test@example.test',
  'hello@example.test@elsewhere.test',
  '"victim@elsewhere.test"@example.test',
  '"victim@elsewhere.test"',
  '"victim%elsewhere.test"@example.test',
  '"hello@example.test"@elsewhere.test',
  '"@elsewhere.test:victim"@example.test',
  '"hello"@elsewhere.test',
  '"hel lo"@elsewhere.test',
  '"\\h\\e\\l\\l\\o"@elsewhere.test',
  'victim@"example.test"',
  'victim(example.test)@elsewhere.test',
  'hello@example.test (elsewhere.test)',
  'hello@elsewhere.test(@example.test)',
  'victim @elsewhere.test',
  'victim@ elsewhere.test',
  'victim@elsewhere.test,hello@example.test',
  'hello@example.test,victim@elsewhere.test',
  'hello@example.test;victim@elsewhere.test',
  'hello@example.test\0@elsewhere.test',
  'hello@example.test\0',
  'hello\0@elsewhere.test',
  'hello@elsewhere.test\texample.test',
  'victim',
  'victim@',
  '@example.test',
  '@',
  '',
  '*@example.test',
  '*',
  '%@example.test',
  'victim+hello@elsewhere.test',
  'victim+tag@example.test',
  '+hello@example.test',
  'hello@exämple.test',
  'hello@xn--exmple-cua.test',
  'hello@example。test@elsewhere.test',
  'hello@example.test%00',
  'hello@example..test',
  '|/bin/sh@example.test',
  '/var/mail/hello@example.test',
  'postmaster@elsewhere.test',
  'mailer-daemon@example.test',
]

async function setUp(t: Test) {
  const started = await startOverCore(t, { maxErrors: 1_000 })
  const inbox = async () => (await started.hello.call('Email/query', {})).ids as string[]
  return { ...started, inbox }
}

t.test('no form of an address is relayed, and nothing is queued', async (t) => {
  t.ok(FORMS.length >= 60)
  const { client, queued, inbox } = await setUp(t)
  await client.commands(['MAIL FROM:<x@out.test> SMTPUTF8', '250'])
  for (const form of FORMS) {
    const answer = await client.command(`RCPT TO:<${form}>`)
    t.match(answer, /^5\d\d /, JSON.stringify(form))
  }
  t.match(await client.command('DATA'), '554')
  t.same(await queued(), [])
  t.same(await inbox(), [])
})

t.test('control: addresses of this server in these forms are accepted, each once', async (t) => {
  const { client, queued, inbox } = await setUp(t)
  const forms = [
    'hello@example.test',
    'HELLO@Example.TEST',
    'hello+tag@example.test',
    '@elsewhere.test:hello@example.test',
    'postmaster',
  ]
  for (const form of forms)
    t.match(await client.send('x@out.test', [form], `Subject: ${form}\r\n\r\nbody`), '250', form)
  t.equal((await inbox()).length, forms.length)
  t.same(await queued(), [])
})
