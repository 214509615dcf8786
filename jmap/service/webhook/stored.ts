/** A Webhook as it is kept: beside its properties, its secrets (sealed) and what its deliveries have come to. */
import { randomBytes } from 'node:crypto'
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { Principal } from '../../../server/base/principal.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findObject, listObjects, updateObject } from '../../../storage/repos/objects.ts'
import { setError } from '../../protocol/errors.ts'
import { Webhook } from './webhook.type.ts'

export interface StoredWebhook {
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly description: string | null
  readonly previousSecretExpiresAt: string | null
  /** Sealed (server/base/keyring.ts), each for its place; both places of one webhook are the same. */
  readonly secret: string
  readonly previousSecret: string | null
  /** Failed deliveries since one was delivered. */
  readonly failures: number
  /** Epoch ms of the last mail about that. */
  readonly noticedAt: number | null
}

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

/** What deliveries are signed with: the present secret and, for a day, the one before. */
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
  const found = await findObject(reader, organization, Webhook.name, webhook)
  return found && (found.data as unknown as StoredWebhook)
}

/** Inside, in the unit of the organization. @param seen properties that clients see differently now; none: it is no change to them */
export async function keepWebhook(
  unit: AccountUnit,
  webhook: number,
  next: StoredWebhook,
  seen: readonly string[],
): Promise<void> {
  await updateObject(unit, unit.account, Webhook.name, { id: webhook, data: { ...next } })
  if (seen.length > 0) unit.change(Webhook.name, webhook, 'u', seen)
}

/** Inside: seals anew what lies under an older key. */
export async function sealWebhooks(unit: AccountUnit, keyring: Keyring): Promise<void> {
  for (const { id, data } of await listObjects(unit, unit.account, Webhook.name)) {
    const stored = data as unknown as StoredWebhook
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

/** A key that is limited to some mailboxes or domains knows no webhooks: they hear of all. */
export function mayKnowWebhooks({ mailboxes, domains }: Principal): boolean {
  return mailboxes === 'all' && domains === undefined
}

export const LIMITED = setError('forbidden', 'The key is limited to some mailboxes or domains; webhooks hear of all.')
