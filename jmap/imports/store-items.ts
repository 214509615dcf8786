/** Stores the items of a source: prepares them outside of any unit of work, and lets one write them (batch-writer.ts). Mail that arrives goes first. */
import { PassingOctets } from '../../server/base/collect-garbage.ts'
import { IMPORT_UNINDEXED_MAX, IMPORT_UNINDEXED_TURNS } from '../../server/base/import-limits.ts'
import { nextTurn } from '../../server/base/turns.ts'
import type { Services } from '../type/context.ts'
import { BatchWriter, type Prepared, type StoreOutcome } from './batch-writer.ts'
import { completeIndex } from './identities.ts'
import { type ImportItem, octetsOf } from './items.ts'
import type { TaskRef } from './owned.ts'
import { prepareMessage } from './prepare-message.ts'

/** Items of a folder that is read, in the order of the source. */
export interface ItemBatch {
  /** Of the FolderCursor. */
  readonly folder: number
  readonly items: readonly ImportItem[]
}

const passing = new PassingOctets()

/** A message that must be compared first came while this was prepared. */
const MAX_TRIES = 5

export async function storeItems(services: Services, task: TaskRef, batch: ItemBatch): Promise<StoreOutcome> {
  // Afterwards the memory of large ones is elsewhere.
  const octets = octetsOf(batch.items)
  const prepared = await prepareAll(services, batch.items)
  const keys = new Set(prepared.flatMap((item) => (item.kind === 'message' ? [item.identity.key] : [])))
  for (let tries = 1; ; tries++) {
    await completeIndex(services, task.account, keys)
    // A power failure takes the position back together with the messages.
    const outcome = await services.store.writeInBackground([task.account], (work) =>
      new BatchWriter(services, work, task, batch.folder, tries === MAX_TRIES).store(prepared),
    )
    if (outcome === 'again') continue
    await letIndexFollow(services)
    passing.add(octets)
    return outcome
  }
}

async function prepareAll(services: Services, items: readonly ImportItem[]): Promise<Prepared[]> {
  const begun: Promise<Prepared>[] = []
  for (const item of items) {
    if (item.kind !== 'message') {
      begun.push(Promise.resolve({ reason: '', detail: '', ...item }))
      continue
    }
    // Large octets of several messages share a sync of the disk.
    const preparing = prepareMessage(services, item)
    preparing.catch(() => {})
    begun.push(preparing)
    // What others ask of this thread meanwhile is done between two messages.
    await nextTurn()
  }
  return Promise.all(begun)
}

/** The texts of messages wait for the search index in memory: an import that is faster would fill it. */
async function letIndexFollow({ pending }: Services): Promise<void> {
  for (let turns = 0; pending.size > IMPORT_UNINDEXED_MAX && turns < IMPORT_UNINDEXED_TURNS; turns++) await nextTurn()
}
