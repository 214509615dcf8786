/**
 * Local delivery that accepts return addresses (mta/reports/verp.ts): mail to one goes to the account that sent the message, which reads it
 * as a report. A return address that this installation has not made does not exist (promise Q5).
 */
import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../server/base/clock.ts'
import { returnAddresses } from '../reports/return-addresses.ts'
import type { LocalDelivery } from './local-delivery.ts'

/** @param keys secrets of the installation, the newest first */
export function withReturnAddresses(delivery: LocalDelivery, keys: readonly KeyObject[], clock: Clock): LocalDelivery {
  const { read } = returnAddresses(keys, clock)
  return {
    deliver: (message) => delivery.deliver(message),
    async verdict(address) {
      const token = read(address)
      return token ? { status: 'accepted', account: token.account } : delivery.verdict(address)
    },
  }
}
