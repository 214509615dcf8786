/** Notices that the owner of an organization was sent in a billing period (decision D27). */
import type { AccountUnit, Reader } from '../ports.ts'

/** Names of the notices. */
export async function noticesOf(reader: Reader, organization: number, period: string): Promise<ReadonlySet<string>> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('owner_notice')
      .select('notice')
      .where('organization', '=', organization)
      .where('period', '=', period),
  )
  return new Set(rows.map(({ notice }) => notice))
}

/** @param unit of the organization: under its lock, the check and this insertion are one step */
export async function noteNotices(unit: AccountUnit, period: string, notices: readonly string[]): Promise<void> {
  if (notices.length === 0) return
  const rows = notices.map((notice) => ({ organization: unit.account, period, notice, told_at: unit.now }))
  await unit.sql.query((db) => db.insertInto('owner_notice').values(rows))
}
