/**
 * Mail that comes back to the return address of a recipient (mta/outbound/verp.ts) goes to the account that sent the message, where
 * it is read as the report that it is. What was not made here is no address at all (promise Q5).
 */
import type { Clock } from '../../server/base/clock.ts'
import { returnAddresses } from '../reports/returned.ts'
import type { Delivery } from './delivery.ts'

/** @param keys secrets of the installation, the newest first */
export function withReturnAddresses(delivery: Delivery, keys: readonly Uint8Array[], clock: Clock): Delivery {
  const { read } = returnAddresses(keys, clock)
  return {
    commit: (mail) => delivery.commit(mail),
    async verdict(address) {
      const token = read(address)
      return token ? { status: 'accepted', account: token.account } : delivery.verdict(address)
    },
  }
}
