/** A booking page as the public sees it. */
import type { Reader } from '../../storage/ports.ts'
import { findLogo, findLogoFacts } from '../../storage/repos/organization-logos.ts'
import type { OrganizationLogoTable } from '../../storage/schema/tables.ts'
import { findOwner, type Owner } from '../mail/mail-account/owner.ts'
import { Organization } from '../policy/organization.type.ts'
import type { Services } from '../type/context.ts'
import { findStored, listStored } from '../type/object-store.ts'
import { BookingPage, type StoredPage } from './booking-page.type.ts'

export { findOwner, type Owner }

/** What visitors may know. No address is among it. */
export interface PublicPage {
  readonly organization: Look
  readonly slug: string
  readonly name: string
  readonly description: string | null
  /** Name of the person to meet; null: none is set. */
  readonly host: string | null
  readonly durationMinutes: number
  readonly timezone: string
  readonly maxAdvanceDays: number
  readonly confirmByEmail: boolean
  readonly embedOrigins: readonly string[]
}

/** How an organization shows itself. */
export interface Look {
  readonly slug: string
  readonly name: string
  /** `#1a56b0`; null: the usual one. */
  readonly accentColor: string | null
  /** null: none. `tag` names its content; sizes are in pixels. */
  readonly logo: { readonly tag: string; readonly width: number; readonly height: number } | null
}

export interface FoundPage {
  readonly number: number
  readonly page: StoredPage
  readonly owner: Owner
  readonly shown: PublicPage
}

/** The names in a public URL: of the organization and of the page. */
export interface PagePath {
  readonly organization: string
  readonly slug: string
}

/** null: there is none, it is switched off, or its mailbox is suspended. */
export async function findPage(
  { ids }: Pick<Services, 'ids'>,
  reader: Reader,
  path: PagePath,
): Promise<FoundPage | null> {
  const organization = await findOrganization(reader, path.organization)
  if (!organization) return null
  const pages = await listStored(reader, organization.number, BookingPage)
  const found = pages.find(({ data }) => data.slug === path.slug && data.active)
  const account = found && ids.accountNumber('mailbox', found.data.mailboxId)
  const owner = account ? await findOwner(reader, account) : null
  if (!found || !owner) return null
  return { number: found.id, page: found.data, owner, shown: showPage(found.data, organization, owner) }
}

export interface NamedOrganization extends Look {
  readonly number: number
}

/** A slug ends with the number of its organization (jmap/directory/organization.handlers.ts). */
export async function findOrganization(reader: Reader, slug: string): Promise<NamedOrganization | null> {
  const number = Number(/-([1-9][0-9]{0,14})$/.exec(slug)?.[1] ?? Number.NaN)
  const found = Number.isSafeInteger(number) ? await organizationOf(reader, number) : null
  return found?.slug === slug ? found : null
}

/** null: it was deleted. */
export async function organizationOf(reader: Reader, number: number): Promise<NamedOrganization | null> {
  const found = await findStored(reader, number, Organization, number)
  if (!found) return null
  const { slug, name, accentColor = null } = found.data
  return { number, slug, name, accentColor, logo: await findLogoFacts(reader, number) }
}

/** The logo of the organization with a slug; null: there is none. */
export function readLogo({ store }: Pick<Services, 'store'>, slug: string): Promise<OrganizationLogoTable | null> {
  return store.read(async (reader) => {
    const organization = await findOrganization(reader, slug)
    return organization && findLogo(reader, organization.number)
  })
}

export function showPage(
  page: StoredPage,
  { slug, name, accentColor, logo }: NamedOrganization,
  owner: Owner,
): PublicPage {
  const { durationMinutes, timezone, maxAdvanceDays, confirmByEmail, embedOrigins, description } = page
  return {
    organization: { slug, name, accentColor, logo },
    slug: page.slug,
    name: page.name,
    description,
    host: owner.name,
    durationMinutes,
    timezone,
    maxAdvanceDays,
    confirmByEmail,
    embedOrigins,
  }
}
