/** The decisions about a message for one account. The spam verdict, the active script and the rules change it, in this order. */

import type { DraftReply, ModelReply } from '../mail/inbox-rules/rule.ts'
import type { SieveMailboxes, SieveTarget, SieveVacation } from '../sieve/index.ts'
import { DeliveryLog } from './delivery-log.ts'

/** Where a message goes: the mailbox of a role, or the one that a script or rule names. */
export type TargetMailbox = { readonly role: string } | SieveTarget

export interface WebhookMatch {
  readonly rule: { readonly id: string; readonly name: string }
  readonly actionIndex: number
}

export interface RequestedDraft<A> {
  readonly rule: { readonly id: string; readonly name: string }
  readonly action: A
}

export class DeliveryPlan {
  readonly log = new DeliveryLog()
  readonly #mailboxes: SieveMailboxes
  targets: readonly TargetMailbox[] = [{ role: 'inbox' }]
  readonly keywords = new Set<string>()
  /** Set when a script wants the message stored nowhere. */
  ending: { readonly kind: 'discarded' } | { readonly kind: 'rejected'; readonly reason: string } | null = null
  /** Ids of the rules whose conditions the message meets. */
  readonly matched: string[] = []
  readonly webhooks: WebhookMatch[] = []
  readonly drafts: RequestedDraft<DraftReply>[] = []
  readonly modelDrafts: RequestedDraft<ModelReply>[] = []
  vacation: SieveVacation | null = null
  /** RFC 7352: keys to remember, until epoch ms. */
  readonly track: { readonly key: string; readonly until: number }[] = []

  constructor(mailboxes: SieveMailboxes) {
    this.#mailboxes = mailboxes
  }

  get isJunk(): boolean {
    return this.targets.some((target) => this.#isOfRole(target, 'junk'))
  }

  /** Replaces all targets. */
  moveTo(target: TargetMailbox): void {
    this.targets = [target]
  }

  /** Decision D10: a message has the keyword $junk if and only if it is in Junk. */
  settleKeywords(): readonly string[] {
    if (this.isJunk) {
      this.keywords.delete('$notjunk')
      this.keywords.add('$junk')
    } else this.keywords.delete('$junk')
    return [...this.keywords]
  }

  #isOfRole(target: TargetMailbox, role: string): boolean {
    if ('create' in target) return target.role === role
    return 'role' in target ? target.role === role : target.id === this.#mailboxes.ofRole(role)
  }
}
