// Promise Q4: a destination at its limit gets nothing more until a third of the limit is free.
import t from 'tap'
import { ConcurrencyLimits } from '../../../mta/outbound/concurrency-limits.ts'
import { submission } from '../../support/outbound-queue.ts'

const FULL = 180

t.test('a full destination is full until a third of it is free, and reports that once', async (t) => {
  const limits = new ConcurrencyLimits()
  const mail = Array.from({ length: FULL }, () => submission(['x@out.test']))
  for (const one of mail) limits.add(one)
  t.ok(limits.isAnyFull)
  t.ok(limits.isFull(mail[0]!))
  t.notOk(limits.isFull(submission(['x@other.test'])), 'control: another one is not')
  const freed = mail.slice(0, FULL / 3).map((one) => limits.attempted(one))
  t.equal(freed.indexOf(true), FULL / 3 - 1)
  t.notOk(limits.isAnyFull)
  t.same(limits.room().destinations, [['out.test', (FULL * 2) / 3]])
  t.equal(limits.attempted(mail.at(-1)!), false)
})

t.test('while a destination is full a claim sees no room, although an attempt has ended', async (t) => {
  const limits = new ConcurrencyLimits()
  const mail = Array.from({ length: FULL }, () => submission(['x@out.test']))
  for (const one of mail) limits.add(one)
  limits.attempted(mail[0]!)
  t.same(limits.room().destinations, [['out.test', FULL]])
  t.ok(limits.free > 0, 'others have')
})

t.test('above the limit of octets under way there is no room', async (t) => {
  const limits = new ConcurrencyLimits()
  const large = submission(['x@out.test'], { bytes: Buffer.alloc(134_217_728) })
  t.ok(limits.free > 0)
  limits.add(large)
  t.equal(limits.free, 0)
  t.ok(limits.remove(large), 'and when it is gone, there is')
  t.ok(limits.free > 0)
})
