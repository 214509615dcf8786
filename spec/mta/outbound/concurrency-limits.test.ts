// Promise Q4: the slots of each destination, and of probes.
import t from 'tap'
import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import { ConcurrencyLimits } from '../../../mta/outbound/concurrency-limits.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { submission } from '../../support/outbound-queue.ts'

const FULL = 180
const SECOND = 1_000

const mailTo = (domain: string, count: number, changes = {}) =>
  Array.from({ length: count }, () => submission([`x@${domain}`], changes))

const roomAt = (limits: ConcurrencyLimits, domain: string) => new Map(limits.room().destinations).get(domain)

/** One after the other is sent, and answered at once. */
function answerAll(limits: ConcurrencyLimits, mail: readonly QueuedSubmission[]): void {
  for (const one of mail) {
    limits.add(one)
    limits.attempted(one, 'answered')
    limits.remove(one)
  }
}

/** Limits at which a destination has all slots. */
function proven(domain: string, clock = new ManualClock()): ConcurrencyLimits {
  const limits = new ConcurrencyLimits(clock)
  answerAll(limits, mailTo(domain, FULL))
  return limits
}

t.test('a full destination stays full until a third of its slots is free, and this is reported once', async (t) => {
  const limits = proven('out.test')
  const mail = mailTo('out.test', FULL)
  for (const one of mail) limits.add(one)
  t.ok(limits.isFull(mail[0]!))
  t.equal(roomAt(limits, 'out.test'), 0)
  t.notOk(limits.isFull(submission(['x@other.test'])), 'control: another one is not')
  const freed = mail.slice(0, FULL / 3).map((one) => limits.attempted(one, 'answered'))
  t.equal(freed.indexOf(true), FULL / 3 - 1)
  t.equal(freed.lastIndexOf(true), FULL / 3 - 1)
  t.equal(roomAt(limits, 'out.test'), FULL / 3)
})

t.test('a destination that has not answered gets two attempts, and one more for each answer', async (t) => {
  const limits = new ConcurrencyLimits(new ManualClock())
  t.equal(limits.room().perDestination, 2)
  const [held] = mailTo('out.test', 1)
  limits.add(held!)
  t.equal(roomAt(limits, 'out.test'), 1)
  t.same(limits.room().probes.proven, [])
  for (const [answers, slots] of [
    [1, 3],
    [5, 8],
    [500, FULL],
  ] as const) {
    answerAll(limits, mailTo('out.test', answers))
    t.equal(roomAt(limits, 'out.test'), slots - 1, `after ${answers} more answers`)
  }
  t.same(limits.room().probes.proven, ['out.test'])
})

t.test('newsletters of an organization hold their slots until their reports are stored; other mail has more', (t) => {
  const limits = new ConcurrencyLimits(new ManualClock())
  const mail = Array.from({ length: 150 }, (_, i) => submission([`x@n${i}.test`], { isBulk: true }))
  for (const one of mail) limits.add(one)
  t.ok(limits.isFull(submission(['x@new.test'], { isBulk: true })))
  t.notOk(limits.isFull(submission(['x@new.test'])), 'control: a single message is not of a newsletter')
  t.notOk(
    limits.isFull(submission(['x@new.test'], { isBulk: true, organization: 2 })),
    'another organization has its own',
  )
  for (const one of mail) limits.attempted(one, 'answered')
  t.ok(limits.isFull(submission(['x@new.test'], { isBulk: true })), 'what was answered is not stored yet')
  t.ok(mail.map((one) => limits.remove(one)).includes(true))
  t.notOk(limits.isFull(submission(['x@new.test'], { isBulk: true })))
  t.end()
})

t.test('attempts at destinations that do not answer do not count as work of the organization', async (t) => {
  const limits = proven('alive.test')
  for (let i = 0; i < 300; i++) for (const one of mailTo(`dead${i}.test`, 2)) limits.add(one)
  const { organizations, probes } = limits.room()
  t.same(organizations, [])
  t.same(probes.organizations, [[1, 600]])
  t.equal(limits.free, 600)
  for (const one of mailTo('alive.test', 100)) limits.add(one)
  t.same(limits.room().organizations, [[1, 100]], 'control: others are')
  t.equal(limits.free, 500)
})

t.test('a destination that stops answering gets two slots, and its attempts no longer count as work', async (t) => {
  const clock = new ManualClock()
  const limits = proven('out.test', clock)
  const mail = mailTo('out.test', 100)
  for (const one of mail) limits.add(one)
  clock.advance(9 * SECOND)
  t.equal(limits.free, 500)
  clock.advance(SECOND)
  t.equal(limits.free, 600)
  t.same(limits.room().organizations, [])
  t.same(limits.room().probes.organizations, [[1, 100]])
  limits.attempted(mail[0]!, 'answered')
  t.same(limits.room().organizations, [[1, 99]], 'until it answers')
})

t.test('silence halves the slots of a destination, once for concurrent attempts', async (t) => {
  const clock = new ManualClock()
  const limits = proven('out.test', clock)
  const mail = mailTo('out.test', 20)
  for (const one of mail) limits.add(one)
  clock.advance(300 * SECOND)
  for (const one of mail) limits.attempted(one, 'silent')
  clock.advance(SECOND)
  answerAll(limits, mailTo('out.test', 1))
  limits.add(submission(['x@out.test']))
  t.equal(roomAt(limits, 'out.test'), FULL / 2)
})

t.test('a silent destination rests, longer after each silence, until it answers', async (t) => {
  const clock = new ManualClock()
  const limits = new ConcurrencyLimits(clock)
  for (const rest of [30, 60, 120, 240, 300, 300]) {
    const [one] = mailTo('out.test', 1)
    limits.add(one!)
    clock.advance(10 * SECOND)
    t.notOk(limits.attempted(one!, 'silent'))
    clock.advance(rest * SECOND - 1)
    t.equal(roomAt(limits, 'out.test'), 0, `${rest} s`)
    clock.advance(1)
    t.equal(roomAt(limits, 'out.test'), undefined, 'then it is as any other')
  }
  answerAll(limits, mailTo('out.test', 1))
  t.notOk(limits.isFull(submission(['x@out.test'])))
})

t.test('a refused connection changes nothing', async (t) => {
  const limits = new ConcurrencyLimits(new ManualClock())
  const [one] = mailTo('out.test', 1)
  limits.add(one!)
  limits.attempted(one!, 'none')
  t.same(limits.room().destinations, [])
})

t.test('mail through a relay of the sender does not change the destination', async (t) => {
  const limits = proven('out.test')
  for (const one of mailTo('out.test', 5, { relay: 'smtp://relay.test' })) {
    limits.add(one)
    limits.attempted(one, 'silent')
    limits.remove(one)
  }
  t.notOk(limits.isFull(submission(['x@out.test'])))
  limits.add(submission(['x@out.test']))
  t.equal(roomAt(limits, 'out.test'), FULL - 1)
})

t.test('above the limit of octets under way there is no room', async (t) => {
  const limits = proven('out.test')
  const large = submission(['x@out.test'], { bytes: Buffer.alloc(134_217_728) })
  t.ok(limits.free > 0)
  limits.add(large)
  t.equal(limits.free, 0)
  t.ok(limits.remove(large), 'and when it is gone, there is')
  t.ok(limits.free > 0)
})

t.test('large messages to destinations that do not answer leave room for other mail', async (t) => {
  const limits = new ConcurrencyLimits(new ManualClock())
  for (let i = 0; i < 5; i++) limits.add(submission([`x@dead${i}.test`], { bytes: Buffer.alloc(20_000_000) }))
  t.equal(limits.room().probes.freeForNew, 0)
  t.equal(limits.free, 600)
})

t.test('the slots reserved for new mail are released at a fixed rate', async (t) => {
  const clock = new ManualClock()
  const limits = new ConcurrencyLimits(clock)
  let dead = 0
  const tryNew = (count: number) => {
    for (let i = 0; i < count; i++) limits.add(submission([`x@dead${dead++}.test`]))
  }
  tryNew(675)
  t.match(limits.room().probes, { perOrganization: 675, perOrganizationForNew: 750, extra: 10 })
  tryNew(10)
  t.equal(limits.room().probes.extra, 0)
  clock.advance(SECOND)
  t.equal(limits.room().probes.extra, 7)
})
