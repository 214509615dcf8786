/**
 * Mailbox/set: its records are judged and written together (RFC 8620 5.3, RFC 8621 2.5). Vendor extension: a mailbox that inbox rules move
 * mail to is not destroyed. The SetError is `mailboxUsedByRule`, whose `rules` are `{id, name}` of each (decision D9).
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { emailsInMailbox } from '../../../storage/repos/mailbox-emails.ts'
import { deleteMailbox, insertMailbox, listMailboxes, updateMailbox } from '../../../storage/repos/mailboxes.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { mailboxUsedByRule, type SetError, setError, type UsingRule } from '../../protocol/errors.ts'
import type { PlannedRecord, SetPlan, WriteContext } from '../../type/handlers.ts'
import { rulesByMailbox } from '../inbox-rules/using.ts'
import { columnsOf, toldOfNew } from './columns.ts'
import { forgetRoles } from './counts.ts'
import { mailboxFault } from './faults.ts'
import { Mailbox } from './mailbox.type.ts'
import { MailboxTree } from './mailbox-tree.ts'
import { newRow } from './new-row.ts'
import { recountAccount } from './recount.ts'
import { removeEmails } from './remove-emails.ts'

type Write = WriteContext<typeof Mailbox>
type Planned = PlannedRecord<typeof Mailbox>

export async function planMailboxes(write: Write, records: readonly Planned[]): Promise<SetPlan<typeof Mailbox>> {
  const rows = await listMailboxes(write.unit, write.unit.account)
  const rules = records.some(({ kind }) => kind === 'destroy') ? await rulesByMailbox(write.unit) : new Map()
  return new MailboxPlan(write, rows, rules)
}

class MailboxPlan implements SetPlan<typeof Mailbox> {
  readonly #write: Write
  readonly #tree: MailboxTree
  readonly #rules: ReadonlyMap<string, readonly UsingRule[]>
  /** The Trash as it was before. */
  readonly #trash: number | null
  /** Mailboxes to destroy whose emails go to the Trash. */
  readonly #thrownAway = new Set<number>()

  constructor(write: Write, rows: readonly MailboxTable[], rules: ReadonlyMap<string, readonly UsingRule[]>) {
    this.#write = write
    this.#tree = new MailboxTree(rows)
    this.#rules = rules
    this.#trash = this.#tree.withRole('trash')
  }

  make(record: Planned): void {
    if (record.kind !== 'destroy') {
      this.#tree.put(this.#rowOf(record))
      return
    }
    this.#tree.remove(record.number)
    const hasEmails = this.#doomed(record.number).some(({ total_emails }) => total_emails > 0)
    if (this.#write.args.onDestroyTrashEmails && hasEmails) this.#thrownAway.add(record.number)
  }

  undo({ number }: Planned): void {
    this.#tree.restore(number)
    this.#thrownAway.delete(number)
  }

  faultOf(record: Planned): SetError | null {
    if (record.kind === 'destroy') return this.#destroyFault(record.number)
    return mailboxFault(this.#write.method, this.#tree, this.#tree.get(record.number)!)
  }

  async write(records: readonly Planned[]): Promise<ReadonlyMap<number, JsonObject>> {
    const { unit, method } = this.#write
    await this.#clearNames(records)
    for (const record of records) {
      if (record.kind === 'destroy') continue
      if (record.kind === 'create') await insertMailbox(unit, this.#rowOf(record))
      else await updateMailbox(unit, record.number, columnsOf(method, record.change.next))
      const changed = record.kind === 'update' ? record.change.changed : undefined
      unit.change(Mailbox.name, record.number, record.kind === 'create' ? 'c' : 'u', changed)
    }
    forgetRoles(unit)
    // What counts as unread depends on which mailbox is the Trash.
    if (this.#tree.withRole('trash') !== this.#trash) await recountAccount(unit)
    for (const { kind, number } of records)
      if (kind === 'destroy') for (const { id } of this.#doomed(number)) await this.#destroy(id)
    const isNew = new Set(records.filter(({ kind }) => kind === 'create').map(({ number }) => number))
    const rows = isNew.size > 0 ? await listMailboxes(unit, unit.account) : []
    const created = rows.filter(({ id }) => isNew.has(id))
    return new Map(created.map((row) => [row.id, toldOfNew(method, row)]))
  }

  #rowOf(record: Exclude<Planned, { kind: 'destroy' }>): MailboxTable {
    const { unit, method } = this.#write
    if (record.kind === 'update')
      return { ...this.#tree.before(record.number)!, ...columnsOf(method, record.change.next) }
    return newRow(unit, record.number, columnsOf(method, record.input))
  }

  /** The mailboxes that go with one, itself last. */
  #doomed(number: number): MailboxTable[] {
    const below = this.#write.args.onDestroyRemoveChildren ? this.#tree.below(number).reverse() : []
    return [...below, this.#tree.before(number)!]
  }

  #destroyFault(number: number): SetError | null {
    const { method, args } = this.#write
    // RFC 8621 2.5: children must be destroyed first, even if emails may be removed.
    if (!args.onDestroyRemoveChildren && this.#tree.hasChildren(number)) return setError('mailboxHasChild')
    const doomed = this.#doomed(number)
    if (doomed.at(-1)!.role === 'inbox') return setError('forbidden', 'The inbox cannot be destroyed.')
    if (doomed.some(({ id, role }) => id !== number && role !== null))
      return setError('forbidden', 'A mailbox with a role is below it.')
    const rules = doomed.flatMap(({ id }) => this.#rules.get(method.id(Mailbox, id)) ?? [])
    if (rules.length > 0) return mailboxUsedByRule([...new Map(rules.map((rule) => [rule.id, rule])).values()])
    if (args.onDestroyRemoveEmails) return null
    // Emails of others that go would be moved to it.
    const isNeeded = number === this.#trash && this.#thrownAway.size > 0
    if (!isNeeded && doomed.every(({ total_emails }) => total_emails === 0)) return null
    return args.onDestroyTrashEmails && this.#trashNow() !== null ? null : setError('mailboxHasEmail')
  }

  /** The mailbox that will be the Trash, or else the present one, if it stays. */
  #trashNow(): number | null {
    const before = this.#trash !== null && this.#tree.get(this.#trash) ? this.#trash : null
    return this.#tree.withRole('trash') ?? before
  }

  /** Names may change places: each is out of the others' way before one takes it. */
  async #clearNames(records: readonly Planned[]): Promise<void> {
    const { unit } = this.#write
    for (const { kind, number } of records) {
      if (kind === 'create' || (kind === 'update' && records.length === 1)) continue
      const role = kind === 'destroy' ? { role: null } : {}
      await updateMailbox(unit, number, { name_key: `\n${number}`, ...role })
    }
  }

  async #destroy(mailbox: number): Promise<void> {
    const { unit, method, args } = this.#write
    const emails = await emailsInMailbox(unit, unit.account, mailbox)
    const trash = args.onDestroyTrashEmails ? this.#trashNow() : null
    await removeEmails(method.services, unit, { mailbox, trash, emails })
    await deleteMailbox(unit, mailbox)
    unit.change(Mailbox.name, mailbox, 'd')
  }
}
