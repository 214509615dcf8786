// Promise Q5: each recipient has a separate return address, and mail to it is attributed.
import { createSecretKey } from 'node:crypto'
import t from 'tap'
import type { LocalDelivery } from '../../../mta/inbound/local-delivery.ts'
import { withReturnAddresses } from '../../../mta/inbound/with-return-addresses.ts'
import { readVerp, verpAddress } from '../../../mta/reports/verp.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { RETURN_KEY, startQueue } from '../../support/outbound-queue.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const relay = (port: number) => ({ routing: { mode: 'relay', url: `smtp://127.0.0.1:${port}` } }) as const

t.test('under a MAIL FROM domain each recipient has a separate address', async (t) => {
  const { port, messages } = await startPeer(t)
  const { clock, send } = await startQueue(t, relay(port))
  const sent = await send(['x@out.test', 'y@out.test'], { returnDomain: 'bounces.posthouse.test' })
  t.equal(messages.length, 2)
  for (const { mail, rcpt } of messages) {
    const [, address = ''] = /^MAIL FROM:<([^>]*)>/.exec(mail) ?? []
    const position = rcpt[0]!.includes('<x@') ? 0 : 1
    t.same(readVerp(address, [RETURN_KEY], clock.now()), { account: 10, submission: sent.submission, position })
    t.match(address, /@bounces\.posthouse\.test$/)
  }
})

t.test('without one, and for notifications, the envelope stays unchanged', async (t) => {
  const { port, messages } = await startPeer(t)
  const { send } = await startQueue(t, relay(port))
  await send(['x@out.test', 'y@out.test'])
  await send(['x@out.test'], { mailFrom: '', returnDomain: 'bounces.posthouse.test' })
  t.same(
    messages.map(({ mail }) => /<[^>]*>/.exec(mail)![0]),
    ['<alice@posthouse.test>', '<>'],
  )
})

t.test('mail to a return address goes to the account that sent; a forged one is an ordinary address', async (t) => {
  const clock = new ManualClock()
  const inner: LocalDelivery = { deliver: async () => [], verdict: async () => ({ status: 'unknownUser' }) }
  const { verdict } = withReturnAddresses(inner, [RETURN_KEY], clock)
  const token = { account: 10, submission: 7, position: 0 }
  const address = verpAddress(token, 'bounces.posthouse.test', RETURN_KEY, clock.now())
  t.same(await verdict(address), { status: 'accepted', account: 10 })
  const forged = verpAddress(token, 'bounces.posthouse.test', createSecretKey(Buffer.alloc(32, 2)), clock.now())
  t.same(await verdict(forged), { status: 'unknownUser' })
  t.same(await verdict(address.replace('posthouse', 'other')), { status: 'unknownUser' })
})
