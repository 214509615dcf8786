/** Resolves a name when a connection is made, and lets net connect only to addresses that are allowed (promise W3). */
import type { LookupFunction } from 'node:net'
import { EgressError } from './egress-error.ts'
import type { Reach } from './reach.ts'

export function checkedLookup(reach: Reach, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : []
      if (error || addresses.length === 0) {
        callback(error ?? new EgressError('failed', 'the name has no address'), [])
      } else if (!addresses.every(({ address }) => reach.mayConnect(address))) {
        // One private address is enough to refuse the name: honest names have none.
        callback(new EgressError('refused', 'the name leads to an address that is not on the public Internet'), [])
      } else if (options.all) {
        callback(null, addresses)
      } else {
        callback(null, addresses[0]!.address, addresses[0]!.family)
      }
    })
  }
}
