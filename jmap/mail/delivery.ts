/** Mail from outside: who takes it, and into storage with it; what is decided about it on the way is in delivery/. */
import type { Reader } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { findAddress, findDomainName } from '../../storage/repos/directory.ts'
import type { Services } from '../context.ts'
import type { DeliveryResult, InboundMessage, RecipientVerdict } from '../core.ts'
import { isVerifiedStatus } from '../service/domain.ts'
import { baseAddress, domainOf, normaliseAddress } from './addresses.ts'
import { deliver } from './delivery/deliver.ts'
import { prepareMessage } from './ingest.ts'

/** Whether mail for each address is taken, as RCPT asks. */
export function judgeRecipients(services: Services, addresses: readonly string[]): Promise<RecipientVerdict[]> {
  return services.store.read(async (reader) => {
    const verdicts: RecipientVerdict[] = []
    for (const address of addresses) verdicts.push(await judge(services, reader, address))
    return verdicts
  })
}

async function judge(services: Services, reader: Reader, given: string): Promise<RecipientVerdict> {
  const address = normaliseAddress(given)
  if (address === null) return { status: 'unknownUser' }
  const row = (await findAddress(reader, address)) ?? (await findAddress(reader, baseAddress(address)))
  if (row) return row.suspended_at === null ? withinQuota(services, reader, row.account) : { status: 'suspended' }
  const claims = await findDomainName(reader, domainOf(address))
  const ours = claims.find(({ status }) => isVerifiedStatus(status))
  if (!ours) return { status: 'notLocal' }
  const taker = ours.catch_all === null ? null : await findAccount(reader, ours.catch_all)
  if (!taker) return { status: 'unknownUser' }
  return taker.suspended_at === null ? withinQuota(services, reader, taker.id) : { status: 'suspended' }
}

async function withinQuota(services: Services, reader: Reader, account: number): Promise<RecipientVerdict> {
  const { mailboxStorageBytes } = services.limits
  if (mailboxStorageBytes > 0) {
    const row = await findAccount(reader, account)
    if (row && row.used_bytes >= mailboxStorageBytes) return { status: 'overQuota' }
  }
  return { status: 'accepted', account }
}

/** Stores messages; each is all or nothing over its recipients, and durable when this resolves. */
export async function ingest(services: Services, messages: readonly InboundMessage[]): Promise<DeliveryResult[][]> {
  const outcomes = await Promise.allSettled(
    messages.map(async (message) => {
      const prepared = await prepareMessage(services.store, message.bytes)
      return deliver(services, message, prepared)
    }),
  )
  // All have ended by now: a failure of one is told only when no other is still under way.
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
