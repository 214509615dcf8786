/** The settings of an account for delivery, read together and cached until one of them changes. */
import { DELIVERY_SETTINGS_MAX } from '../../server/base/delivery-limits.ts'
import { SPAM_THRESHOLD_DEFAULT } from '../../server/base/spam-limits.ts'
import type { CommittedChange, Reader, Store } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { addressesOf } from '../../storage/repos/directory.ts'
import { findActiveSieveScript } from '../../storage/repos/sieve-scripts.ts'
import { type CompiledRule, compileRules } from '../mail/inbox-rules/compile.ts'
import { inboxRulesOf } from '../mail/inbox-rules/inbox-rules.handlers.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { type StoredVacationResponse, vacationResponseOf } from '../mail/vacation/auto-reply.ts'
import type { Services } from '../type/context.ts'
import { findStored } from '../type/object-store.ts'

export interface DeliverySettings {
  readonly organization: number
  readonly address: string
  readonly displayName: string
  /** Addresses and aliases, normalised. */
  readonly ownAddresses: readonly string[]
  /** Points from which a message is junk: 1 to 14. */
  readonly threshold: number
  /** A Sieve script is active. */
  readonly hasScript: boolean
  readonly rules: readonly CompiledRule[]
  readonly vacation: StoredVacationResponse
}

const caches = new WeakMap<Store, SettingsCache>()

/** null: the account does not exist. */
export function settingsOf(
  { store, invalidating }: Pick<Services, 'store' | 'invalidating'>,
  account: number,
): Promise<DeliverySettings | null> {
  let cache = caches.get(store)
  if (!cache) {
    cache = new SettingsCache(store, invalidating.deliverySettings)
    caches.set(store, cache)
  }
  return cache.of(account)
}

class SettingsCache {
  readonly #store: Store
  readonly #types: readonly string[]
  readonly #cached = new Map<number, DeliverySettings>()
  /** Counts changes: settings that were read before a change are not cached after it. */
  #changes = 0

  /** @param types that decide settings, in the account itself or in that of its organization */
  constructor(store: Store, types: readonly string[]) {
    this.#store = store
    this.#types = types
    store.onCommit((changes) => this.#invalidate(changes))
    store.onRemoteCommit((changes) => this.#invalidate(changes))
  }

  async of(account: number): Promise<DeliverySettings | null> {
    const cached = this.#cached.get(account)
    if (cached) return cached
    const before = this.#changes
    const found = await this.#store.read((reader) => readSettings(reader, account))
    if (found && before === this.#changes) {
      if (this.#cached.size >= DELIVERY_SETTINGS_MAX) this.#cached.clear()
      this.#cached.set(account, found)
    }
    return found
  }

  #invalidate(changes: readonly CommittedChange[] | null): void {
    if (changes === null) {
      this.#changes++
      this.#cached.clear()
      return
    }
    for (const { account, kind, states } of changes) {
      if (!this.#types.some((type) => type in states)) continue
      this.#changes++
      this.#cached.delete(account)
      if (kind === 'mailbox') continue
      for (const [mailbox, { organization }] of this.#cached) if (organization === account) this.#cached.delete(mailbox)
    }
  }
}

async function readSettings(reader: Reader, account: number): Promise<DeliverySettings | null> {
  const row = await findAccount(reader, account)
  if (!row) return null
  const described = (await findStored(reader, row.organization, MailAccount, account))?.data
  return {
    organization: row.organization,
    address: row.name,
    displayName: described?.displayName ?? '',
    ownAddresses: (await addressesOf(reader, account)).map(({ address }) => address),
    threshold: described?.spamFilterThreshold ?? SPAM_THRESHOLD_DEFAULT,
    hasScript: (await findActiveSieveScript(reader, account)) !== null,
    rules: compileRules(await inboxRulesOf(reader, account)),
    vacation: await vacationResponseOf(reader, account),
  }
}
