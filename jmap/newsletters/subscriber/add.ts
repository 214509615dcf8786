/** Subscriber/add: a vendor method (decision D18). One unit of work for the whole call, under the lock of the organization. */
import { SUBSCRIBED_MAX } from '../../../server/base/audience-limits.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { ingestOf, keepIngest } from '../../../storage/repos/audience-ingest.ts'
import { addToCounts, findAudience } from '../../../storage/repos/audiences.ts'
import { unmailableAmong } from '../../../storage/repos/opt-outs.ts'
import { saveSubscribers, subscribersOf } from '../../../storage/repos/subscribers.ts'
import type { AudienceTable, SubscriberTable } from '../../../storage/schema/tables.ts'
import { type PresentPlan, planOf } from '../../policy/plan.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import type { Services } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import type { AnswerOf } from '../../type/method-declaration.ts'
import { requireAudienceAccess } from '../access.ts'
import { Audience } from '../audience/audience.type.ts'
import { isMailable } from '../states/transitions.ts'
import { type Decision, type Draft, decide } from './decide.ts'
import { type AddRow, readRow } from './read-rows.ts'
import { Subscriber, SubscriberAdd } from './subscriber.type.ts'

export const addSubscribersMethod = implement(SubscriberAdd, async (method, { audienceId, subscribers }) => {
  requireAudienceAccess(method)
  // Outside of the unit of work, which locks the organization.
  const rows = subscribers.map(readRow)
  const audience = method.number(Audience, method.resolveId(audienceId)) ?? 0
  const step = method.request.steps?.next()
  return method.services.store.write([method.account.number], async (work) => {
    const unit = work.account(method.account.number)
    const done = await step?.recall<Answer>(unit)
    if (done) return done
    const found = await findAudience(unit, unit.account, audience)
    if (!found || unit.isDeleted) throw new MethodError('notFound', 'There is no such audience.')
    const { results } = await addRows(method.services, unit, found, rows)
    const answer: Answer = {
      accountId: method.account.id,
      results: results.map((result, index) => ({ email: rows[index]!.email, ...result })),
    }
    await step?.keep(unit, answer)
    return answer
  })
})

type Answer = AnswerOf<typeof SubscriberAdd> & ResponseArguments

/** Inside the organization's unit of work. */
export async function addRows(
  { limits }: Pick<Services, 'limits'>,
  unit: AccountUnit,
  audience: AudienceTable,
  rows: readonly AddRow[],
): Promise<Decision> {
  const { account, now } = unit
  const addresses = [...new Set(rows.flatMap(({ address }) => address ?? []))]
  const unmailable = await unmailableAmong(unit, { account, audience: audience.id }, addresses)
  const found = await subscribersOf(unit, { account, audience: audience.id }, addresses)
  const members = new Map(found.map((row) => [row.address, row]))
  const present = await planOf(unit, limits, account, now)
  const used = await ingestOf(unit, account, present.period.key)
  const decision = decide(rows, {
    isMailable(address) {
      const member = members.get(address)
      return !unmailable.has(address) && (member === undefined || isMailable(member.status))
    },
    members: new Map(found.filter(({ status }) => isMailable(status)).map((row) => [row.address, draftOf(row)])),
    quota: quotaLeft(present, used),
    room: SUBSCRIBED_MAX - audience.subscribed_count,
  })
  const { created, updated } = decision
  const fresh = [...created].map(([address, draft]) => newRow(unit, audience, address, draft))
  const changed = [...updated].map(([address, draft]) => changedRow(unit, audience, members.get(address)!, draft))
  await saveSubscribers(unit, [...fresh, ...changed])
  for (const { id } of fresh) unit.change(Subscriber.name, id, 'c')
  for (const { id } of changed) unit.change(Subscriber.name, id, 'u', CHANGED)
  if (fresh.length === 0) return decision
  await keepIngest(unit, present.period.key, used + fresh.length)
  await addToCounts(unit, audience.id, { members: fresh.length, subscribed: fresh.length })
  unit.change(Audience.name, audience.id, 'u', ['memberCount', 'subscribedCount'])
  return decision
}

/** How many new members an audience takes now, by the month's quota and by its size. */
export async function roomIn(
  { limits, clock }: Pick<Services, 'limits' | 'clock'>,
  reader: Reader,
  { account, subscribed_count }: AudienceTable,
): Promise<number> {
  const present = await planOf(reader, limits, account, clock.now())
  const left = quotaLeft(present, await ingestOf(reader, account, present.period.key))
  return Math.min(left ?? Number.POSITIVE_INFINITY, SUBSCRIBED_MAX - subscribed_count)
}

/** Decision D18: net-new addresses that the month still admits; null: any number. Without a plan, and in a trial, it is 0. */
function quotaLeft({ plan }: PresentPlan, used: number): number | null {
  return plan.audienceIngest === null ? null : Math.max(0, plan.audienceIngest - used)
}

const CHANGED = ['displayName', 'mergeFields', 'consentSource', 'consentedAt', 'updatedAt']

function draftOf({ display_name, merge_fields }: SubscriberTable): Draft {
  return { displayName: display_name, mergeFields: Subscriber.properties.mergeFields.fromText(merge_fields) }
}

function newRow(unit: AccountUnit, audience: AudienceTable, address: string, draft: Draft): SubscriberTable {
  return {
    account: unit.account,
    id: unit.nextObject(),
    audience: audience.id,
    address,
    status: 'subscribed',
    created_at: unit.now,
    ...columnsOf(unit, audience, draft),
  }
}

function changedRow(unit: AccountUnit, audience: AudienceTable, row: SubscriberTable, draft: Draft): SubscriberTable {
  return { ...row, ...columnsOf(unit, audience, draft) }
}

/** A repeated add attests the consent anew (decision D18). */
function columnsOf({ now }: AccountUnit, { consent_source }: AudienceTable, { displayName, mergeFields }: Draft) {
  return {
    display_name: displayName,
    merge_fields: JSON.stringify(mergeFields),
    consent_source,
    consented_at: now,
    updated_at: now,
  }
}
