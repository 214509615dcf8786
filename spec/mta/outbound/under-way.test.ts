// Promise Q4: who has all it may have gets nothing more before a third of it is free again.
import t from 'tap'
import { UnderWay } from '../../../mta/outbound/under-way.ts'
import { submission } from '../../support/outbound-queue.ts'

const FULL = 180

t.test('a destination that is full is so until a third of it is free, and that is told once', async (t) => {
  const underWay = new UnderWay()
  const mail = Array.from({ length: FULL }, () => submission(['x@out.test']))
  for (const one of mail) underWay.add(one)
  t.ok(underWay.isAnyFull)
  t.ok(underWay.isFull(mail[0]!))
  t.notOk(underWay.isFull(submission(['x@other.test'])), 'control: another one is not')
  const freed = mail.slice(0, FULL / 3).map((one) => underWay.tried(one))
  t.equal(freed.indexOf(true), FULL / 3 - 1)
  t.notOk(underWay.isAnyFull)
  t.same(underWay.room().destinations, [['out.test', (FULL * 2) / 3]])
  t.equal(underWay.tried(mail.at(-1)!), false)
})

t.test('while a destination is full a claim is told that it has no room, though something has ended', async (t) => {
  const underWay = new UnderWay()
  const mail = Array.from({ length: FULL }, () => submission(['x@out.test']))
  for (const one of mail) underWay.add(one)
  underWay.tried(mail[0]!)
  t.same(underWay.room().destinations, [['out.test', FULL]])
  t.ok(underWay.free > 0, 'others have')
})

t.test('above the octets that may be under way there is room for nothing', async (t) => {
  const underWay = new UnderWay()
  const large = submission(['x@out.test'], { bytes: Buffer.alloc(134_217_728) })
  t.ok(underWay.free > 0)
  underWay.add(large)
  t.equal(underWay.free, 0)
  t.ok(underWay.remove(large), 'and when it is gone, there is')
  t.ok(underWay.free > 0)
})
