/**
 * Writes prepared items of a source, inside one unit of work: the messages, the counters and the position from which reading goes on. So a kill
 * at any point loses no message and doubles none. Rules, automatic replies, events and spam training do not run on imported mail; threads do.
 */
import { IMPORT_FAILURES_LISTED } from '../../server/base/import-limits.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findEmail } from '../../storage/repos/emails.ts'
import { importFolders, saveImportFolder } from '../../storage/repos/import-folders.ts'
import { noteImported, updateImport, wasImportedBy } from '../../storage/repos/imports.ts'
import type { ImportFolderTable, ImportTable } from '../../storage/schema/tables.ts'
import { recordBlob } from '../mail/blob/blobs.ts'
import { parseMailboxes } from '../mail/email/load.ts'
import { moveEmail } from '../mail/email/move.ts'
import { storeEmail } from '../mail/email/store-email.ts'
import { hasRoomFor } from '../mail/quota/octets.ts'
import { parseKeywords } from '../message/keywords.ts'
import type { Services } from '../type/context.ts'
import { findSame, findSameOctets, indexSome, isIncomplete, keepIdentity } from './identities.ts'
import { Import } from './import.type.ts'
import type { Place } from './items.ts'
import { ownedImport, PROGRESS, type TaskRef } from './owned.ts'
import type { CountedItem, PreparedMessage } from './prepare-message.ts'
import { failuresOf, optionsOf, pathName, type StoredFailures } from './stored.ts'
import { Targets } from './targets.ts'
import { isWanted, wantedPlaces } from './wanted.ts'

/**
 * `stored`: all items are stored or counted. `full`: those before the first that finds no room. `stopped`: none, the import is cancelled
 * or claimed by another.
 */
export type StoreOutcome = 'stored' | 'full' | 'stopped'

export type Prepared = PreparedMessage | CountedItem

export class BatchWriter {
  readonly #services: Services
  readonly #work: Unit
  readonly #unit: AccountUnit
  readonly #task: TaskRef
  readonly #folder: number
  readonly #isLastTry: boolean
  #failures!: StoredFailures
  #octets = 0
  #importedOctets = 0

  constructor(services: Services, work: Unit, task: TaskRef, folder: number, isLastTry: boolean) {
    this.#services = services
    this.#work = work
    this.#unit = work.account(task.account)
    this.#task = task
    this.#folder = folder
    this.#isLastTry = isLastTry
  }

  async store(items: readonly Prepared[]): Promise<StoreOutcome | 'again'> {
    const unit = this.#unit
    const row = await ownedImport(unit, this.#task)
    if (!row) return 'stopped'
    while (await indexSome(unit));
    if (await this.#isBehind(items)) return 'again'
    const folders = await importFolders(unit, unit.account, row.id)
    const read = folders.find(({ id }) => id === this.#folder)
    if (!read) return 'stopped'
    this.#failures = failuresOf(row)
    const { target: below } = optionsOf(row)
    const targets = new Targets({ limits: this.#services.limits, unit, imported: row.id, below, folders })
    let isFull = false
    for (const item of items) {
      if (!(await this.#take(row, item, read, targets))) {
        isFull = true
        break
      }
      read.position = item.position
    }
    targets.note(read)
    for (const changed of targets.changed) await saveImportFolder(unit, changed)
    await this.#keep(row, isFull)
    return isFull ? 'full' : 'stored'
  }

  async #isBehind(items: readonly Prepared[]): Promise<boolean> {
    if (this.#isLastTry) return false
    for (const item of items)
      if (item.kind === 'message' && (await isIncomplete(this.#unit, item.identity.key))) return true
    return false
  }

  /** Returns false if there is no room for it. */
  async #take(row: ImportTable, item: Prepared, read: ImportFolderTable, targets: Targets): Promise<boolean> {
    const places = item.places.length > 0 ? item.places : [{ path: JSON.parse(read.path), role: read.role } as Place]
    const options = optionsOf(row)
    const wanted = wantedPlaces(options, places)
    const counted = this.#countedIn(item.places, wanted, read, targets)
    if (item.kind !== 'message') {
      if (item.kind === 'skipped') counted.skipped++
      else this.#fail(counted, item)
    } else {
      const receivedAt = item.receivedAt ?? row.started_at ?? this.#unit.now
      if (!isWanted({ options, since: row.since }, places, receivedAt)) counted.skipped++
      else if (!(await this.#import(row, { ...item, receivedAt }, { wanted, read, counted, targets }))) return false
    }
    // The source announced it in the folder that is read.
    if (counted !== read && read.announced !== null) read.announced = Math.max(0, read.announced - 1)
    return true
  }

  /** A message with places is counted in the first one that is a folder. */
  #countedIn(
    given: readonly Place[],
    wanted: readonly Place[],
    read: ImportFolderTable,
    targets: Targets,
  ): ImportFolderTable {
    const isFolder = ({ role }: Place) => role !== 'important' && role !== 'all'
    const first = given.length === 0 ? undefined : (wanted.find(isFolder) ?? given.find(isFolder))
    const row = first ? targets.rowOf(first, read) : read
    targets.note(row)
    return row
  }

  async #import(
    row: ImportTable,
    item: PreparedMessage & { readonly receivedAt: number },
    place: {
      readonly wanted: readonly Place[]
      readonly read: ImportFolderTable
      readonly counted: ImportFolderTable
      readonly targets: Targets
    },
  ): Promise<boolean> {
    const unit = this.#unit
    const { wanted, read, counted, targets } = place
    const { size } = item.email.parsed.structure
    const same = item.isExact
      ? await findSameOctets(unit, item.identity, row.id, item.email.blob.hash)
      : await findSame(unit, item.identity)
    if (same !== null) {
      if (await wasImportedBy(unit, unit.account, row.id, same))
        await this.#addPlaces(same, await targets.mailboxesOf(wanted, read))
      counted.duplicates++
    } else if (!hasRoomFor(this.#services, unit, size)) {
      if (size <= this.#services.limits.mailboxStorageBytes) return false
      const detail = `The message has ${size} octets, more than the mailbox can hold.`
      this.#fail(counted, { ...item, reason: 'too_large', detail })
    } else {
      const mailboxes = await targets.mailboxesOf(wanted, read)
      await recordBlob(this.#work, item.email.blob)
      const { keywords, receivedAt } = item
      const stored = await storeEmail(this.#services, unit, item.email, {
        mailboxes,
        keywords,
        receivedAt,
        source: 'import',
      })
      await noteImported(unit, row.id, stored.id)
      await keepIdentity(unit, stored.id, item.identity)
      counted.imported++
      this.#importedOctets += size
    }
    this.#octets += size
    return true
  }

  /** Decision D33: a message in several folders of the source is stored once, in all of them. */
  async #addPlaces(email: number, mailboxes: readonly number[]): Promise<void> {
    const row = await findEmail(this.#unit, this.#unit.account, email)
    if (!row) return
    const all = [...new Set([...parseMailboxes(row.mailboxes), ...mailboxes])]
    if (all.length <= this.#services.limits.maxMailboxesPerEmail)
      await moveEmail(this.#unit, row, all, parseKeywords(row.keywords))
  }

  #fail(folder: ImportFolderTable, item: { position: string; reason: string; detail: string }): void {
    folder.failed++
    const { reasons, first } = this.#failures
    const { position, reason, detail } = item
    const failure = { folder: pathName(JSON.parse(folder.path)), position, reason, detail: detail.slice(0, 300) }
    this.#failures = {
      reasons: { ...reasons, [reason]: (reasons[reason] ?? 0) + 1 },
      first: first.length < IMPORT_FAILURES_LISTED ? [...first, failure] : first,
    }
  }

  async #keep(row: ImportTable, isFull: boolean): Promise<void> {
    await updateImport(this.#unit, row.id, {
      status: 'running',
      attempts: 0,
      error: null,
      resume_at: null,
      bytes_total: row.bytes_total + this.#octets,
      bytes_imported: row.bytes_imported + this.#importedOctets,
      failures: JSON.stringify(this.#failures),
      ...(!isFull && { full_since: null }),
    })
    this.#unit.change(Import.name, row.id, 'u', PROGRESS)
  }
}
