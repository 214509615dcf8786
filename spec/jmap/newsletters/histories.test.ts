// Decision D18: what holds after any history of adds, unsubscriptions, suppressions and deletions.
import fc from 'fast-check'
import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { audiencesOf } from './world.ts'

const ADDRESSES = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@history.example`)
const KINDS = ['add', 'unsubscribe', 'optOut', 'suppress', 'unsuppress', 'destroy', 'newAudience'] as const

const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  audience: fc.nat(2),
  addresses: fc.subarray(ADDRESSES, { minLength: 1 }),
})

await forEachEngine(t, async (t, engine) => {
  const started = await startCore(t, engine)
  const { organizationWith } = started
  let count = 0

  t.test('nobody is subscribed who has opted out or is suppressed, whatever happened before', async (t) => {
    let blocked = 0
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const { accountId } = await organizationWith(`history-${count++}.test`)
      const { call, add, audience, find, statuses, counts } = audiencesOf(started, accountId)
      const ids = [await audience(), await audience(), await audience()]
      const optedOut = new Set<string>()
      const suppressions = new Map<string, string>()
      for (const { kind, audience: at, addresses } of steps) {
        const [address] = addresses as [string]
        const id = ids[at]!
        if (kind === 'add') {
          const outcomes = await add(id, addresses)
          for (const [i, one] of addresses.entries())
            if (optedOut.has(one) || suppressions.has(one)) {
              blocked++
              if (outcomes[i] !== 'skipped_not_mailable') throw new Error(`${one} was ${outcomes[i]}`)
            }
        } else if (kind === 'optOut' || kind === 'unsubscribe') {
          const member = await find(id, address)
          if (kind === 'unsubscribe' && !member) continue
          if (kind === 'optOut') await call('OptOut/set', { create: { o: { email: address } } })
          else await call('Subscriber/unsubscribe', { subscriberId: member.id })
          optedOut.add(address)
        } else if (kind === 'suppress') {
          const { created } = await call('Suppression/set', { create: { s: { email: address } } })
          if (created) suppressions.set(address, created.s.id)
        } else if (kind === 'unsuppress') {
          const suppression = suppressions.get(address)
          if (suppression !== undefined) await call('Suppression/set', { destroy: [suppression] })
          suppressions.delete(address)
        } else if (kind === 'destroy') {
          const member = await find(id, address)
          if (member) await call('Subscriber/set', { destroy: [member.id] })
        } else {
          await call('Audience/set', { destroy: [id] })
          ids[at] = await audience()
        }
      }
      for (const id of ids) {
        const found = await statuses(id)
        const subscribed = Object.keys(found).filter((one) => found[one] === 'subscribed')
        const wrong = subscribed.filter((one) => optedOut.has(one) || suppressions.has(one))
        if (wrong.length > 0) throw new Error(`subscribed: ${wrong.join()}`)
        const counted = JSON.stringify([Object.keys(found).length, subscribed.length])
        if (JSON.stringify(await counts(id)) !== counted) throw new Error(`counted otherwise than ${counted}`)
      }
      const { ids: stored } = await call('OptOut/query')
      if ((stored as Result[]).length !== optedOut.size)
        throw new Error(`${stored.length} opt-outs of ${optedOut.size}`)
    })
    await fc.assert(property, { numRuns: 15, seed: 18 })
    t.ok(blocked > 20, `${blocked} adds of blocked addresses`)
  })
})
