/** What an account wants done with its mail, read together and kept in memory until something of it changes. */
import { DELIVERY_SETTINGS_MAX, SPAM_THRESHOLD_DEFAULT } from '../../../server/base/delivery-limits.ts'
import type { CommittedChange, Reader, Store } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { findObject } from '../../../storage/repos/objects.ts'
import { findActiveSieveScript } from '../../../storage/repos/sieve-scripts.ts'
import { type CompiledRule, compileRules } from '../rules/compile.ts'
import { inboxRulesOf } from '../rules/inbox-rules.handlers.ts'
import { type StoredVacationResponse, vacationResponseOf } from '../vacation/auto-reply.ts'

export interface DeliverySettings {
  readonly organization: number
  readonly address: string
  readonly displayName: string
  /** Aliases too, normalised. */
  readonly ownAddresses: readonly string[]
  /** Points from which a message is junk: 1 to 14. */
  readonly threshold: number
  /** A Sieve script is active. */
  readonly hasScript: boolean
  readonly rules: readonly CompiledRule[]
  readonly vacation: StoredVacationResponse
}

/** What the MailAccount tells of a mailbox. */
interface DescribedMailbox {
  readonly displayName: string | null
  readonly spamFilterThreshold: number
}

/** Types whose changes make kept settings wrong. `MailAccount` and `Alias` change in the organization's account. */
const OWN_TYPES = ['InboxRules', 'SieveScript', 'VacationResponse'] as const
const ORGANIZATION_TYPES = ['MailAccount', 'Alias', 'Domain'] as const

const caches = new WeakMap<Store, SettingsCache>()

/** null: there is no such account any more. */
export function settingsOf(store: Store, account: number): Promise<DeliverySettings | null> {
  let cache = caches.get(store)
  if (!cache) {
    cache = new SettingsCache(store)
    caches.set(store, cache)
  }
  return cache.of(account)
}

class SettingsCache {
  readonly #store: Store
  readonly #kept = new Map<number, DeliverySettings>()
  /** Grows with every change: what was read before one is not kept after it. */
  #changes = 0

  constructor(store: Store) {
    this.#store = store
    store.onCommit((changes) => this.#hear(changes))
    store.onRemoteCommit((changes) => this.#hear(changes))
  }

  async of(account: number): Promise<DeliverySettings | null> {
    const known = this.#kept.get(account)
    if (known) return known
    const before = this.#changes
    const found = await this.#store.read((reader) => readSettings(reader, account))
    if (found && before === this.#changes) {
      if (this.#kept.size >= DELIVERY_SETTINGS_MAX) this.#kept.clear()
      this.#kept.set(account, found)
    }
    return found
  }

  #hear(changes: readonly CommittedChange[] | null): void {
    if (changes === null) {
      this.#changes++
      this.#kept.clear()
      return
    }
    for (const { account, states } of changes) {
      if (OWN_TYPES.some((type) => type in states)) {
        this.#changes++
        this.#kept.delete(account)
      }
      if (!ORGANIZATION_TYPES.some((type) => type in states)) continue
      this.#changes++
      for (const [kept, { organization }] of this.#kept) if (organization === account) this.#kept.delete(kept)
    }
  }
}

async function readSettings(reader: Reader, account: number): Promise<DeliverySettings | null> {
  const row = await findAccount(reader, account)
  if (!row) return null
  const described = (await findObject<DescribedMailbox>(reader, row.organization, 'MailAccount', account))?.data
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
