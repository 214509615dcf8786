/**
 * The expected content of an account, in plain maps, written from RFC 8621 alone: counts, threads and queries are computed from nothing
 * for each read. Ids come from the server.
 */

export interface ModelMailbox {
  readonly name: string
  readonly parentId: string | null
  readonly role: string | null
  readonly sortOrder: number
  readonly isSubscribed: boolean
}

export interface ModelEmail {
  readonly mailboxIds: readonly string[]
  readonly keywords: readonly string[]
  /** Epoch ms. */
  readonly receivedAt: number
  readonly threadId: string
  /** Words of subject and body. */
  readonly words: readonly string[]
  readonly message: Message
}

/** The content of a message that the model reads. */
export interface Message {
  /** Base subject. */
  readonly subject: string
  /** Message ids in Message-ID, In-Reply-To and References. */
  readonly mentions: readonly string[]
  readonly words: readonly string[]
  /** Emails with the same value have the same octets; for drafts only the server knows them. */
  readonly content?: string
  /** The address in From. */
  readonly author: string
}

export interface ModelSubmission {
  readonly emailId: string
  readonly threadId: string
  readonly undoStatus: 'pending' | 'final' | 'canceled'
  readonly sendAt: number
  /** null: nothing is due. */
  readonly dueAt: number | null
  readonly lease: string | null
  readonly leaseUntil: number
  /** By address. */
  readonly recipients: { readonly [address: string]: readonly [delivered: string, smtpReply: string] }
}

export const TYPES = ['Mailbox', 'Email', 'Thread', 'EmailSubmission'] as const
export type TypeName = (typeof TYPES)[number]

export class AccountModel {
  readonly address: string
  mailboxes = new Map<string, ModelMailbox>()
  emails = new Map<string, ModelEmail>()
  submissions = new Map<string, ModelSubmission>()
  /** With the step that created them; a thread ends with its last email. */
  threads = new Map<string, { readonly step: number; readonly keys: readonly string[] }>()
  /** How often objects of a type have changed. */
  versions: Readonly<Record<TypeName, number>> = { Mailbox: 0, Email: 0, Thread: 0, EmailSubmission: 0 }
  /** The state of a type, if the server has returned it. */
  states: { readonly [type in TypeName]?: string | undefined } = {}

  constructor(address: string) {
    this.address = address
  }

  clone(): AccountModel {
    const copy = new AccountModel(this.address)
    copy.mailboxes = new Map(this.mailboxes)
    copy.emails = new Map(this.emails)
    copy.submissions = new Map(this.submissions)
    copy.threads = new Map(this.threads)
    copy.versions = this.versions
    copy.states = this.states
    return copy
  }

  /** Runs a change; increments the versions of types that differ after it. */
  change<T>(work: () => T): T {
    const before = this.#seen()
    const result = work()
    const after = this.#seen()
    const changed = TYPES.filter((type) => before[type] !== after[type])
    this.versions = Object.fromEntries(
      TYPES.map((type) => [type, this.versions[type] + Number(changed.includes(type))]),
    ) as Record<TypeName, number>
    // Counts may have gone up and down again, which changes the state of Mailbox too.
    const told = TYPES.filter((type) => !changed.includes(type) && !(type === 'Mailbox' && changed.includes('Email')))
    this.states = Object.fromEntries(told.map((type) => [type, this.states[type]]))
    return result
  }

  #seen(): Record<TypeName, string> {
    const mailboxes = [...this.mailboxes].map(([id, mailbox]) => [id, mailbox, this.counts(id)])
    return {
      Mailbox: JSON.stringify(mailboxes),
      Email: JSON.stringify([...this.emails].map(([id, { mailboxIds, keywords }]) => [id, mailboxIds, keywords])),
      Thread: JSON.stringify([...this.threads.keys()].map((id) => [id, this.emailsOfThread(id)])),
      EmailSubmission: JSON.stringify(
        [...this.submissions].map(([id, { undoStatus, recipients }]) => [id, undoStatus, recipients]),
      ),
    }
  }

  putEmail(id: string, email: ModelEmail, step: number): void {
    this.emails.set(id, email)
    const thread = this.threads.get(email.threadId) ?? { step, keys: [] }
    this.threads.set(email.threadId, {
      step: thread.step,
      keys: [...new Set([...thread.keys, ...keysOf(email.message)])],
    })
  }

  removeEmail(id: string): void {
    const { threadId } = this.emails.get(id)!
    this.emails.delete(id)
    if (this.emailsOfThread(threadId).length === 0) this.threads.delete(threadId)
  }

  /**
   * RFC 8621 3, as in jmap/mail/thread/threading.ts: the oldest thread that shares a message id and has the same base subject. Of
   * several threads that one step created, the oldest is not visible from outside.
   */
  threadsFor(message: Message): string[] {
    const keys = keysOf(message)
    const found = [...this.threads].filter(([, thread]) => thread.keys.some((key) => keys.includes(key)))
    const first = Math.min(...found.map(([, { step }]) => step))
    return found.filter(([, { step }]) => step === first).map(([id]) => id)
  }

  emailsOfThread(threadId: string): string[] {
    return [...this.emails].filter(([, email]) => email.threadId === threadId).map(([id]) => id)
  }

  emailsIn(mailboxId: string): string[] {
    return [...this.emails].filter(([, { mailboxIds }]) => mailboxIds.includes(mailboxId)).map(([id]) => id)
  }

  roleOf(mailboxId: string): string | null {
    return this.mailboxes.get(mailboxId)?.role ?? null
  }

  mailboxWith(role: string): string | null {
    return [...this.mailboxes].find(([, mailbox]) => mailbox.role === role)?.[0] ?? null
  }

  /** RFC 8621 2 */
  counts(mailboxId: string) {
    const emails = this.emailsIn(mailboxId)
    const trash = this.mailboxWith('trash')
    const threads = [...new Set(emails.map((id) => this.emails.get(id)!.threadId))]
    // Emails that are only in Trash do not count elsewhere, and emails outside Trash do not count in it.
    const counts = (id: string) => {
      const { mailboxIds } = this.emails.get(id)!
      if (mailboxId === trash) return mailboxIds.includes(trash)
      return mailboxIds.some((other) => other !== trash)
    }
    return {
      totalEmails: emails.length,
      unreadEmails: emails.filter((id) => this.isUnread(id)).length,
      totalThreads: threads.length,
      unreadThreads: threads.filter((thread) =>
        this.emailsOfThread(thread).some((id) => this.isUnread(id) && counts(id)),
      ).length,
    }
  }

  isUnread(id: string): boolean {
    const { keywords } = this.emails.get(id)!
    return !keywords.includes('$seen') && !keywords.includes('$draft')
  }
}

function keysOf({ mentions, subject }: Message): string[] {
  return mentions.map((id) => `${id} ${subject}`)
}
