import { sql } from 'kysely'
import type { Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { Fault } from './fault.ts'

/** Counts the subscribers of every audience again. Every subscriber has an audience, or one that is being removed. */
export async function checkAudiences(reader: Reader): Promise<Fault[]> {
  return [...(await checkMemberships(reader)), ...(await checkCounts(reader))]
}

/** A condition on rows of `subscriber`. */
export const WITHOUT_AUDIENCE = sql`not exists
    (select 1 from audience a where a.account = subscriber.account and a.id = subscriber.audience)
  and not exists (select 1 from audience_removal g where g.account = subscriber.account and g.audience = subscriber.audience)`

async function checkMemberships(reader: Reader): Promise<Fault[]> {
  type Row = { account: number; audience: number }
  const rows = await rawQuery<Row>(
    reader.sql,
    sql`select distinct account, audience from subscriber where ${WITHOUT_AUDIENCE}`,
  )
  return rows.map(({ account, audience }) => ({
    account,
    kind: 'orphan',
    detail: `subscriber has rows of audience ${audience}, which does not exist`,
  }))
}

async function checkCounts(reader: Reader): Promise<Fault[]> {
  type Row = {
    account: number
    id: number
    member_count: number
    subscribed_count: number
    members: number
    subscribed: number
  }
  const counted = (more = sql``) =>
    sql`(select count(*) from subscriber s where s.account = a.account and s.audience = a.id ${more})`
  const rows = await rawQuery<Row>(
    reader.sql,
    sql`select account, id, member_count, subscribed_count, ${counted()} as members,
      ${counted(sql`and s.status = 'subscribed'`)} as subscribed from audience a`,
  )
  return rows
    .filter((row) => row.member_count !== Number(row.members) || row.subscribed_count !== Number(row.subscribed))
    .map(({ account, id, member_count, subscribed_count, members, subscribed }) => ({
      account,
      kind: 'audience-counts',
      detail: `audience ${id} counts ${member_count} and ${subscribed_count} subscribed, it has ${members} and ${subscribed}`,
    }))
}
