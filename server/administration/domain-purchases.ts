/** Domains for the command line: prices, purchases, and records at DNS providers. JMAP calls by the system principal. */
import { DomainApplyDns } from '../../jmap/policy/domain/domain.type.ts'
import {
  DomainRegister,
  DomainSearch,
  type WrittenContact,
} from '../../jmap/policy/registration/registration.methods.ts'
import type { SetError } from '../../jmap/protocol/set-error.ts'
import type { Core } from '../../jmap/services.ts'
import type { AnswerOf } from '../../jmap/type/method-declaration.ts'
import { Failure } from '../base/errors.ts'
import { callMethod } from './system-call.ts'

export type Offer = AnswerOf<typeof DomainSearch>['offers'][number]
export type DnsChanges = Omit<AnswerOf<typeof DomainApplyDns>, 'notApplied'>

export interface DomainOrder {
  readonly name: string
  readonly years: number
  readonly contact: WrittenContact
}

export class DomainPurchases {
  readonly #core: Pick<Core, 'process'>
  readonly #organization: string

  constructor(core: Pick<Core, 'process'>, organization: string) {
    this.#core = core
    this.#organization = organization
  }

  /** @throws Failure `configuration` */
  async search(keyword: string): Promise<readonly Offer[]> {
    const { offers, notSearched } = await callMethod(this.#core, DomainSearch, {
      accountId: this.#organization,
      keyword,
    })
    if (notSearched) throw refusal('the search', notSearched)
    return offers
  }

  /** Charges, and orders the domain. `isNew`: false: it was ordered before. @throws Failure `configuration` */
  async register(order: DomainOrder): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const accountId = this.#organization
    const { registered, isNew, notRegistered } = await callMethod(this.#core, DomainRegister, { accountId, ...order })
    if (registered === null) throw refusal(`the order of ${order.name}`, notRegistered!)
    return { id: registered, isNew }
  }

  /** @throws Failure `configuration` */
  async applyDns(id: string, dryRun: boolean): Promise<DnsChanges> {
    const accountId = this.#organization
    const { notApplied, ...changes } = await callMethod(this.#core, DomainApplyDns, { accountId, id, dryRun })
    if (notApplied) throw refusal('the change', notApplied)
    return changes
  }
}

/** Faults of several fields, one after another. */
function refusal(what: string, { type, description, faults = [] }: SetError): Failure {
  const words = faults.map(({ message }) => message).join(' ')
  return new Failure('configuration', `${what} was refused: ${words || (description ?? type)}`)
}
