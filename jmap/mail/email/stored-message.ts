import type { EmailContent } from '../../../storage/repos/email-contents.ts'
import { type EmailSummary, findStructure } from '../../../storage/repos/emails.ts'
import { unpackStructure } from '../../message/pack.ts'
import { type MessageStructure, parseStructure } from '../../message/structure.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { BLOB_ID, readStored } from '../blob/blobs.ts'
import type { MessageView } from './message-view.ts'

/** A stored message. Its structure and its octets are read once, on first use. */
export class StoredMessage implements MessageView {
  readonly #read: ReadContext
  readonly #row: EmailSummary
  readonly #packed: string | undefined
  #structure: MessageStructure | undefined
  #bytes: Uint8Array | undefined
  readonly #blobIds: string[] = []

  /** @param content the part that has been read already */
  constructor(read: ReadContext, row: EmailSummary, content?: EmailContent) {
    this.#read = read
    this.#row = row
    this.#packed = content?.structure
    this.#bytes = content?.data ?? undefined
  }

  async structure(): Promise<MessageStructure> {
    if (!this.#structure) {
      const { reader, method } = this.#read
      const text = this.#packed ?? (await findStructure(reader, method.account.number, this.#row.id))
      this.#structure = (text && unpackStructure(JSON.parse(text))) || parseStructure(await this.bytes())
    }
    return this.#structure
  }

  async bytes(): Promise<Uint8Array> {
    if (!this.#bytes) {
      const { reader, method } = this.#read
      method.request.guard.weigh(this.#row.size)
      this.#bytes =
        (await readStored(method.services.store, reader, method.account.number, this.#row.blob)) ?? new Uint8Array()
    }
    return this.#bytes
  }

  /** Octets of a part of the message. The whole message is read if that costs no more. */
  async range(start: number, end: number): Promise<Uint8Array> {
    if (this.#bytes || this.#row.size <= 65_536) return (await this.bytes()).subarray(start, end)
    const { reader, method } = this.#read
    method.request.guard.weigh(end - start)
    const range = { start, end }
    return (
      (await readStored(method.services.store, reader, method.account.number, this.#row.blob, range)) ??
      new Uint8Array()
    )
  }

  blobId(part: number): string {
    let id = this.#blobIds[part]
    if (id === undefined) {
      id = this.#read.method.id(BLOB_ID, this.#row.blob, part)
      this.#blobIds[part] = id
    }
    return id
  }
}
