import { sql } from 'kysely'
import type { Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { Fault } from './fault.ts'

const COUNTED = ['waiting', 'queued', 'delivered', 'bounced', 'skipped'] as const

type Numbers = { readonly [name: string]: number | string }

/** Counts recipients and octets of every newsletter again, and compares the recipients that are queued with the queue. */
export async function checkNewsletters(reader: Reader): Promise<Fault[]> {
  return [...(await checkCounts(reader)), ...(await checkQueue(reader)), ...(await checkOctets(reader))]
}

/** What newsletters say is counted by its octets. */
async function checkOctets(reader: Reader): Promise<Fault[]> {
  type Row = { account: number; newsletter: number }
  const wrong = await rawQuery<Row>(
    reader.sql,
    sql`select account, newsletter from newsletter_content where octets <> octet_length(content)`,
  )
  return wrong.map(({ account, newsletter }) => {
    return { account, kind: 'newsletter-octets', detail: `newsletter ${newsletter} has other octets than it counts` }
  })
}

async function checkCounts(reader: Reader): Promise<Fault[]> {
  const runs = await reader.sql.query((db) => db.selectFrom('newsletter_run').selectAll())
  const sums = [
    ...COUNTED.map((status) => sql`sum(case when status = ${sql.lit(status)} then 1 else 0 end) as ${sql.ref(status)}`),
    sql`sum(case when complained <> 0 then 1 else 0 end) as complained`,
    sql`sum(unsubscribed) as unsubscribed`,
  ]
  const rows = await rawQuery<Numbers>(
    reader.sql,
    sql`select account, newsletter, ${sql.join(sums)} from newsletter_recipient group by account, newsletter`,
  )
  const counted = new Map(rows.map((row) => [`${row['account']}/${row['newsletter']}`, row]))
  return runs.flatMap((run) => {
    const found = counted.get(`${run.account}/${run.newsletter}`)
    const wrong = [...COUNTED, 'complained' as const, 'unsubscribed' as const].filter(
      (name) => run[name] !== Number(found?.[name] ?? 0),
    )
    const detail = wrong.map((name) => `${run[name]} ${name}, it has ${Number(found?.[name] ?? 0)}`).join('; ')
    return wrong.length === 0
      ? []
      : [{ account: run.account, kind: 'newsletter-counts', detail: `newsletter ${run.newsletter} counts ${detail}` }]
  })
}

/** A message in the queue whose recipient is finished says nothing: a report has come before the result of its attempt. */
async function checkQueue(reader: Reader): Promise<Fault[]> {
  type Row = { account: number; recipient: number }
  const forgotten = await rawQuery<Row>(
    reader.sql,
    sql`select r.account, r.id as recipient from newsletter_recipient r where r.status = 'queued' and not exists
      (select 1 from outgoing o where o.account = r.account and o.submission = r.id and o.newsletter = r.newsletter)`,
  )
  const unknown = await rawQuery<Row>(
    reader.sql,
    sql`select o.account, o.submission as recipient from outgoing o where o.newsletter is not null and not exists
      (select 1 from newsletter_recipient r where r.account = o.account and r.id = o.submission
        and r.newsletter = o.newsletter and r.status <> 'waiting')`,
  )
  const fault = (kind: string) => (row: Row) => ({ account: row.account, kind, detail: `recipient ${row.recipient}` })
  return [
    ...forgotten.map(fault('newsletter-recipient-forgotten')),
    ...unknown.map(fault('queued-without-newsletter-recipient')),
  ]
}
