/** Subscriber/unsubscribe: a vendor method (decision D18). */
import { findSubscribers } from '../../../storage/repos/subscribers.ts'
import { MethodError } from '../../protocol/errors.ts'
import { implement } from '../../type/method.ts'
import { requireAudienceAccess } from '../access.ts'
import { optOut } from '../states/move-subscribers.ts'
import { presentSubscriber } from './present.ts'
import { Subscriber, type SubscriberObject, SubscriberUnsubscribe } from './subscriber.type.ts'

export const unsubscribeMethod = implement(SubscriberUnsubscribe, async (method, { subscriberId }) => {
  requireAudienceAccess(method)
  const number = method.number(Subscriber, method.resolveId(subscriberId)) ?? 0
  const step = method.request.steps?.next()
  return method.services.store.write([method.account.number], async (work) => {
    const unit = work.account(method.account.number)
    const done = await step?.recall<{ accountId: string; subscriber: SubscriberObject }>(unit)
    if (done) return done
    const [found] = await findSubscribers(unit, unit.account, [number])
    if (!found || unit.isDeleted) throw new MethodError('notFound', 'There is no such subscriber.')
    await optOut(unit, method.services.ids, found.address, { source: 'api' })
    const [row] = await findSubscribers(unit, unit.account, [number])
    const answer = { accountId: method.account.id, subscriber: presentSubscriber(method, row!) }
    await step?.keep(unit, answer)
    return answer
  })
})
