/** The channels of one process. Notifies the channels that watch an account of its changes. */
import type { Clock } from '../../server/base/clock.ts'
import type { Principal } from '../../server/base/principal.ts'
import { Channel, type ChannelCore, type Listener } from './channel.ts'
import type { StateChange } from './state-changes.ts'

interface ChannelsCore {
  onStateChange(listener: (change: StateChange) => void): () => void
  readonly push: ChannelCore & { onMissedChanges(listener: () => void): () => void }
}

export class Channels {
  readonly #push: ChannelCore
  readonly #clock: Clock
  readonly #open = new Set<Channel>()
  /** Account number to the channels that watch it. */
  readonly #watching = new Map<number, Set<Channel>>()
  readonly #watched = new Map<Channel, ReadonlySet<number>>()
  readonly #stopListening: readonly (() => void)[]

  constructor(core: ChannelsCore, clock: Clock) {
    this.#push = core.push
    this.#clock = clock
    this.#stopListening = [
      core.onStateChange((change) => this.#notify(change)),
      core.push.onMissedChanges(() => {
        for (const channel of this.#open) channel.readAll()
      }),
    ]
  }

  /** null: the credential is no longer valid, or its account is suspended. */
  async open(principal: Principal, ip: string, listener: Listener): Promise<Channel | null> {
    const renewed = await this.#push.renew(principal, ip)
    if (!renewed) return null
    const channel: Channel = new Channel(this.#push, this.#clock, renewed, ip, listener, (accounts) =>
      this.#watch(channel, new Set([...accounts, renewed.organization])),
    )
    this.#open.add(channel)
    this.#watch(channel, firstAccounts(renewed))
    return channel
  }

  close(channel: Channel): void {
    channel.close()
    this.#open.delete(channel)
    this.#watch(channel, new Set())
    this.#watched.delete(channel)
  }

  closeAll(): void {
    for (const stop of this.#stopListening) stop()
    for (const channel of this.#open) this.close(channel)
  }

  #notify(change: StateChange): void {
    for (const channel of this.#watching.get(change.account) ?? []) channel.notify(change)
  }

  #watch(channel: Channel, accounts: ReadonlySet<number>): void {
    const before = this.#watched.get(channel) ?? new Set<number>()
    for (const account of before) {
      if (accounts.has(account)) continue
      const channels = this.#watching.get(account)!
      channels.delete(channel)
      if (channels.size === 0) this.#watching.delete(account)
    }
    for (const account of accounts) {
      const channels = this.#watching.get(account) ?? new Set()
      this.#watching.set(account, channels.add(channel))
    }
    this.#watched.set(channel, accounts)
  }
}

/** The accounts to watch until the first read has found all of them. */
function firstAccounts({ organization, mailboxes }: Principal): ReadonlySet<number> {
  return new Set([organization, ...(mailboxes === 'all' ? [] : mailboxes)])
}
