/** The mailboxes of an account as a /set would leave them. What is asked of them costs no more than the tree is deep. */
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { Claims } from '../../type/claims.ts'

export class MailboxTree {
  readonly #rows = new Map<number, MailboxTable>()
  readonly #before: ReadonlyMap<number, MailboxTable>
  readonly #children = new Map<number, Set<number>>()
  /** Names among siblings, and roles. */
  readonly #names = new Claims()
  readonly #roles = new Claims()

  constructor(rows: readonly MailboxTable[]) {
    this.#before = new Map(rows.map((row) => [row.id, row]))
    for (const row of rows) this.#enter(row)
  }

  get size(): number {
    return this.#rows.size
  }

  get(id: number): MailboxTable | undefined {
    return this.#rows.get(id)
  }

  /** As it was before anything was put or removed. */
  before(id: number): MailboxTable | undefined {
    return this.#before.get(id)
  }

  put(row: MailboxTable): void {
    this.remove(row.id)
    this.#enter(row)
  }

  remove(id: number): void {
    const row = this.#rows.get(id)
    if (!row) return
    this.#rows.delete(id)
    this.#children.get(row.parent)?.delete(id)
    this.#names.release(nameAmongSiblings(row), id)
    if (row.role !== null) this.#roles.release(row.role, id)
  }

  /** Back to how it was. */
  restore(id: number): void {
    this.remove(id)
    const row = this.#before.get(id)
    if (row) this.#enter(row)
  }

  /** All below a mailbox that is not below itself, each before its children. */
  below(id: number): MailboxTable[] {
    const rows: MailboxTable[] = []
    const parents = [id]
    for (let parent = parents.pop(); parent !== undefined; parent = parents.pop())
      for (const child of this.#children.get(parent) ?? []) {
        rows.push(this.#rows.get(child)!)
        parents.push(child)
      }
    return rows
  }

  hasChildren(id: number): boolean {
    return (this.#children.get(id)?.size ?? 0) > 0
  }

  /** Levels below a mailbox that is not below itself. */
  heightOf(id: number): number {
    let height = 0
    for (const child of this.#children.get(id) ?? []) height = Math.max(height, 1 + this.heightOf(child))
    return height
  }

  /** A sibling that had the name before it. */
  namesakeOf(row: MailboxTable): number | null {
    return this.#names.rivalOf(nameAmongSiblings(row), row.id)
  }

  /** Another that had its role before it. */
  rivalOf({ id, role }: MailboxTable): number | null {
    return role === null ? null : this.#roles.rivalOf(role, id)
  }

  withRole(role: string): number | null {
    return this.#roles.holderOf(role)
  }

  #enter(row: MailboxTable): void {
    this.#rows.set(row.id, row)
    const children = this.#children.get(row.parent) ?? new Set()
    this.#children.set(row.parent, children.add(row.id))
    const before = this.#before.get(row.id)
    const name = nameAmongSiblings(row)
    this.#names.hold(name, row.id, !before || nameAmongSiblings(before) !== name)
    if (row.role !== null) this.#roles.hold(row.role, row.id, before?.role !== row.role)
  }
}

function nameAmongSiblings({ parent, name_key }: MailboxTable): string {
  return `${parent} ${name_key}`
}
