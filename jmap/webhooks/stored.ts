/** A stored Webhook: its properties, its secrets (sealed) and the results of its deliveries. */
import { randomBytes } from 'node:crypto'
import type { Keyring, SecretPlace } from '../../server/base/keyring.ts'
import { isLimited, type Principal } from '../../server/base/principal.ts'
import type { AccountUnit, Reader } from '../../storage/ports.ts'
import { setError } from '../protocol/errors.ts'
import { findStored, listStored, updateStored } from '../type/object-store.ts'
import { type StoredWebhook, Webhook } from './webhook.type.ts'

function placeOf(organization: number, webhook: number): SecretPlace {
  return { purpose: 'webhook', tenant: organization, row: String(webhook) }
}

/** `whsec_` and 43 characters: 256 random bits (decision D24). */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`
}

export function sealSecret(keyring: Keyring, organization: number, webhook: number, secret: string): string {
  return keyring.seal(secret, placeOf(organization, webhook))
}

/** The secrets that sign deliveries: the present one and, for a day, the previous one. */
export function secretsOf(
  keyring: Keyring,
  organization: number,
  webhook: number,
  stored: StoredWebhook,
  now: number,
): { readonly current: string; readonly previous: string | null } {
  const { secret, previousSecret, previousSecretExpiresAt } = stored
  const open = (sealed: string) => keyring.open(sealed, placeOf(organization, webhook))
  const isValid = previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > now
  return { current: open(secret), previous: previousSecret !== null && isValid ? open(previousSecret) : null }
}

export async function findWebhook(
  reader: Reader,
  organization: number,
  webhook: number,
): Promise<StoredWebhook | null> {
  return (await findStored(reader, organization, Webhook, webhook))?.data ?? null
}

/** Inside a unit of work. @param seen properties whose change clients see; none: the state does not advance */
export async function keepWebhook(
  unit: AccountUnit,
  webhook: number,
  next: StoredWebhook,
  seen: readonly string[],
): Promise<void> {
  await updateStored(unit, Webhook, { id: webhook, data: next }, seen.length > 0 ? seen : null)
}

/** Inside a unit of work: seals secrets again that an older key sealed. */
export async function sealWebhooks(unit: AccountUnit, keyring: Keyring): Promise<void> {
  for (const { id, data: stored } of await listStored(unit, unit.account, Webhook)) {
    const sealed = [stored.secret, stored.previousSecret].filter((one) => one !== null)
    if (!sealed.some((one) => keyring.isStale(one))) continue
    const anew = (one: string) => sealSecret(keyring, unit.account, id, keyring.open(one, placeOf(unit.account, id)))
    const { secret, previousSecret } = stored
    const next = {
      ...stored,
      secret: anew(secret),
      previousSecret: previousSecret === null ? null : anew(previousSecret),
    }
    await keepWebhook(unit, id, next, [])
  }
}

/** A key that is limited to some mailboxes or domains cannot read webhooks, because webhooks get events of all mailboxes. */
export function mayKnowWebhooks(principal: Principal): boolean {
  return !isLimited(principal)
}

export const LIMITED = setError('forbidden', 'The key is limited to some mailboxes or domains; webhooks hear of all.')
