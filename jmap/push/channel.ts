/**
 * Sends state changes to one connected client over an event source or a WebSocket. After each notification it reads the states that
 * changed since the client's position, so a lost, late or repeated notification has no effect. It also ends the connection when the
 * credential is no longer valid (promise A4).
 */
import type { Clock } from '../../server/base/clock.ts'
import type { Principal } from '../../server/base/principal.ts'
import { PUSH_GATHER_MS, PUSH_POLL_MS, PUSH_RENEW_MS } from '../../server/base/push-limits.ts'
import type { CalendarAlert } from '../calendars/reminders/calendar-alert.ts'
import type { HeldCredential } from '../directory/authentication.ts'
import { type PushPosition, writePushState } from './push-state.ts'
import type { StateChange } from './state-changes.ts'
import type { ChangedStates, SnapshotRequest, StateSnapshot } from './state-snapshot.ts'

/** The services of the core that a channel calls. */
export interface ChannelCore {
  renew(held: HeldCredential, ip: string | null): Promise<Principal | null>
  snapshot(principal: Principal, request: SnapshotRequest): Promise<StateSnapshot>
}

/** The connected client. */
export interface Listener {
  /** Sends changed states. @param state the push state after this change */
  tell(changed: ChangedStates, state: string): void
  /** Sends alerts (JMAP Calendars 6.4). @param state the push state after them; null: changed states follow, which have it */
  alert(alerts: readonly CalendarAlert[], state: string | null): void
  /** Whether the client can take more now. Changes that come meanwhile are sent together. */
  isReady(): boolean
  /** Called when the credential is no longer valid. */
  end(): void
}

export class Channel {
  readonly #core: ChannelCore
  readonly #clock: Clock
  readonly #ip: string
  readonly #listener: Listener
  /** Called with the accounts whose changes the channel needs from now on. */
  readonly #watch: (accounts: Iterable<number>) => void
  #principal: Principal
  #renewedAt: number
  /** null: push is off. */
  #wanted: { readonly types: readonly string[] | null } | null = null
  #position: Map<number, number> = new Map()
  /** Accounts that may have changed. */
  #dirty: Set<number> | 'all' = new Set()
  #isReading = false
  #sentAt = Number.NEGATIVE_INFINITY
  #cancelSend: (() => void) | null = null
  #cancelRenewal: () => void
  #readAllAt: number
  #ended = false

  /** @param principal as `renew` has just returned it */
  constructor(
    core: ChannelCore,
    clock: Clock,
    principal: Principal,
    ip: string,
    listener: Listener,
    watch: (accounts: Iterable<number>) => void,
  ) {
    this.#core = core
    this.#clock = clock
    this.#principal = principal
    this.#ip = ip
    this.#listener = listener
    this.#watch = watch
    this.#renewedAt = clock.now()
    this.#readAllAt = clock.now()
    this.#cancelRenewal = clock.after(PUSH_RENEW_MS, () => void this.#tick())
  }

  get principal(): Principal {
    return this.#principal
  }

  /** Switches push on. Returns what changed since a state, and the present state. */
  async enable(
    types: readonly string[] | null,
    since: string | null,
  ): Promise<{ readonly changed: ChangedStates; readonly alerts: readonly CalendarAlert[]; readonly state: string }> {
    // A notification that arrives during this read may be about a change that the read does not see.
    this.#wanted = null
    this.#dirty = new Set()
    this.#isReading = true
    try {
      const { changed, alerts, position } = await this.#core.snapshot(this.#principal, { since, types, only: null })
      this.#take(position, true)
      this.#wanted = { types }
      if (Object.keys(changed).length > 0) this.#sentAt = this.#clock.now()
      return { changed, alerts, state: writePushState(this.#position) }
    } finally {
      this.#isReading = false
      // The accounts to watch are known only now. One of them may have changed after the read.
      if (this.#principal.mailboxes === 'all') this.#dirty = 'all'
      this.#schedule()
    }
  }

  disable(): void {
    this.#wanted = null
    this.#dirty = new Set()
  }

  /** Called for each commit in a watched account. */
  notify({ account, invalidatesCredentials }: Pick<StateChange, 'account' | 'invalidatesCredentials'>): void {
    const { organization, ownsOrganization } = this.#principal
    if (account === organization && invalidatesCredentials) void this.renew()
    if (account === organization && !ownsOrganization) return
    if (this.#dirty !== 'all') this.#dirty.add(account)
    this.#schedule()
  }

  /** Called when notifications may have been lost. Reads all accounts. */
  readAll(): void {
    this.#dirty = 'all'
    this.#schedule()
  }

  /** Whether the credential was valid at most `ms` milliseconds ago. */
  async isTrusted(ms: number): Promise<boolean> {
    if (this.#clock.now() - this.#renewedAt > ms) await this.renew()
    return !this.#ended
  }

  /** Looks up the credential again. */
  async renew(): Promise<void> {
    const startedAt = this.#clock.now()
    const renewed = await this.#core.renew(this.#principal, this.#ip).catch(() => undefined)
    // The lookup failed: the previous result holds until the next lookup.
    if (renewed === undefined || this.#ended) return
    if (renewed === null) {
      this.close()
      this.#listener.end()
      return
    }
    this.#renewedAt = startedAt
    const before = JSON.stringify(this.#principal)
    this.#principal = renewed
    if (before !== JSON.stringify(renewed) || renewed.mailboxes === 'all') this.readAll()
  }

  close(): void {
    this.#ended = true
    this.#wanted = null
    this.#cancelRenewal()
    this.#cancelSend?.()
  }

  async #tick(): Promise<void> {
    await this.renew()
    if (this.#ended) return
    if (this.#clock.now() - this.#readAllAt >= PUSH_POLL_MS) this.readAll()
    this.#cancelRenewal = this.#clock.after(PUSH_RENEW_MS, () => void this.#tick())
  }

  /** Sends at once if PUSH_GATHER_MS have passed since the last event; otherwise when they have passed. */
  #schedule(): void {
    const idle = this.#dirty !== 'all' && this.#dirty.size === 0
    if (!this.#wanted || this.#isReading || this.#cancelSend || idle) return
    const wait = this.#sentAt + PUSH_GATHER_MS - this.#clock.now()
    if (wait > 0 || !this.#listener.isReady()) {
      this.#cancelSend = this.#clock.after(Math.max(wait, PUSH_GATHER_MS), () => {
        this.#cancelSend = null
        if (this.#listener.isReady()) void this.#sendChanges()
        else this.#schedule()
      })
    } else void this.#sendChanges()
  }

  async #sendChanges(): Promise<void> {
    const wanted = this.#wanted
    if (!wanted || this.#isReading) return
    this.#isReading = true
    const only = this.#dirty === 'all' ? null : [...this.#dirty]
    this.#dirty = new Set()
    try {
      const request = { since: this.#position, types: wanted.types, only }
      const { changed, alerts, position } = await this.#core.snapshot(this.#principal, request)
      // Push was switched off or on again meanwhile: this result is outdated.
      if (this.#wanted !== wanted) return
      this.#take(position, only === null)
      const isChanged = Object.keys(changed).length > 0
      if (!isChanged && alerts.length === 0) return
      this.#sentAt = this.#clock.now()
      const state = writePushState(this.#position)
      if (alerts.length > 0) this.#listener.alert(alerts, isChanged ? null : state)
      if (isChanged) this.#listener.tell(changed, state)
    } catch {
      // The store does not respond. The next read, at the latest the periodic one, finds the changes.
      this.#dirty = 'all'
      this.#sentAt = this.#clock.now()
    } finally {
      this.#isReading = false
      this.#schedule()
    }
  }

  #take(position: PushPosition, isWhole: boolean): void {
    if (isWhole) {
      this.#position = new Map(position)
      this.#readAllAt = this.#clock.now()
      this.#watch(position.keys())
    } else for (const [account, seq] of position) this.#position.set(account, seq)
  }
}
