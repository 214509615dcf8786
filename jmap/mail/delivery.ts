/** Mail from outside: who takes it, and into storage with it; what is decided about it on the way is in delivery/. */
import { SUSPENDED_DEFERS_MS } from '../../server/base/inbound-limits.ts'
import type { Reader } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { findAddress, findDomainName } from '../../storage/repos/directory.ts'
import type { DomainNameTable } from '../../storage/schema/tables.ts'
import type { Services } from '../context.ts'
import { isVerifiedStatus } from '../service/domain/state.ts'
import { baseAddress, domainOf, normaliseAddress } from './addresses.ts'
import { deliver } from './delivery/deliver.ts'
import type { DeliveryResult, InboundMessage } from './delivery/inbound-message.ts'
import { prepareMessage } from './ingest.ts'
import { takeReturned } from './reports/take.ts'

/** Whether mail for an address is accepted, as RCPT asks. `overQuota` and `suspended` are temporary; `closed` is suspended for long. */
export type RecipientVerdict =
  | { readonly status: 'accepted'; readonly account: number }
  | { readonly status: 'unknownUser' | 'notLocal' | 'suspended' | 'closed' | 'overQuota' }

export function judgeRecipients(services: Services, addresses: readonly string[]): Promise<RecipientVerdict[]> {
  return services.store.read(async (reader) => {
    const verdicts: RecipientVerdict[] = []
    const claims = new Map<string, DomainNameTable[]>()
    for (const address of addresses) verdicts.push(await judge(services, reader, address, claims))
    return verdicts
  })
}

/** @param known the claims of domains that were asked for before */
async function judge(
  services: Services,
  reader: Reader,
  given: string,
  known: Map<string, DomainNameTable[]>,
): Promise<RecipientVerdict> {
  const address = normaliseAddress(given)
  if (address === null) return { status: 'unknownUser' }
  const domain = domainOf(address)
  const claims = known.get(domain) ?? (await findDomainName(reader, domain))
  known.set(domain, claims)
  // Every address of ours is under a name that somebody claims.
  if (claims.length === 0) return { status: 'notLocal' }
  const row = (await findAddress(reader, address)) ?? (await findAddress(reader, baseAddress(address)))
  if (row) return openTo(services, reader, { id: row.account, suspended_at: row.suspended_at })
  const ours = claims.find(({ status }) => isVerifiedStatus(status))
  if (!ours) return { status: 'notLocal' }
  const taker = ours.catch_all === null ? null : await findAccount(reader, ours.catch_all)
  return taker ? openTo(services, reader, taker) : { status: 'unknownUser' }
}

interface Taker {
  readonly id: number
  /** Epoch ms. */
  readonly suspended_at: number | null
}

async function openTo(services: Services, reader: Reader, { id, suspended_at }: Taker): Promise<RecipientVerdict> {
  if (suspended_at === null) return withinQuota(services, reader, id)
  // Decision D8: senders keep trying for a week, then they are told.
  return { status: services.clock.now() - suspended_at < SUSPENDED_DEFERS_MS ? 'suspended' : 'closed' }
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
      // In units of work of its own: it says the same again when the sender has to, and nothing is counted twice.
      await takeReturned(services, message, prepared.parsed)
      return deliver(services, message, prepared)
    }),
  )
  // All have ended by now: a failure of one is told only when no other is still under way.
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
