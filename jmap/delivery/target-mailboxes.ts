/** The mailboxes for the targets of a message, inside the unit of work: a mailbox that no longer exists is replaced by the inbox. */
import type { AccountUnit } from '../../storage/ports.ts'
import { insertMailbox, listMailboxes } from '../../storage/repos/mailboxes.ts'
import { forgetRoles, mailboxesByRole } from '../mail/mailbox/counts.ts'
import { nameFault } from '../mail/mailbox/faults.ts'
import { newRow } from '../mail/mailbox/new-row.ts'
import { nameKey } from '../message/mailbox-name.ts'
import type { Services } from '../type/context.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryPlan, TargetMailbox } from './plan.ts'

/** Numbers of the mailboxes; at least one. */
export async function resolveTargets(
  services: Pick<Services, 'limits'>,
  unit: AccountUnit,
  { targets }: Pick<DeliveryPlan, 'targets'>,
  log: DeliveryLog,
): Promise<number[]> {
  const roles = await mailboxesByRole(unit)
  const inbox = roles.get('inbox')!
  const found: number[] = []
  for (const target of targets) {
    const mailbox = await resolve(services, unit, target, roles)
    if (mailbox === null) log.note('delivery', `${describe(target)} is not there: the message goes to the inbox.`)
    found.push(mailbox ?? inbox)
  }
  return [...new Set(found)].slice(0, services.limits.maxMailboxesPerEmail)
}

function describe(target: TargetMailbox): string {
  return 'path' in target ? `The mailbox ${JSON.stringify(target.path)}` : `A mailbox for ${target.role}`
}

async function resolve(
  services: Pick<Services, 'limits'>,
  unit: AccountUnit,
  target: TargetMailbox,
  roles: ReadonlyMap<string, number>,
): Promise<number | null> {
  if ('create' in target) return createPath(services, unit, target)
  if (!('id' in target)) return roles.get(target.role) ?? null
  const rows = await listMailboxes(unit, unit.account)
  return rows.some(({ id }) => id === target.id) ? target.id : null
}

/** RFC 5490 3.2: creates the mailboxes of a path, parents too. null: limits do not allow one of them. */
async function createPath(
  { limits }: Pick<Services, 'limits'>,
  unit: AccountUnit,
  { create, role: last }: Extract<TargetMailbox, { create: readonly string[] }>,
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
    const wanted = level === create.length - 1 ? last : null
    const role = wanted !== null && rows.some((one) => one.role === wanted) ? null : wanted
    const row = newRow(unit, unit.nextObject(), { name, parent, role, sort_order: 100, is_subscribed: 1 })
    await insertMailbox(unit, row)
    rows.push(row)
    unit.change('Mailbox', row.id, 'c')
    parent = row.id
  }
  forgetRoles(unit)
  return parent
}
