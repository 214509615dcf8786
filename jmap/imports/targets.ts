/** The mailboxes for the places of imported mail, inside a unit of work: found by role or path, and made where they are missing. */
import { IMPORT_FOLDERS_MAX, IMPORT_PATH_MAX_CHARS } from '../../server/base/import-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { noteMade } from '../../storage/repos/imports.ts'
import { insertMailbox, listMailboxes } from '../../storage/repos/mailboxes.ts'
import type { ImportFolderTable, MailboxTable } from '../../storage/schema/tables.ts'
import { forgetRoles } from '../mail/mailbox/counts.ts'
import { Mailbox } from '../mail/mailbox/mailbox.type.ts'
import { newRow } from '../mail/mailbox/new-row.ts'
import { nameKey } from '../message/mailbox-name.ts'
import type { Limits } from '../type/limits.ts'
import { mailboxPath } from './folder-names.ts'
import type { Place, PlaceRole } from './items.ts'

/** Roles of RFC 8621 2 that a mailbox can have; the others are no folders. */
const MAILBOX_ROLES: readonly PlaceRole[] = ['inbox', 'sent', 'drafts', 'junk', 'trash', 'archive']

export interface TargetOptions {
  readonly limits: Limits
  readonly unit: AccountUnit
  readonly imported: number
  /** Number of the mailbox below which everything goes; null: the top. */
  readonly below: number | null
  /** Rows of the import; new ones are added. */
  readonly folders: ImportFolderTable[]
}

export class Targets {
  readonly #options: TargetOptions
  readonly #byPath: Map<string, ImportFolderTable>
  readonly #changed = new Set<ImportFolderTable>()
  #mailboxes: MailboxTable[] | null = null

  constructor(options: TargetOptions) {
    this.#options = options
    this.#byPath = new Map(options.folders.map((row) => [row.path, row]))
  }

  /** Rows that differ from what is stored. */
  get changed(): ReadonlySet<ImportFolderTable> {
    return this.#changed
  }

  note(row: ImportFolderTable): void {
    this.#changed.add(row)
  }

  /** The row of the report for a place. @param otherwise when there are too many places, or the name is too long */
  rowOf({ path, role }: Place, otherwise: ImportFolderTable): ImportFolderTable {
    const { unit, imported, folders } = this.#options
    const text = JSON.stringify(path)
    const known = this.#byPath.get(text)
    if (known) return known
    if (folders.length >= IMPORT_FOLDERS_MAX || text.length > IMPORT_PATH_MAX_CHARS) return otherwise
    const row = newFolder({ account: unit.account, import: imported, id: folders.length + 1, path: text, role })
    folders.push(row)
    this.#byPath.set(text, row)
    this.#changed.add(row)
    return row
  }

  /** Numbers of the mailboxes for the places, at least one. */
  async mailboxesOf(places: readonly Place[], read: ImportFolderTable): Promise<number[]> {
    const numbers = new Set<number>()
    for (const place of places) {
      if (place.role === 'important') continue
      if (numbers.size >= this.#options.limits.maxMailboxesPerEmail) break
      numbers.add(await this.#mailboxOf(place, read))
    }
    // Mail without a folder, such as that of Gmail's "All Mail", is archived.
    if (numbers.size === 0) numbers.add(await this.#mailboxOf({ path: ['Archive'], role: 'archive' }, read))
    return [...numbers]
  }

  async #mailboxOf(place: Place, read: ImportFolderTable): Promise<number> {
    const wanted = asFolder(place)
    const row = this.rowOf(wanted, read)
    // A place without a row is the folder that is read.
    const isOwn = row.path === JSON.stringify(wanted.path)
    const folder = isOwn ? wanted : asFolder({ path: JSON.parse(row.path), role: row.role as PlaceRole | null })
    const rows = await this.#all()
    if (row.target !== null && rows.some(({ id }) => id === row.target)) return row.target
    const number = this.#byRole(rows, folder.role) ?? (await this.#byNames(rows, folder))
    row.target = number
    this.#changed.add(row)
    return number
  }

  /** Below a mailbox the tree is kept as it is. */
  #byRole(rows: readonly MailboxTable[], role: PlaceRole | null): number | null {
    if (this.#options.below !== null || role === null) return null
    return rows.find((row) => row.role === role)?.id ?? null
  }

  async #byNames(rows: MailboxTable[], { path, role }: Place): Promise<number> {
    const { limits, unit, imported } = this.#options
    const below = rows.find(({ id }) => id === this.#options.below)
    const depth = limits.maxMailboxDepth - (below ? depthOf(rows, below) : 0)
    // Nothing may stand below the deepest level.
    if (below && depth <= 0) return below.id
    const names = mailboxPath(path, { maxSizeMailboxName: limits.maxSizeMailboxName, depth })
    let parent = below?.id ?? 0
    for (const [level, name] of names.entries()) {
      const found = rows.find((row) => row.parent === parent && row.name_key === nameKey(name))
      if (found) {
        parent = found.id
        continue
      }
      const isLast = level === names.length - 1
      const free = isLast && !below && role && MAILBOX_ROLES.includes(role) && !rows.some((row) => row.role === role)
      const row = newRow(unit, unit.nextObject(), {
        name,
        parent,
        role: free ? role : null,
        sort_order: 100,
        is_subscribed: 1,
      })
      await insertMailbox(unit, row)
      await noteMade(unit, imported, row.id)
      unit.change(Mailbox.name, row.id, 'c')
      forgetRoles(unit)
      rows.push(row)
      parent = row.id
    }
    return parent
  }

  async #all(): Promise<MailboxTable[]> {
    this.#mailboxes ??= await listMailboxes(this.#options.unit, this.#options.unit.account)
    return this.#mailboxes
  }
}

/** All mail is no folder of its own. */
function asFolder(place: Place): Place {
  return place.role === 'all' ? { path: ['Archive'], role: 'archive' } : place
}

function depthOf(rows: readonly MailboxTable[], mailbox: MailboxTable): number {
  const byId = new Map(rows.map((row) => [row.id, row]))
  let depth = 1
  for (let at = byId.get(mailbox.parent); at && depth <= rows.length; at = byId.get(at.parent)) depth++
  return depth
}

export function newFolder(
  given: Pick<ImportFolderTable, 'account' | 'import' | 'id' | 'path' | 'role'>,
): ImportFolderTable {
  return {
    ...given,
    source_key: null,
    generation: null,
    position: null,
    target: null,
    announced: null,
    imported: 0,
    duplicates: 0,
    skipped: 0,
    failed: 0,
    is_done: 0,
  }
}
