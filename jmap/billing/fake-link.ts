/** Links to the pages of the fake provider. They hold what they are for, sealed: whoever has one acts for its organization. */
import { FAKE_LINK_MS, type PaidPlan } from '../../server/base/billing-limits.ts'
import { isFailure } from '../../server/base/errors.ts'
import type { Keyring, SecretPlace } from '../../server/base/keyring.ts'

export const FAKE_PAGES = '/billing/fake/'

interface Common {
  readonly organization: number
  /** Where the customer returns to. */
  readonly returnUrl: string
}

export type FakeLink =
  | (Common & { readonly use: 'checkout'; readonly plan: PaidPlan; readonly trialDays: number })
  | (Common & { readonly use: 'portal' })

const PLACE: SecretPlace = { purpose: 'billing', tenant: 0, row: 'fake link' }

/** @param now epoch ms */
export function sealFakeLink(keyring: Keyring, baseUrl: string, link: FakeLink, now: number): string {
  return `${baseUrl}${FAKE_PAGES}${keyring.seal(JSON.stringify({ ...link, until: now + FAKE_LINK_MS }), PLACE)}`
}

/** null: it was not made here, or is too old. */
export function openFakeLink(keyring: Keyring, token: string, now: number): FakeLink | null {
  try {
    const { until, ...link } = JSON.parse(keyring.open(token, PLACE)) as FakeLink & { readonly until: number }
    return until > now ? link : null
  } catch (error) {
    if (isFailure(error, 'corrupt')) return null
    throw error
  }
}
