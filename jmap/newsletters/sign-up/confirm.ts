/** What the link in the mail about a sign-up does: the recipient becomes a subscriber by their own action (decision D18). */
import { AccountGone } from '../../../storage/account-gone.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import { deleteSignUp, findSignUpByNonce } from '../../../storage/repos/sign-ups.ts'
import type { AudienceTable, SignUpTable } from '../../../storage/schema/tables.ts'
import type { Services } from '../../type/context.ts'
import { endOptOut } from '../states/move-subscribers.ts'
import { addRows } from '../subscriber/add.ts'
import { type SignUpPage, showPage } from './page.ts'
import { SIGN_UP_LINKS } from './sign-up.ts'

/** `gone`: the link is over, or was used. `unavailable`: the address cannot be added at present, for a reason that is not told. */
export type ConfirmOutcome =
  | { readonly outcome: 'done'; readonly page: SignUpPage }
  | { readonly outcome: 'gone' | 'unavailable' }

/** How the new subscriber has opted in. */
const CONSENT_SOURCE = 'Sign-up page, confirmed by mail'

interface Waiting {
  readonly row: SignUpTable
  readonly audience: AudienceTable
  readonly page: SignUpPage
}

/** null: the link is over, or was used. */
export async function readSignUp(services: Services, token: string): Promise<SignUpPage | null> {
  const link = SIGN_UP_LINKS.readToken(services.keyring, token)
  if (!link) return null
  const now = services.clock.now()
  return services.store.read(async (reader) => (await findWaiting(reader, link, now))?.page ?? null)
}

async function findWaiting(
  reader: Reader,
  { account, nonce }: { readonly account: number; readonly nonce: string },
  now: number,
): Promise<Waiting | null> {
  const row = await findSignUpByNonce(reader, account, nonce)
  if (!row || row.expires_at <= now) return null
  const audience = await findAudience(reader, account, row.audience)
  const page = audience && (await showPage(reader, audience))
  return audience && page && { row, audience, page }
}

/** Ends the unit of work without a change. */
class NotAdmitted extends Error {}

export async function confirmSignUp(services: Services, token: string): Promise<ConfirmOutcome> {
  const link = SIGN_UP_LINKS.readToken(services.keyring, token)
  if (!link) return { outcome: 'gone' }
  try {
    return await services.store.write([link.account], async (work): Promise<ConfirmOutcome> => {
      const unit = work.account(link.account)
      const waiting = unit.isDeleted ? null : await findWaiting(unit, link, unit.now)
      if (!waiting) return { outcome: 'gone' }
      await subscribe(services, unit, waiting)
      return { outcome: 'done', page: waiting.page }
    })
  } catch (error) {
    if (error instanceof NotAdmitted) return { outcome: 'unavailable' }
    if (error instanceof AccountGone) return { outcome: 'gone' }
    throw error
  }
}

/** @throws NotAdmitted */
async function subscribe(services: Services, unit: AccountUnit, { row, audience }: Waiting): Promise<void> {
  const { address, display_name } = row
  await endOptOut(unit, services.ids, address, audience.id)
  const draft = { email: address, address, displayName: display_name ?? undefined, mergeFields: {}, wrong: null }
  const { results } = await addRows(services, unit, { ...audience, consent_source: CONSENT_SOURCE }, [draft])
  const outcome = results[0]?.outcome
  if (outcome !== 'created' && outcome !== 'updated') throw new NotAdmitted()
  await deleteSignUp(unit, row)
}
