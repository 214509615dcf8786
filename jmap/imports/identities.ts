/**
 * Finds mail that a mailbox has already. The index of identities is made when an import needs it: keys from the rows of emails, digests
 * only of those that share a key with a message that is imported. Each is made once.
 */

import { hash } from 'node:crypto'
import { freeWhole } from '../../server/base/free-memory.ts'
import { IDENTITY_COMPARED_MAX, IDENTITY_SLICE } from '../../server/base/import-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import {
  addIdentity,
  emailsAfter,
  emailsWithIdentity,
  findIdentity,
  identifiedUpTo,
  keepIdentifiedUpTo,
  saveIdentity,
  undigested,
} from '../../storage/repos/email-identities.ts'
import { readStored } from '../mail/blob/blobs.ts'
import { packedLines, packedValue } from '../mail/email/packed.ts'
import type { Services } from '../type/context.ts'
import { type Identity, identityKey, identityOf } from './identity.ts'

/** Inside a unit of work: gives keys to emails that came since. Returns whether there may be more. */
export async function indexSome(unit: AccountUnit): Promise<boolean> {
  const from = await identifiedUpTo(unit, unit.account)
  const rows = await emailsAfter(unit, unit.account, from, IDENTITY_SLICE)
  for (const { id, packed, hash: octets } of rows) {
    const key = identityKey(packedValue(packedLines(packed), 'messageId'), octets)
    const hasId = (packedValue(packedLines(packed), 'messageId')?.length ?? 0) > 0
    await addIdentity(unit, { email: id, id_key: key, digest: hasId ? null : key })
  }
  const last = rows.at(-1)
  if (last) await keepIdentifiedUpTo(unit, last.id)
  return rows.length === IDENTITY_SLICE
}

/** Outside of a unit of work: makes the index complete as far as messages with these keys need it. */
export async function completeIndex(services: Services, account: number, keys: ReadonlySet<string>): Promise<void> {
  const { store } = services
  const isBehind = await store.read(async (reader) => {
    const from = await identifiedUpTo(reader, account)
    return (await emailsAfter(reader, account, from, 1)).length > 0
  })
  while (isBehind && (await store.writeInBackground([account], (work) => indexSome(work.account(account)))));
  for (const key of keys) while (await digestSome(services, account, key));
}

async function digestSome(services: Services, account: number, key: string): Promise<boolean> {
  const { store } = services
  const rows = await store.read((reader) => undigested(reader, account, key, IDENTITY_COMPARED_MAX))
  if (rows.length === 0) return false
  const made = new Map<number, string>()
  for (const { email, blob } of rows) made.set(email, await digestOf(services, account, email, blob))
  await store.writeInBackground([account], async (work) => {
    const unit = work.account(account)
    const left = new Set((await undigested(unit, account, key, rows.length)).map(({ email }) => email))
    for (const [email, digest] of made) if (left.has(email)) await saveIdentity(unit, { email, id_key: key, digest })
  })
  return true
}

async function digestOf(services: Services, account: number, email: number, blob: number): Promise<string> {
  const { store, messageWork, logger } = services
  try {
    const stored = await store.read((reader) => readStored(store, reader, account, blob))
    if (stored) {
      const { parsed, message } = await messageWork.parseLent(stored)
      const { digest } = identityOf(message, parsed, hash('sha256', message, 'buffer'))
      freeWhole(message)
      return digest
    }
  } catch (error) {
    logger.warn({ account, email, error: String(error) }, 'a message could not be compared with imported mail')
  }
  // It is like no other message, and is not read again.
  return `unreadable ${email}`
}

/** Inside a unit of work: whether a message with the key came since that must be read first (completeIndex). */
export async function isIncomplete(unit: AccountUnit, key: string): Promise<boolean> {
  return (await undigested(unit, unit.account, key, 1)).length > 0
}

/** Inside a unit of work: the oldest email with the identity; null: there is none. */
export function findSame(unit: AccountUnit, { key, digest }: Identity): Promise<number | null> {
  return findIdentity(unit, unit.account, key, digest)
}

/**
 * The same for a message with its exact octets: two of one import are two as soon as their octets differ, such as in fields of their transport.
 * What was there before counts by its identity.
 */
export async function findSameOctets(
  unit: AccountUnit,
  identity: Identity,
  imported: number,
  octets: Uint8Array,
): Promise<number | null> {
  const found = await emailsWithIdentity(unit, unit.account, identity, imported, IDENTITY_COMPARED_MAX)
  const same = found.find((one) => one.import === null || Buffer.from(one.hash).equals(octets))
  // So many that differ are no mail.
  return same?.email ?? (found.length === IDENTITY_COMPARED_MAX ? found[0]!.email : null)
}

/** Inside a unit of work: records an email that an import created. */
export async function keepIdentity(unit: AccountUnit, email: number, { key, digest }: Identity): Promise<void> {
  await saveIdentity(unit, { email, id_key: key, digest })
  await keepIdentifiedUpTo(unit, email)
}
