import { bytes, int, type RowOf, table, text } from './table.ts'

/** The logo of an organization, encoded again, as its public pages show it. */
export const organizationLogo = table({
  name: 'organization_logo',
  key: ['account'],
  owner: 'account',
  columns: {
    /** The organization. */
    account: int,
    /** Names the content in its URL. */
    tag: text,
    type: text,
    width: int,
    height: int,
    image: bytes,
    created_at: int,
  },
})
export type OrganizationLogoTable = RowOf<typeof organizationLogo>
