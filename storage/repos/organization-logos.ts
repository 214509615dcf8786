/** Logos of organizations. */
import type { AccountUnit, Reader } from '../ports.ts'
import type { OrganizationLogoTable } from '../schema/tables.ts'

export type LogoFacts = Omit<OrganizationLogoTable, 'account' | 'image' | 'created_at'>

export async function replaceLogo(
  unit: AccountUnit,
  logo: Omit<OrganizationLogoTable, 'account' | 'created_at'> | null,
): Promise<void> {
  const { account, now } = unit
  await unit.sql.query((db) => db.deleteFrom('organization_logo').where('account', '=', account))
  if (logo)
    await unit.sql.query((db) => db.insertInto('organization_logo').values({ ...logo, account, created_at: now }))
}

/** Without its octets: pages only name it. */
export async function findLogoFacts(reader: Reader, organization: number): Promise<LogoFacts | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('organization_logo').select(['tag', 'type', 'width', 'height']).where('account', '=', organization),
  )
  return row ?? null
}

export async function findLogo(reader: Reader, organization: number): Promise<OrganizationLogoTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('organization_logo').selectAll().where('account', '=', organization),
  )
  return row ?? null
}
