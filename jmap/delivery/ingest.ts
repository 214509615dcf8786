/** The entry of delivery: which recipients are accepted, and the storage of messages. The decisions are in delivery/. */
import { isFailure } from '../../server/base/errors.ts'
import { freeWhole } from '../../server/base/free-memory.ts'
import { SUSPENDED_DEFERS_MS } from '../../server/base/inbound-limits.ts'
import type { Reader } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { findAddress, findDomainName } from '../../storage/repos/directory.ts'
import type { DomainNameTable } from '../../storage/schema/tables.ts'
import { emailWithOctets, type PreparedEmail } from '../mail/email/store-email.ts'
import { baseAddress, domainOf, normaliseAddress } from '../message/mail-address.ts'
import { isVerifiedStatus } from '../policy/domain/state.ts'
import type { Services } from '../type/context.ts'
import { deliver } from './deliver.ts'
import type { DeliveryResult } from './delivery-result.ts'
import type { InboundMessage } from './inbound-message.ts'
import { takeReturned } from './reports/take.ts'

/** The result of RCPT for an address. `overQuota` and `suspended` are temporary; `closed` is suspended for long. */
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

/** @param known claims of domains that have been read */
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
  // Every local address has a domain name that an organization claims.
  if (claims.length === 0) return { status: 'notLocal' }
  const row = (await findAddress(reader, address)) ?? (await findAddress(reader, baseAddress(address)))
  if (row) return openTo(services, reader, { id: row.account, suspended_at: row.suspended_at })
  const verified = claims.find(({ status }) => isVerifiedStatus(status))
  if (!verified) return { status: 'notLocal' }
  const catchAll = verified.catch_all === null ? null : await findAccount(reader, verified.catch_all)
  return catchAll ? openTo(services, reader, catchAll) : { status: 'unknownUser' }
}

interface RecipientAccount {
  readonly id: number
  /** Epoch ms. */
  readonly suspended_at: number | null
}

async function openTo(
  services: Services,
  reader: Reader,
  { id, suspended_at }: RecipientAccount,
): Promise<RecipientVerdict> {
  if (suspended_at === null) return withinQuota(services, reader, id)
  // Decision D8: for a week senders try again, then mail is refused.
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

/**
 * Stores messages, whose octets nobody else reads; each is all or nothing over its recipients, and durable when this resolves. One that fails does not affect the others:
 * if this rejected, a sender would be told to send a message again that is stored.
 */
export function ingest(services: Services, messages: readonly InboundMessage[]): Promise<DeliveryResult[][]> {
  return Promise.all(
    messages.map(async (message) => {
      try {
        return await ingestOne(services, message)
      } catch (error) {
        const failed = failedWith(error)
        return message.recipients.map(() => failed)
      }
    }),
  )
}

async function ingestOne(services: Services, given: InboundMessage): Promise<DeliveryResult[]> {
  const { email, bytes } = await emailWithOctets(services, given.bytes)
  const message = { ...given, bytes }
  try {
    // In units of work of its own: a retry of the sender has the same effect, and nothing is counted twice.
    await takeReturned(services, message, email.parsed)
    return await deliverToMailboxes(services, message, email)
  } finally {
    freeWhole(bytes)
  }
}

async function deliverToMailboxes(
  services: Services,
  message: InboundMessage,
  email: PreparedEmail,
): Promise<DeliveryResult[]> {
  const organizations = await organizationsAmong(services, message)
  const recipients = message.recipients.filter(({ account }) => !organizations.has(account))
  const results = recipients.length > 0 ? await deliver(services, { ...message, recipients }, email) : []
  return message.recipients.map(({ account }) => (organizations.has(account) ? DISCARDED : results.shift()!))
}

const DISCARDED: DeliveryResult = { status: 'discarded' }

/**
 * Recipients that are organizations. These send newsletters, and have no mailboxes: what comes to a return address of one is read as a
 * report and not stored.
 */
async function organizationsAmong(
  { store }: Services,
  { recipients, returned = [] }: InboundMessage,
): Promise<ReadonlySet<number>> {
  const organizations = new Set<number>()
  if (returned.length === 0) return organizations
  await store.read(async (reader) => {
    for (const { account } of recipients)
      if ((await findAccount(reader, account))?.kind === 'organization') organizations.add(account)
  })
  return organizations
}

function failedWith(error: unknown): DeliveryResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return isFailure(error)
    ? { status: 'failed', code: error.code, message: error.message }
    : { status: 'failed', code: null, message: text }
}
