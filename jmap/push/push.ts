/** The core's door for push (RFC 8620 7, RFC 8887 4.3.5): what channels ask, and what the worker that posts to subscriptions asks. */
import type { Principal } from '../../server/base/principal.ts'
import { nextPushAt } from '../../storage/repos/push-subscriptions.ts'
import { type HeldCredential, renewPrincipal } from '../authentication.ts'
import type { Services, VapidKeys } from '../context.ts'
import type { Registry } from '../registry.ts'
import { type SnapshotRequest, type StateSnapshot, stateSnapshot } from './state-snapshot.ts'
import {
  claimPushes,
  type PushBell,
  type PushReport,
  type QueuedPush,
  reportPushes,
  ringPushes,
} from './subscription/deliveries.ts'

export interface Push {
  readonly vapidKeys: VapidKeys
  /** The principal of a credential as it is now; null once it is gone, or its account is suspended. */
  renew(held: HeldCredential, ip: string | null): Promise<Principal | null>
  /** What changed for a principal since it looked last. */
  look(principal: Principal, request: SnapshotRequest): Promise<StateSnapshot>
  /** Calls `listener` when bells may have been lost: then everything is to be looked at. Returns what stops it. */
  onMissedChanges(listener: () => void): () => void

  /** Makes push subscriptions due that a change concerns; null: all. */
  ring(bell: PushBell | null): Promise<void>
  claim(owner: string, limit: number, leaseMs: number): Promise<QueuedPush[]>
  report(reports: readonly PushReport[]): Promise<void>
  /** Epoch ms when the next subscription is due, or null. */
  nextAt(): Promise<number | null>
}

export class LocalPush implements Push {
  readonly #services: Services
  readonly #registry: Registry

  constructor(services: Services, registry: Registry) {
    this.#services = services
    this.#registry = registry
  }

  get vapidKeys(): VapidKeys {
    return this.#services.vapidKeys
  }

  renew(held: HeldCredential, ip: string | null) {
    return renewPrincipal(this.#services, held, ip)
  }

  look(principal: Principal, request: SnapshotRequest) {
    return stateSnapshot(this.#services, this.#registry, principal, request)
  }

  onMissedChanges(listener: () => void) {
    return this.#services.store.onElsewhere((changes) => {
      if (changes === null) listener()
    })
  }

  ring(bell: PushBell | null) {
    return ringPushes(this.#services, bell)
  }

  claim(owner: string, limit: number, leaseMs: number) {
    return claimPushes(this.#services, this.#registry, owner, limit, leaseMs)
  }

  report(reports: readonly PushReport[]) {
    return reportPushes(this.#services, reports)
  }

  nextAt() {
    const { store, clock } = this.#services
    return store.read((reader) => nextPushAt(reader, clock.now()))
  }
}
