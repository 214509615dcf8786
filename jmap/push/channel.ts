/**
 * What a connected client hears, whatever carries it (event source, WebSocket): a look at the store after each bell, from where the
 * client stands, so that a bell that is lost, late or rung twice changes nothing. And how long it may listen: until its credential is
 * gone (promise A4).
 */
import type { Clock } from '../../server/base/clock.ts'
import type { Principal } from '../../server/base/principal.ts'
import { PUSH_GATHER_MS, PUSH_LOOK_MS, PUSH_RENEW_MS } from '../../server/base/push-limits.ts'
import type { HeldCredential } from '../authentication.ts'
import { type PushPosition, writePushState } from './push-state.ts'
import type { StateChange } from './state-changes.ts'
import type { ChangedStates, SnapshotRequest, StateSnapshot } from './state-snapshot.ts'

/** The services of the core that a channel calls. */
export interface ChannelCore {
  renew(held: HeldCredential, ip: string | null): Promise<Principal | null>
  look(principal: Principal, request: SnapshotRequest): Promise<StateSnapshot>
}

/** Who is at the other end. */
export interface Listener {
  /** Something changed; with the push state that this brings the client to. */
  tell(changed: ChangedStates, state: string): void
  /** Whether it can take more now; what changes meanwhile is told together. */
  isReady(): boolean
  /** Its credential is gone. */
  end(): void
}

const CREDENTIAL_TYPES = ['ApiKey', 'MailAccount', 'Organization'] as const

export class Channel {
  readonly #core: ChannelCore
  readonly #clock: Clock
  readonly #ip: string
  readonly #listener: Listener
  /** Called with the accounts that it listens to from now on. */
  readonly #watch: (accounts: Iterable<number>) => void
  #principal: Principal
  #renewedAt: number
  /** null: push is off. */
  #wanted: { readonly types: readonly string[] | null } | null = null
  #position: Map<number, number> = new Map()
  /** Accounts to look at. */
  #dirty: Set<number> | 'all' = new Set()
  #looking = false
  #toldAt = Number.NEGATIVE_INFINITY
  #cancelLook: (() => void) | null = null
  #cancelRenewal: () => void
  #lookedAt: number
  #ended = false

  /** @param principal as `renew` has just told it */
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
    this.#lookedAt = clock.now()
    this.#cancelRenewal = clock.after(PUSH_RENEW_MS, () => void this.#tick())
  }

  get principal(): Principal {
    return this.#principal
  }

  /** Push is on from now; what changed since a state, and the state of now. */
  async enable(
    types: readonly string[] | null,
    since: string | null,
  ): Promise<{ readonly changed: ChangedStates; readonly state: string }> {
    // Bells that ring during this look are of changes that it may not see.
    this.#wanted = null
    this.#dirty = new Set()
    this.#looking = true
    try {
      const { changed, position } = await this.#core.look(this.#principal, { since, types, only: null })
      this.#take(position, true)
      this.#wanted = { types }
      if (Object.keys(changed).length > 0) this.#toldAt = this.#clock.now()
      return { changed, state: writePushState(this.#position) }
    } finally {
      this.#looking = false
      // Which accounts to listen to is known only now: one may have changed between the look and this.
      if (this.#principal.mailboxes === 'all') this.#dirty = 'all'
      this.#schedule()
    }
  }

  disable(): void {
    this.#wanted = null
    this.#dirty = new Set()
  }

  /** A bell. */
  hear({ account, changed }: Pick<StateChange, 'account' | 'changed'>): void {
    const { organization, ownsOrganization } = this.#principal
    if (account === organization && CREDENTIAL_TYPES.some((type) => type in changed)) void this.renew()
    if (account === organization && !ownsOrganization) return
    if (this.#dirty !== 'all') this.#dirty.add(account)
    this.#schedule()
  }

  /** Bells may have been lost: everything is looked at. */
  lookAgain(): void {
    this.#dirty = 'all'
    this.#schedule()
  }

  /** Whether its credential is good, as looked up at most `ms` milliseconds ago. */
  async isTrusted(ms: number): Promise<boolean> {
    if (this.#clock.now() - this.#renewedAt > ms) await this.renew()
    return !this.#ended
  }

  /** Looks the credential up anew. */
  async renew(): Promise<void> {
    const startedAt = this.#clock.now()
    const renewed = await this.#core.renew(this.#principal, this.#ip).catch(() => undefined)
    // Not to be had at present: what was true a moment ago holds until the next time.
    if (renewed === undefined || this.#ended) return
    if (renewed === null) {
      this.close()
      this.#listener.end()
      return
    }
    this.#renewedAt = startedAt
    const before = JSON.stringify(this.#principal)
    this.#principal = renewed
    if (before !== JSON.stringify(renewed) || renewed.mailboxes === 'all') this.lookAgain()
  }

  close(): void {
    this.#ended = true
    this.#wanted = null
    this.#cancelRenewal()
    this.#cancelLook?.()
  }

  async #tick(): Promise<void> {
    await this.renew()
    if (this.#ended) return
    if (this.#clock.now() - this.#lookedAt >= PUSH_LOOK_MS) this.lookAgain()
    this.#cancelRenewal = this.#clock.after(PUSH_RENEW_MS, () => void this.#tick())
  }

  /** At once when the client has had its rest since the last event; otherwise when it will have had it. */
  #schedule(): void {
    const idle = this.#dirty !== 'all' && this.#dirty.size === 0
    if (!this.#wanted || this.#looking || this.#cancelLook || idle) return
    const wait = this.#toldAt + PUSH_GATHER_MS - this.#clock.now()
    if (wait > 0 || !this.#listener.isReady()) {
      this.#cancelLook = this.#clock.after(Math.max(wait, PUSH_GATHER_MS), () => {
        this.#cancelLook = null
        if (this.#listener.isReady()) void this.#look()
        else this.#schedule()
      })
    } else void this.#look()
  }

  async #look(): Promise<void> {
    const wanted = this.#wanted
    if (!wanted || this.#looking) return
    this.#looking = true
    const only = this.#dirty === 'all' ? null : [...this.#dirty]
    this.#dirty = new Set()
    try {
      const request = { since: this.#position, types: wanted.types, only }
      const { changed, position } = await this.#core.look(this.#principal, request)
      // Switched off, or on anew, meanwhile: that look has the say.
      if (this.#wanted !== wanted) return
      this.#take(position, only === null)
      if (Object.keys(changed).length === 0) return
      this.#toldAt = this.#clock.now()
      this.#listener.tell(changed, writePushState(this.#position))
    } catch {
      // The store does not answer: the next look, at the latest the one that comes by itself, tells it.
      this.#dirty = 'all'
      this.#toldAt = this.#clock.now()
    } finally {
      this.#looking = false
      this.#schedule()
    }
  }

  #take(position: PushPosition, isWhole: boolean): void {
    if (isWhole) {
      this.#position = new Map(position)
      this.#lookedAt = this.#clock.now()
      this.#watch(position.keys())
    } else for (const [account, seq] of position) this.#position.set(account, seq)
  }
}
