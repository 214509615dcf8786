/**
 * Fills the outgoing queue of a data folder whose server is not running, with messages of a mailbox, by the same call as SMTP
 * submission.
 */

import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { readConfig } from '../../../server/config/config.ts'
import { gatherSettings } from '../../../server/config/env.ts'
import { readSecrets } from '../../../server/config/secrets.ts'
import { corePlan } from '../../../server/threads/core-plan.ts'
import { openInProcess } from '../../../server/threads/in-process.ts'
import { openPlannedStore } from '../../../server/threads/planned-store.ts'

export interface Filling {
  readonly data: string
  readonly mailbox: { readonly id: string; readonly address: string; readonly password: string }
  readonly messages: number
  message(index: number): Buffer
  recipients(index: number): readonly string[]
}

const BATCH = 200

export async function fillQueue(filling: Filling): Promise<void> {
  const { core, account, submit } = await openFor(filling)
  for (let from = 0; from < filling.messages; from += BATCH)
    await submit(from, Math.min(BATCH, filling.messages - from))
  // Otherwise the server would index them during the measurement.
  await core.drainIndex(account)
  await core.close()
}

export interface EnqueueFigures {
  /** Messages queued per second. */
  readonly rate: number
  /** CPU of all threads of this process per message, in microseconds. On a busy machine the rate says little. */
  readonly cpu: number
}

/** Queues messages while another worker takes due messages from the queue. */
export async function enqueueFigures(filling: Filling): Promise<EnqueueFigures> {
  const { core, account, submit } = await openFor(filling)
  let isDone = false
  const taking = (async () => {
    while (!isDone) {
      const claimed = await core.claimSubmissions('somebody', WORKERS_CLAIM, LEASE_MS)
      if (claimed.length === 0) await pause(5)
      const reports = claimed.map(({ account, submission, lease, recipients }) => ({
        account,
        submission,
        lease,
        retryAt: null,
        outcomes: recipients.map(({ address }) => ({
          address,
          status: 'sent' as const,
          smtpReply: '250 ok',
          host: 'x',
        })),
      }))
      if (reports.length > 0) await core.reportAttempts(reports)
    }
  })()
  const [start, used] = [performance.now(), process.cpuUsage()]
  for (let from = 0; from < filling.messages; from += CLIENTS) await submit(from, CLIENTS)
  const rate = filling.messages / ((performance.now() - start) / 1000)
  const { user, system } = process.cpuUsage(used)
  const cpu = (user + system) / filling.messages
  isDone = true
  await taking
  await core.drainIndex(account)
  await core.close()
  return { rate, cpu }
}

const CLIENTS = 20
const WORKERS_CLAIM = 50
const LEASE_MS = 60_000

/** Defers all messages in the queue for a day. @returns their number */
export async function deferAll(data: string): Promise<number> {
  const store = await openPlannedStore(planOf(data), { clock: systemClock, logger: silentLogger, access: 'write' })
  await store.write([], (unit) =>
    unit.sql.query((db) => db.updateTable('outgoing').set({ due_at: unit.now + 86_400_000, attempts: 5, lease: null })),
  )
  const [row] = await store.read((reader) => reader.sql.raw('select count(*) as rows from outgoing'))
  await store.close()
  return (row as { rows: number }).rows
}

async function openFor({ data, mailbox, message, recipients }: Filling) {
  const { core } = await openInProcess({ plan: planOf(data), clock: systemClock, logger: silentLogger })
  const { address, password, id } = mailbox
  const account = core.ids.accountNumber('mailbox', id)!
  const principal = await core.authenticate({ kind: 'password', address, password, ip: '127.0.0.1' })
  if (!principal) throw new Error('the mailbox cannot log in')
  /** Sends messages from one index on, all at once. */
  const submit = async (from: number, count: number) => {
    const results = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        core.submit(principal, {
          bytes: message(from + at),
          mailFrom: address,
          recipients: recipients(from + at).map((to) => ({ address: to })),
        }),
      ),
    )
    const refused = results.find(({ status }) => status !== 'queued')
    if (refused) throw new Error(`a message was refused: ${JSON.stringify(refused)}`)
  }
  return { core, account, submit }
}

/** The number of rows in the queue, read beside the server that works on it. */
export async function waitingIn(
  data: string,
  tables: readonly string[] = ['outgoing'],
): Promise<{ waiting(): Promise<number>; close(): Promise<void> }> {
  const store = await openPlannedStore(planOf(data), { clock: systemClock, logger: silentLogger, access: 'read' })
  return {
    async waiting() {
      const counts = tables.map((table) => `(select count(*) from ${table})`)
      const [row] = await store.read((reader) => reader.sql.raw(`select ${counts.join(' + ')} as waiting`))
      return (row as { waiting: number }).waiting
    },
    close: () => store.close(),
  }
}

function planOf(data: string) {
  // Limits of the plan are not measured.
  const raw = gatherSettings({ data, plan_limits: 'off' }, {})
  return corePlan(readConfig(raw), readSecrets(raw))
}
