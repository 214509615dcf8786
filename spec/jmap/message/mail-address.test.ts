// RFC 5321 4.1.2: an unnecessarily quoted address is the same address.
import t from 'tap'
import { normaliseAddress } from '../../../jmap/message/mail-address.ts'
import { startCore } from '../../support/core.ts'

t.test('unnecessary quotes and backslashes are removed, and no others', async (t) => {
  for (const [written, meant] of [
    ['"hello"@example.test', 'hello@example.test'],
    ['"Hello.World"@EXAMPLE.test', 'hello.world@example.test'],
    ['"he\\llo"@example.test', 'hello@example.test'],
    ['"hello+tag"@example.test', 'hello+tag@example.test'],
    ['"hello world"@example.test', '"hello world"@example.test'],
    ['"hello\\ world"@example.test', '"hello world"@example.test'],
    ['"a\\"b\\\\c"@example.test', '"a\\"b\\\\c"@example.test'],
    ['"x@evil.test"@example.test', '"x@evil.test"@example.test'],
    ['".hello"@example.test', '".hello"@example.test'],
    ['""@example.test', '""@example.test'],
    ['hello@example.test', 'hello@example.test'],
  ] as const) {
    t.equal(normaliseAddress(written), meant, written)
    t.equal(normaliseAddress(meant), meant, 'once and for all')
  }
})

t.test('mail to a quoted mailbox name arrives; a name that needs its quotes is another address', async (t) => {
  const { core, mailbox } = await startCore(t)
  const { account } = await mailbox('hello')
  t.same(await core.recipients(['"hello"@example.test', '"hello+shop"@example.test', '"hello "@example.test']), [
    { status: 'accepted', account },
    { status: 'accepted', account },
    { status: 'unknownUser' },
  ])
})
