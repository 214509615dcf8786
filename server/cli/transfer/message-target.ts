/**
 * Stores messages in an account over JMAP, octet by octet. A message that the account has already, octet by octet, is not stored again, so
 * an interrupted run can be repeated.
 */
import { createHash } from 'node:crypto'
import { errorMessage } from '../../base/errors.ts'
import { TRANSFER_BATCH, TRANSFER_CONCURRENCY, TRANSFER_MEMORY_BYTES } from '../../base/transfer-limits.ts'
import type { FolderTree } from './folder-tree.ts'
import { inParallel } from './in-parallel.ts'
import type { JmapAccount, JmapEmail } from './jmap-account.ts'

export interface FoundMessage {
  /** Names from the top down; empty: the inbox. */
  readonly path: readonly string[]
  readonly role: string | null
  readonly keywords: readonly string[]
  /** As a UTCDate; null: the server reads it from the message. */
  readonly receivedAt: string | null
  read(): Promise<Buffer>
}

export interface TransferResult {
  imported: number
  duplicates: number
  failed: number
  /** The first of them, each with its folder. */
  readonly failures: string[]
}

const FAILURES_KEPT = 20

/** A message of a batch, with all its folders. */
interface Read {
  readonly message: FoundMessage
  readonly octets: Buffer
  readonly digest: string
  readonly mailboxIds: Set<string>
  copies: number
}

export class MessageTarget {
  readonly #account: JmapAccount
  readonly #folders: FolderTree
  /** Emails that were there before and were not compared yet, by size. */
  readonly #before = new Map<number, JmapEmail[]>()
  /** Ids of what this run stored or found, by digest. */
  readonly #known = new Map<string, string>()
  readonly #result: TransferResult = { imported: 0, duplicates: 0, failed: 0, failures: [] }

  constructor(account: JmapAccount, folders: FolderTree) {
    this.#account = account
    this.#folders = folders
  }

  /** @param each is called with the number of messages that are dealt with */
  async take(messages: AsyncIterable<FoundMessage>, each: (count: number) => void): Promise<TransferResult> {
    for await (const emails of this.#account.emails(null))
      for (const email of emails) {
        const same = this.#before.get(email.size)
        if (same) same.push(email)
        else this.#before.set(email.size, [email])
      }
    let batch = new Map<string, Read>()
    let [held, count] = [0, 0]
    const flush = async () => {
      await this.#store([...batch.values()])
      each(count)
      batch = new Map()
      held = count = 0
    }
    for await (const message of messages) {
      held += await this.#read(message, batch)
      if (++count === TRANSFER_BATCH || held > TRANSFER_MEMORY_BYTES) await flush()
    }
    await flush()
    return this.#result
  }

  /** @returns octets that are held more than before */
  async #read(message: FoundMessage, batch: Map<string, Read>): Promise<number> {
    try {
      const octets = await message.read()
      const digest = createHash('sha256').update(octets).digest('base64')
      const mailboxId = await this.#folders.find(message.path, message.role)
      const same = batch.get(digest)
      if (same) {
        same.mailboxIds.add(mailboxId)
        same.copies++
        return 0
      }
      batch.set(digest, { message, octets, digest, mailboxIds: new Set([mailboxId]), copies: 0 })
      return octets.length
    } catch (error) {
      this.#failed(message, errorMessage(error))
      return 0
    }
  }

  async #store(batch: readonly Read[]): Promise<void> {
    const unknown: Read[] = []
    // One after another: two at a time could compare the same email with the wrong message.
    for (const read of batch)
      await this.#tried(read, async () => {
        const id = this.#known.get(read.digest) ?? (await this.#existing(read))
        if (id === null) unknown.push(read)
        else await this.#again(id, read)
      })
    const fresh: { read: Read; blobId: string }[] = []
    await inParallel(TRANSFER_CONCURRENCY, unknown, (read) =>
      this.#tried(read, async () => void fresh.push({ read, blobId: await this.#account.upload(read.octets) })),
    )
    if (fresh.length === 0) return
    const emails = fresh.map(({ read: { message, mailboxIds }, blobId }) => ({
      blobId,
      mailboxIds: asSet([...mailboxIds]),
      keywords: asSet(message.keywords),
      receivedAt: message.receivedAt,
    }))
    const answers = await this.#account.importEmails(emails)
    for (const [i, answer] of answers.entries()) {
      const { read } = fresh[i]!
      if ('reason' in answer) this.#failed(read.message, answer.reason)
      else {
        this.#known.set(read.digest, answer.id)
        this.#result.imported++
        this.#result.duplicates += read.copies
      }
    }
  }

  /** The email with the same octets that was there before. Each is compared once. */
  async #existing({ octets, digest }: Read): Promise<string | null> {
    const same = this.#before.get(octets.length) ?? []
    for (let email = same.pop(); email; email = same.pop()) {
      const there = createHash('sha256')
        .update(await this.#account.download(email.blobId))
        .digest('base64')
      this.#known.set(there, email.id)
      if (there === digest) return email.id
    }
    return null
  }

  async #again(id: string, { mailboxIds, copies }: Read): Promise<void> {
    await this.#account.addToMailboxes(id, [...mailboxIds])
    this.#result.duplicates += 1 + copies
  }

  /** A message that fails does not stop the others. */
  async #tried({ message }: Read, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#failed(message, errorMessage(error))
    }
  }

  #failed({ path }: FoundMessage, reason: string): void {
    this.#result.failed++
    if (this.#result.failures.length < FAILURES_KEPT)
      this.#result.failures.push(`${path.join('/') || 'INBOX'}: ${reason}`)
  }
}

function asSet(names: readonly string[]): { [name: string]: true } {
  return Object.fromEntries(names.map((name) => [name, true as const]))
}
