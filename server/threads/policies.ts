/** MTA-STS policies: looked up here, written where the writer is. */
import type { TransportPolicies } from '../../jmap/core.ts'
import type { RpcClient } from './rpc.ts'

export function splitPolicies(local: TransportPolicies, rpc: RpcClient): TransportPolicies {
  return {
    find: (domain) => local.find(domain),
    keep: (...args) => rpc.call('transportPolicies.keep', args),
  }
}
