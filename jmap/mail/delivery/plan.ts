/** What is to become of a message in one account, as far as it is decided: spam verdict, script and rules change it in turn. */
import type { SieveMailboxes, SieveTarget, SieveVacation } from '../../sieve/index.ts'
import type { DraftReply, ModelReply } from '../rules/rule.ts'
import { Trace } from './trace.ts'

/** Where a message goes: a role's mailbox, or what a script or rule names. */
export type Place = { readonly role: string } | SieveTarget

export interface WebhookMatch {
  readonly rule: { readonly id: string; readonly name: string }
  readonly actionIndex: number
}

export interface OwedDraft<A> {
  readonly rule: { readonly id: string; readonly name: string }
  readonly action: A
}

export class Plan {
  readonly trace = new Trace()
  readonly #mailboxes: SieveMailboxes
  places: readonly Place[] = [{ role: 'inbox' }]
  readonly keywords = new Set<string>()
  /** Set when a script wants it stored nowhere. */
  ending: { readonly kind: 'discarded' } | { readonly kind: 'rejected'; readonly reason: string } | null = null
  /** Ids of the rules whose conditions it meets. */
  readonly matched: string[] = []
  readonly webhooks: WebhookMatch[] = []
  readonly drafts: OwedDraft<DraftReply>[] = []
  readonly modelDrafts: OwedDraft<ModelReply>[] = []
  vacation: SieveVacation | null = null
  /** RFC 7352: keys to remember, until epoch ms. */
  readonly track: { readonly key: string; readonly until: number }[] = []

  constructor(mailboxes: SieveMailboxes) {
    this.#mailboxes = mailboxes
  }

  get isJunk(): boolean {
    return this.places.some((place) => this.#isOfRole(place, 'junk'))
  }

  /** Instead of all places so far. */
  moveTo(place: Place): void {
    this.places = [place]
  }

  /** Decision D10: what lies in Junk is called junk, and only that. */
  settleKeywords(): readonly string[] {
    if (this.isJunk) {
      this.keywords.delete('$notjunk')
      this.keywords.add('$junk')
    } else this.keywords.delete('$junk')
    return [...this.keywords]
  }

  #isOfRole(place: Place, role: string): boolean {
    if ('create' in place) return place.role === role
    return 'role' in place ? place.role === role : place.id === this.#mailboxes.ofRole(role)
  }
}
