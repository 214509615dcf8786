import { BLOB_INLINE_MAX_BYTES } from '../../../server/base/limits.ts'
import { type EmailContent, findContents } from '../../../storage/repos/email-contents.ts'
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import { submittedAmong } from '../../../storage/repos/submissions.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { type Findings, findingsOf } from '../delivery/findings.ts'
import { type Delivery, deliveryOf } from '../submission/delivery.ts'
import { StoredMessage } from './stored-message.ts'

/** What is read of several emails at once, when the first of them asks for it. */
export class EmailPage {
  readonly #read: ReadContext
  readonly #rows: readonly EmailSummary[]
  #contents: ReadonlyMap<number, EmailContent> | undefined
  #findings: ((email: number) => Findings) | undefined
  #sent: ReadonlySet<number> | undefined
  readonly #deliveries = new Map<number, Delivery>()

  constructor(read: ReadContext, rows: readonly EmailSummary[]) {
    this.#read = read
    this.#rows = rows
  }

  async message(row: EmailSummary): Promise<StoredMessage> {
    if (!this.#contents) {
      const { reader, method } = this.#read
      // Large messages lie elsewhere, and are read as far as they are needed.
      const small = this.#rows.filter(({ size }) => size <= BLOB_INLINE_MAX_BYTES).map(({ id }) => id)
      const found = await findContents(reader, method.account.number, small)
      this.#contents = new Map(found.map((content) => [content.id, content]))
    }
    return new StoredMessage(this.#read, row, this.#contents.get(row.id))
  }

  async findings(row: EmailSummary): Promise<Findings> {
    this.#findings ??= await findingsOf(
      this.#read,
      this.#rows.map(({ id }) => id),
    )
    return this.#findings(row.id)
  }

  async delivery(row: EmailSummary): Promise<Delivery> {
    const known = this.#deliveries.get(row.id)
    if (known) return known
    const { reader, method } = this.#read
    this.#sent ??= await submittedAmong(
      reader,
      method.account.number,
      this.#rows.map(({ id }) => id),
    )
    const delivery = await deliveryOf(this.#read, row, this.#sent.has(row.id))
    this.#deliveries.set(row.id, delivery)
    return delivery
  }
}
