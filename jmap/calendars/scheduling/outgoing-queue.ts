/**
 * The queue of changes of events whose messages are to be sent. A worker (server/workers/scheduling-messages.ts) claims one by a lease and
 * writes its mails. Each mail is queued in the commit that counts it, so that after a kill none is lost and none is sent twice.
 */
import { randomUUID } from 'node:crypto'
import { errorMessage, isFailure } from '../../../server/base/errors.ts'
import {
  SCHEDULING_CHANGE_MAX_ATTACHED_BYTES,
  SCHEDULING_CHANGE_MAX_CHARS,
  SCHEDULING_RECIPIENTS_MAX,
  SCHEDULING_RETRY_MS,
} from '../../../server/base/scheduling-limits.ts'
import { AccountGone } from '../../../storage/account-gone.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { renewRows } from '../../../storage/repos/renew-rows.ts'
import {
  claimSchedulingMessages,
  deleteSchedulingMessage,
  findSchedulingMessage,
  nextSchedulingMessage,
  updateSchedulingMessage,
} from '../../../storage/repos/scheduling-messages.ts'
import type { SchedulingMessageTable } from '../../../storage/schema/tables.ts'
import type { Undelivered } from '../../mail/submission/undelivered.ts'
import { domainOf, normaliseAddress } from '../../message/mail-address.ts'
import type { Services } from '../../type/context.ts'
import type { EventWrite } from '../event/event-change.ts'
import { mailAddressOf, OwnAddresses } from '../event/own-addresses.ts'
import type { PlannedMessage, SchedulingJob, StoredJob } from '../itip/scheduling-job.ts'
import { type AttachedFiles, attachedFiles, withContentIds } from './attached-files.ts'
import { keepOutcome } from './keep-outcome.ts'
import { type JobForMail, prepareMail, queueMail, type ReadyMail, Refused, refusedMail } from './outgoing-mail.ts'

export interface SchedulingTask {
  readonly account: number
  readonly id: number
  /** A change that is claimed under another lease is left alone. */
  readonly lease: string
}

/** Epoch ms when the next change may be claimed; null: there is none. */
export function nextSchedulingTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextSchedulingMessage)
}

export async function claimScheduling(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<SchedulingTask[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimSchedulingMessages(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ account, id }) => ({ account, id, lease }))
}

/** Renews leases for `leaseMs` from now. */
export function renewScheduling(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'scheduling_message', leases, unit.now + leaseMs))
}

/** Queues all mails of a change. */
export async function sendScheduling(services: Services, task: SchedulingTask): Promise<void> {
  const { account, id, lease } = task
  const found = await services.store.read(async (reader) => {
    const row = await findSchedulingMessage(reader, account, id)
    const organization = (await findAccount(reader, account))?.organization ?? null
    return row?.lease === lease && organization !== null ? { services, row, lease, organization } : null
  })
  if (!found) return
  try {
    await sendAll(found)
  } catch (error) {
    // The account is being erased, with its queue.
    if (error instanceof AccountGone) return
    // The lease ends, and the task is claimed again: the disk may be full.
    if (isFailure(error) && error.code !== 'corrupt') throw error
    services.logger.error({ account, id, error: errorMessage(error) }, 'messages about an event could not be written')
    await writeHeld(found, ({ unit }) => postpone(unit, found.row))
  }
}

/** A change that a worker works on. */
interface Held {
  readonly services: Services
  readonly row: SchedulingMessageTable
  readonly lease: string
  readonly organization: number
}

async function sendAll(held: Held): Promise<void> {
  const { services, row } = held
  // It was checked when it was stored.
  const data: StoredJob | Undelivered = JSON.parse(row.data)
  if ('undelivered' in data) {
    await noteBounce(held, data)
    return
  }
  const stored = await readJob(services, row, data)
  const of = await jobForMail(services, row.account, stored, true)
  const messages = await services.messageWork.planScheduling(of.octets)
  let [chars, fileBytes] = [0, 0]
  let bare: JobForMail | null = null
  for (let done = row.done; done < messages.length; done++) {
    const message = messages[done]!
    const mail =
      chars < SCHEDULING_CHANGE_MAX_CHARS
        ? await prepareMail(services, row.account, bare ?? of, message)
        : refusedMail(message, TOO_MUCH)
    chars += mail.chars
    fileBytes += mail.fileBytes
    if (fileBytes > SCHEDULING_CHANGE_MAX_ATTACHED_BYTES)
      bare ??= await jobForMail(services, row.account, stored, false)
    // Attempts are those of the message under way.
    const at = { ...held, row: { ...row, done, attempts: done === row.done ? row.attempts : 0 } }
    if (!(await sendOne(at, message, mail))) return
  }
  await writeHeld(held, ({ unit }) => deleteSchedulingMessage(unit, row.id))
}

/** A mail that was queued has come back. */
async function noteBounce(held: Held, { undelivered, reason }: Undelivered): Promise<void> {
  const { id, calendar_event: event } = held.row
  const failed = [normaliseAddress(undelivered) ?? undelivered]
  await writeHeld(held, async (write) => {
    await keepOutcome(write, event, { sent: [], failed, reason })
    await deleteSchedulingMessage(write.unit, id)
  })
}

async function jobForMail(
  services: Services,
  account: number,
  job: SchedulingJob,
  hasFiles: boolean,
): Promise<JobForMail> {
  const { before, after } = job
  const domain = domainOf(mailAddressOf(after?.organizerCalendarAddress) ?? '@invalid')
  const files = hasFiles ? await attachedFiles(services, account, after, domain) : NO_FILES
  const named = {
    ...job,
    before: before && withContentIds(before, files),
    after: after && withContentIds(after, files),
  }
  return { job: named, octets: Buffer.from(JSON.stringify(named)), files }
}

const NO_FILES: AttachedFiles = new Map()

const TOO_MUCH = 'The messages about this change are too large.'

/** @returns whether the next message follows */
async function sendOne(held: Held, message: PlannedMessage, mail: ReadyMail): Promise<boolean> {
  const { services, row, organization } = held
  const { account, id, calendar_event: event, done, attempts } = row
  const isNext = (unit: AccountUnit) => updateSchedulingMessage(unit, id, { done: done + 1, attempts: 0 })
  try {
    return await writeHeld(held, async (write) => {
      await queueMail(write, write.work.account(organization), event, mail)
      await isNext(write.unit)
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const mayComeRight = error.isTemporary && attempts < SCHEDULING_RETRY_MS.length
    const fields = { account, method: message.method, error: error.message, mayComeRight }
    services.logger.warn(fields, 'a message about an event was refused')
    const isHeld = await writeHeld(held, async (write) => {
      if (mayComeRight) return postpone(write.unit, row)
      await keepOutcome(write, event, { sent: [], failed: message.to, reason: error.message })
      await isNext(write.unit)
    })
    return isHeld && !mayComeRight
  }
}

/** Sets the lease free. After the last attempt the change is given up. */
function postpone(unit: AccountUnit, { id, attempts }: SchedulingMessageTable): Promise<void> {
  const wait = SCHEDULING_RETRY_MS[attempts]
  if (wait === undefined) return deleteSchedulingMessage(unit, id)
  return updateSchedulingMessage(unit, id, {
    due_at: unit.now + wait,
    attempts: attempts + 1,
    lease: null,
    lease_until: 0,
  })
}

/** @returns false: the lease has ended, and another worker may hold the change */
function writeHeld(
  { services, row, lease, organization }: Held,
  write: (write: EventWrite) => Promise<void>,
): Promise<boolean> {
  const { account, id } = row
  return services.store.write([account, organization], async (work) => {
    const unit = work.account(account)
    if (unit.isDeleted || (await findSchedulingMessage(unit, account, id))?.lease !== lease) return false
    await write({ services, work, unit })
    return true
  })
}

async function readJob(
  { store, limits }: Services,
  { account }: SchedulingMessageTable,
  stored: StoredJob,
): Promise<SchedulingJob> {
  const own = await store.read(async (reader) => {
    const addresses = new OwnAddresses(reader, account)
    const found = [stored.before, stored.after].map((event) => event && addresses.addressesIn(event))
    return new Set((await Promise.all(found)).flatMap((some) => [...(some ?? [])]))
  })
  return { ...stored, own: [...own], maxRecipients: Math.min(SCHEDULING_RECIPIENTS_MAX, limits.maxRecipients) }
}
