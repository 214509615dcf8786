/**
 * Fills the outgoing queue of a data folder whose server is not running: messages of a mailbox, through the
 * same door that SMTP submission uses.
 */

import { systemClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { readConfig } from '../../../server/config/config.ts'
import { gatherSettings } from '../../../server/config/env.ts'
import { readSecrets } from '../../../server/config/secrets.ts'
import { corePlan, openLocalCore, openPlannedStore } from '../../../server/threads/local-core.ts'

export interface Filling {
  readonly data: string
  readonly mailbox: { readonly id: string; readonly address: string; readonly password: string }
  readonly messages: number
  message(index: number): Buffer
  recipients(index: number): readonly string[]
}

const BATCH = 200

export async function fillQueue({ data, mailbox, messages, message, recipients }: Filling): Promise<void> {
  const { core } = await openLocalCore({ plan: planOf(data), clock: systemClock, logger: silentLogger })
  const { address, password, id } = mailbox
  const { account } = core.ids.decode('MailAccount', id)!
  const principal = await core.authenticate({ kind: 'password', address, password, ip: '127.0.0.1' })
  if (!principal) throw new Error('the mailbox cannot log in')
  for (let from = 0; from < messages; from += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, messages - from) }, (_, i) => from + i)
    const results = await Promise.all(
      indexes.map((i) =>
        core.submit(principal, {
          bytes: message(i),
          mailFrom: address,
          recipients: recipients(i).map((to) => ({ address: to })),
        }),
      ),
    )
    const refused = results.find(({ status }) => status !== 'queued')
    if (refused) throw new Error(`a message was refused: ${JSON.stringify(refused)}`)
  }
  // Else the server would index them while it is measured.
  await core.drainIndex(account)
  await core.close()
}

/** How many rows the queue has, beside the server that works on it. */
export async function waitingIn(data: string): Promise<{ waiting(): Promise<number>; close(): Promise<void> }> {
  const store = await openPlannedStore(planOf(data), systemClock, silentLogger, 'read')
  return {
    async waiting() {
      const [row] = await store.read((reader) => reader.sql.raw('select count(*) as waiting from outgoing'))
      return (row as { waiting: number }).waiting
    },
    close: () => store.close(),
  }
}

function planOf(data: string) {
  const raw = gatherSettings({ data }, {})
  return corePlan(readConfig(raw), readSecrets(raw))
}
