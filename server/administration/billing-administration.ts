/** The subscription of an organization for the command line: JMAP calls by the system principal. */
import { Billing, BillingCheckout, BillingPortal } from '../../jmap/policy/billing/billing.type.ts'
import type { SetError } from '../../jmap/protocol/set-error.ts'
import type { Core } from '../../jmap/services.ts'
import type { ObjectOf } from '../../jmap/type/derived.ts'
import type { GetResponse } from '../../jmap/type/responses.ts'
import type { PaidPlan } from '../base/billing-limits.ts'
import { Failure } from '../base/errors.ts'
import { callAsSystem, callMethod } from './system-call.ts'

/** Where a customer returns to, and the URL of the server. */
export interface PageUrls {
  readonly returnUrl: string
  readonly baseUrl: string
}

export class BillingAdministration {
  readonly #core: Pick<Core, 'process'>
  readonly #organization: string

  constructor(core: Pick<Core, 'process'>, organization: string) {
    this.#core = core
    this.#organization = organization
  }

  async show(): Promise<ObjectOf<typeof Billing>> {
    const { name } = Billing
    const asked = callAsSystem<GetResponse<ObjectOf<typeof Billing>>>
    const { list } = await asked(this.#core, this.#organization, `${name}/get`, { ids: null })
    return list[0]!
  }

  /** URL of a page on which the organization subscribes. @throws Failure `configuration` */
  async checkout(plan: PaidPlan, urls: PageUrls): Promise<string> {
    return linkOf(await callMethod(this.#core, BillingCheckout, { accountId: this.#organization, plan, ...urls }))
  }

  /** URL of pages on which the organization pays and cancels. @throws Failure `configuration` */
  async portal(urls: PageUrls): Promise<string> {
    return linkOf(await callMethod(this.#core, BillingPortal, { accountId: this.#organization, ...urls }))
  }
}

function linkOf({ url, error }: { readonly url: string | null; readonly error: SetError | null }): string {
  if (url !== null) return url
  throw new Failure('configuration', `there is no link: ${error?.description ?? error?.type}`)
}
