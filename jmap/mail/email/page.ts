import { BLOB_INLINE_MAX_BYTES } from '../../../server/base/limits.ts'
import { DELIVERIES_AT_ONCE } from '../../../server/base/reading-limits.ts'
import { type EmailContent, findContents } from '../../../storage/repos/email-contents.ts'
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { type Delivery, deliveriesOf } from '../submission/delivery.ts'
import { type DeliveryRecord, deliveryRecordsOf } from './delivery-record.ts'
import { StoredMessage } from './stored-message.ts'

/** Data of several emails that is read together on first use. */
export class EmailPage {
  readonly #read: ReadContext
  readonly #rows: readonly EmailSummary[]
  #contents: ReadonlyMap<number, EmailContent> | undefined
  #deliveryRecords: ((email: number) => DeliveryRecord) | undefined
  readonly #deliveries = new Map<number, Delivery>()

  constructor(read: ReadContext, rows: readonly EmailSummary[]) {
    this.#read = read
    this.#rows = rows
  }

  async message(row: EmailSummary): Promise<StoredMessage> {
    if (!this.#contents) {
      const { reader, method } = this.#read
      // Large messages are stored elsewhere and read only as far as needed.
      const small = this.#rows.filter(({ size }) => size <= BLOB_INLINE_MAX_BYTES).map(({ id }) => id)
      const found = await findContents(reader, method.account.number, small)
      this.#contents = new Map(found.map((content) => [content.id, content]))
    }
    return new StoredMessage(this.#read, row, this.#contents.get(row.id))
  }

  async deliveryRecord(row: EmailSummary): Promise<DeliveryRecord> {
    this.#deliveryRecords ??= await deliveryRecordsOf(
      this.#read,
      this.#rows.map(({ id }) => id),
    )
    return this.#deliveryRecords(row.id)
  }

  async delivery(row: EmailSummary): Promise<Delivery> {
    const known = this.#deliveries.get(row.id)
    if (known) return known
    // Each may have a hundred recipients with their replies: the guard and the bound of the answer come between a few of them.
    const from = this.#rows.indexOf(row)
    const found = await deliveriesOf(this.#read, this.#rows.slice(from, from + DELIVERIES_AT_ONCE))
    for (const [email, delivery] of found) this.#deliveries.set(email, delivery)
    return found.get(row.id)!
  }
}
