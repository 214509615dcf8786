/**
 * One account at an IMAP server, as the source of an import uses it. It connects when it is first asked and again after a connection has
 * ended. A server that lies about sizes, or sends what nobody asked for, costs a connection and then a command for each message; one that
 * goes on is given up. Nothing here is kept in memory beyond one group of messages.
 */
import type { ImapFlow } from 'imapflow'
import type { Clock } from '../../base/clock.ts'
import {
  IMAP_BREACHES_MAX,
  IMAP_COMMAND_MS,
  IMAP_LIST_MAX_BYTES,
  IMAP_LITERAL_MAX_BYTES,
  IMAP_LOGIN_MS,
} from '../../base/imap-limits.ts'
import { SourceError } from '../import-source.ts'
import { type Connection, Connector } from './connect.ts'
import { bounded } from './deadline.ts'
import { isBreach, isRefusal, isRefused, refusal, sessionFault } from './faults.ts'
import { fetchMessages } from './fetch-messages.ts'
import { SummaryReader } from './fetch-summaries.ts'
import { listFolders, NO_GENERATION } from './folders.ts'
import { findAndConnect } from './login.ts'
import type { ImapTarget } from './providers.ts'
import {
  answerOfError,
  type FetchedMessage,
  type FolderList,
  type FolderName,
  type ImapSessionCalls,
  type MessageRequest,
  type MessageSummary,
  type SessionAnswer,
  type SessionPlan,
} from './session-port.ts'

interface OpenFolder {
  readonly key: string
  readonly summaries: SummaryReader
}

export class ImapSession implements ImapSessionCalls {
  readonly #plan: SessionPlan
  readonly #clock: Clock
  readonly #connector: Connector
  /** The place that took the login. */
  #target: ImapTarget | null = null
  #client: ImapFlow | null = null
  #open: OpenFolder | null = null
  #breaches = 0
  /** Messages are asked for one by one. */
  #isMistrusted = false
  #isClosed = false

  constructor(plan: SessionPlan, clock: Clock) {
    this.#plan = plan
    this.#clock = clock
    this.#connector = new Connector(plan.reach)
  }

  folders(): Promise<SessionAnswer<FolderList>> {
    return this.#answer(async () => {
      const client = await this.#connected()
      const bounds = { clock: this.#clock, ms: IMAP_COMMAND_MS, maxOctets: IMAP_LIST_MAX_BYTES }
      return bounded(client, bounds, () => listFolders(client))
    })
  }

  summaries(folder: FolderName, after: number): Promise<SessionAnswer<readonly MessageSummary[] | 'refused'>> {
    return this.#answer(async () => {
      const opened = await this.#opened(folder).catch((error: unknown) => {
        if (isRefusal(error)) return null
        throw error
      })
      if (!opened) return 'refused'
      const { client, open } = opened
      const bounds = { clock: this.#clock, ms: IMAP_COMMAND_MS, maxOctets: IMAP_LIST_MAX_BYTES }
      return bounded(client, bounds, () => open.summaries.after(after))
    })
  }

  messages(
    folder: FolderName,
    requests: readonly MessageRequest[],
    maxOctets: number,
  ): Promise<SessionAnswer<readonly FetchedMessage[]>> {
    return this.#answer(async () => {
      if (!this.#isMistrusted && requests.length > 1) {
        try {
          return await this.#fetch(folder, requests, maxOctets)
        } catch (error) {
          if (!isBreach(error) && !isRefusal(error)) throw error
          // One of them is the reason: each is asked for alone.
          if (isBreach(error)) {
            this.#isMistrusted = true
            this.#drop()
          }
        }
      }
      const found: FetchedMessage[] = []
      for (const request of requests) found.push(await this.#fetchOne(folder, request, maxOctets))
      return found
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#client
    this.#client = null
    client?.close()
  }

  async #fetchOne(folder: FolderName, request: MessageRequest, maxOctets: number): Promise<FetchedMessage> {
    const { uid } = request
    try {
      return (await this.#fetch(folder, [request], maxOctets))[0]!
    } catch (error) {
      if (isRefusal(error)) return { uid, reason: 'source_refused' }
      if (!isBreach(error) || ++this.#breaches > IMAP_BREACHES_MAX) throw error
      this.#drop()
      return { uid, reason: (error as { code?: string }).code === 'ParserError' ? 'malformed' : 'too_large' }
    }
  }

  async #fetch(folder: FolderName, requests: readonly MessageRequest[], maxOctets: number): Promise<FetchedMessage[]> {
    const { client } = await this.#opened(folder)
    return fetchMessages(client, requests, {
      clock: this.#clock,
      maxOctets: Math.min(maxOctets, IMAP_LITERAL_MAX_BYTES),
    })
  }

  async #opened(folder: FolderName): Promise<{ client: ImapFlow; open: OpenFolder }> {
    const client = await this.#connected()
    if (this.#open?.key === folder.key) return { client, open: this.#open }
    if (folder.generation === NO_GENERATION) throw refusal()
    const bounds = { clock: this.#clock, ms: IMAP_COMMAND_MS, maxOctets: IMAP_LIST_MAX_BYTES }
    const mailbox = await bounded(client, bounds, async () => {
      this.#open = null
      // EXAMINE: the account is not changed.
      return client.mailboxOpen(folder.key, { readOnly: true }).catch((error: unknown) => {
        throw isRefused(error, this.#clock.now()) ? refusal() : error
      })
    })
    if (String(mailbox.uidValidity) !== folder.generation) {
      // RFC 3501 2.3.1.1: the UIDs of before mean nothing now. The folders are listed again.
      this.#drop()
      throw new SourceError('cut', 'The folder was made anew at the server while it was read.')
    }
    this.#open = { key: folder.key, summaries: new SummaryReader(client) }
    return { client, open: this.#open }
  }

  async #connected(): Promise<ImapFlow> {
    if (this.#isClosed) throw new SourceError('cut', 'The import has ended.')
    if (this.#client?.usable) return this.#client
    this.#drop()
    const { client, target } = this.#target ? await this.#again(this.#target) : await this.#first()
    client.on('expunge', ({ seq }: { seq?: number }) => seq !== undefined && this.#open?.summaries.removed(seq))
    this.#target = target
    this.#client = client
    return client
  }

  #first(): Promise<Connection> {
    return findAndConnect(this.#plan, this.#connector, this.#clock, IMAP_LITERAL_MAX_BYTES)
  }

  #again(target: ImapTarget): Promise<Connection> {
    return this.#connector.connect({
      targets: [target],
      password: this.#plan.account.password,
      maxLiteral: IMAP_LITERAL_MAX_BYTES,
      clock: this.#clock,
      ms: IMAP_LOGIN_MS,
    })
  }

  #drop(): void {
    this.#client?.close()
    this.#client = null
    this.#open = null
  }

  async #answer<T>(run: () => Promise<T>): Promise<SessionAnswer<T>> {
    try {
      return { value: await run() }
    } catch (error) {
      this.#drop()
      if (!isBreach(error)) return answerOfError(sessionFault(error, this.#clock.now()))
      const isOver = ++this.#breaches > IMAP_BREACHES_MAX
      return answerOfError(new SourceError(isOver ? 'unusable' : 'cut', 'The server breaks the protocol.'))
    }
  }
}
