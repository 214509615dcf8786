/** What a recipient gets of an organization, as the pages behind the links of newsletters show it. */
import type { Reader } from '../../../storage/ports.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import { findOptOut, hasLeft } from '../../../storage/repos/opt-outs.ts'
import { subscribersOf } from '../../../storage/repos/subscribers.ts'
import { type Look, organizationOf } from '../../bookings/public-page.ts'
import type { Services } from '../../type/context.ts'
import { type Recipient, readRecipientToken } from './recipient-links.ts'

/**
 * `list`: the newsletters of this audience. `notThis`: none of this audience. `service`: service mail only. `none`: no newsletter of the
 * organization.
 */
export const CHOICES = ['list', 'notThis', 'service', 'none'] as const
export type Choice = (typeof CHOICES)[number]

export interface RecipientChoice {
  /** null: it was deleted, and sends nothing. */
  readonly organization: Look | null
  /** Name of the audience; null: it was deleted, or the recipient is no member and has not left it either. */
  readonly list: string | null
  /** null: nothing is chosen, because mail to the address bounces or the address is no member of anything. */
  readonly choice: Choice | null
}

/** null: this installation did not make the link. */
export async function readRecipientChoice(services: Services, token: string): Promise<RecipientChoice | null> {
  const recipient = readRecipientToken(services.keyring, token)
  return recipient && services.store.read((reader) => choiceOf(reader, recipient))
}

export async function choiceOf(reader: Reader, { account, audience, address }: Recipient): Promise<RecipientChoice> {
  const found = await organizationOf(reader, account)
  if (!found) return { organization: null, list: null, choice: null }
  const { number: _number, ...organization } = found
  const isOut = (await findOptOut(reader, account, address)) !== null
  const list = await findAudience(reader, account, audience)
  const [member] = await subscribersOf(reader, { account, audience }, [address])
  const isGone = await hasLeft(reader, { account, audience }, address)
  return {
    organization,
    list: member || isGone ? (list?.name ?? null) : null,
    choice: isOut ? 'none' : isGone ? 'notThis' : (CHOICE_OF[member?.status ?? 'suppressed'] ?? null),
  }
}

const CHOICE_OF: { readonly [status: string]: Choice } = {
  subscribed: 'list',
  unsubscribed: 'notThis',
  transactional_only: 'service',
}
