/** From where a message is to go to the mailboxes that are there, inside the unit of work: what has gone is replaced by the inbox. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { insertMailbox, listMailboxes } from '../../../storage/repos/mailboxes.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import type { Services } from '../../context.ts'
import { forgetRoles, mailboxesByRole } from '../counts.ts'
import { nameFault, nameKey } from '../mailbox/faults.ts'
import type { Place, Plan } from './plan.ts'
import type { Trace } from './trace.ts'

/** Numbers of mailboxes; at least one. */
export async function resolvePlaces(
  services: Pick<Services, 'limits'>,
  unit: AccountUnit,
  { places }: Pick<Plan, 'places'>,
  trace: Trace,
): Promise<number[]> {
  const roles = await mailboxesByRole(unit)
  const inbox = roles.get('inbox')!
  const found: number[] = []
  for (const place of places) {
    const mailbox = await resolve(services, unit, place, roles)
    if (mailbox === null) trace.note('delivery', `${wordsFor(place)} is not there: the message goes to the inbox.`)
    found.push(mailbox ?? inbox)
  }
  return [...new Set(found)].slice(0, services.limits.maxMailboxesPerEmail)
}

function wordsFor(place: Place): string {
  return 'path' in place ? `The mailbox ${JSON.stringify(place.path)}` : `A mailbox for ${place.role}`
}

async function resolve(
  services: Pick<Services, 'limits'>,
  unit: AccountUnit,
  place: Place,
  roles: ReadonlyMap<string, number>,
): Promise<number | null> {
  if ('create' in place) return makePath(services, unit, place)
  if (!('id' in place)) return roles.get(place.role) ?? null
  const rows = await listMailboxes(unit, unit.account)
  return rows.some(({ id }) => id === place.id) ? place.id : null
}

/** RFC 5490 3.2: mailboxes on the way are made too. null: what the limits do not let be. */
async function makePath(
  { limits }: Pick<Services, 'limits'>,
  unit: AccountUnit,
  { create, role }: Extract<Place, { create: readonly string[] }>,
): Promise<number | null> {
  const rows = await listMailboxes(unit, unit.account)
  if (create.length > limits.maxMailboxDepth) return null
  let parent = 0
  for (const [level, given] of create.entries()) {
    const name = given.normalize('NFC')
    const found = rows.find((row) => row.parent === parent && row.name_key === nameKey(name))
    if (found) {
      parent = found.id
      continue
    }
    if (nameFault(limits, name)) return null
    const wanted = level === create.length - 1 ? role : null
    const row = mailboxRow(
      unit,
      name,
      parent,
      wanted !== null && rows.some((one) => one.role === wanted) ? null : wanted,
    )
    await insertMailbox(unit, row)
    rows.push(row)
    unit.change('Mailbox', row.id, 'c')
    parent = row.id
  }
  forgetRoles(unit)
  return parent
}

function mailboxRow(unit: AccountUnit, name: string, parent: number, role: string | null): MailboxTable {
  return {
    account: unit.account,
    id: unit.nextObject(),
    name,
    name_key: nameKey(name),
    parent,
    role,
    sort_order: 100,
    is_subscribed: 1,
    total_emails: 0,
    unread_emails: 0,
    total_threads: 0,
    unread_threads: 0,
    own_unread_threads: 0,
    created_at: unit.now,
  }
}
