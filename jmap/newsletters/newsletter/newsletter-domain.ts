/** Domains that newsletters are sent from: those of the organization, under ids of their own (decision D19). */
import type { Reader } from '../../../storage/ports.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { Domain, type StoredDomain } from '../../policy/domain/domain.type.ts'
import { isVerifiedStatus } from '../../policy/domain/state.ts'
import { findStored, listStored } from '../../type/object-store.ts'

export interface FoundDomain {
  readonly id: number
  readonly data: StoredDomain
}

export function findDomain(reader: Reader, account: number, number: number | null): Promise<FoundDomain | null> {
  return findStored(reader, account, Domain, number)
}

/** Decision D31: what is taken if a newsletter names none. */
export async function oldestVerifiedDomain(reader: Reader, account: number): Promise<FoundDomain | null> {
  const domains = await listStored(reader, account, Domain)
  return domains.find(({ data }) => isVerifiedStatus(data.status)) ?? null
}

export function defaultFromAddress({ name }: Pick<StoredDomain, 'name'>): string {
  return `newsletter@${name}`
}

/** Answers go there if a newsletter names no mailbox: the oldest one of the domain that is not suspended. null: it has none. */
export async function defaultReplyTo(reader: Reader, account: number, { name }: Pick<StoredDomain, 'name'>) {
  const mailboxes = await listStored(reader, account, MailAccount)
  return mailboxes.find(({ data }) => data.suspendedAt === null && data.address.endsWith(`@${name}`)) ?? null
}
