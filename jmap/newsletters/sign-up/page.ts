/** The sign-up page of an audience as the public sees it. */
import type { Reader } from '../../../storage/ports.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import type { AudienceTable } from '../../../storage/schema/tables.ts'
import { type Look, organizationOf } from '../../bookings/public-page.ts'
import type { Services } from '../../type/context.ts'
import { Audience } from '../audience/audience.type.ts'

/** What visitors may know. */
export interface SignUpPage {
  readonly organization: Look
  readonly name: string
  readonly description: string | null
}

/** null: there is no such page. */
export async function readSignUpPage(services: Services, audienceId: string): Promise<SignUpPage | null> {
  return services.store.read(async (reader) => (await findPage(services, reader, audienceId))?.shown ?? null)
}

export interface FoundPage {
  readonly audience: AudienceTable
  readonly shown: SignUpPage
}

/** null: there is no such page, or it is switched off. */
export async function findPage(
  { ids }: Pick<Services, 'ids'>,
  reader: Reader,
  audienceId: string,
): Promise<FoundPage | null> {
  const decoded = ids.decode(Audience, audienceId)
  const audience = decoded?.path.length === 0 ? await findAudience(reader, decoded.account, decoded.object) : null
  if (audience?.signup_page !== 1) return null
  const shown = await showPage(reader, audience)
  return shown && { audience, shown }
}

/** null: the organization was deleted. */
export async function showPage(reader: Reader, audience: AudienceTable): Promise<SignUpPage | null> {
  const organization = await organizationOf(reader, audience.account)
  if (!organization) return null
  const { number: _number, ...look } = organization
  return { organization: look, name: audience.name, description: audience.description }
}
