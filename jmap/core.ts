/**
 * The door of the JMAP core: all that HTTP, SMTP, REST and the workers may ask of it. Everything that crosses it is plain data,
 * so that it may run in another thread (server/threads) or in the caller's. It owns no sockets, no timers and no DNS.
 */
import type { Principal } from '../server/base/principal.ts'
import type { InboundVerdict } from './mail/inbound-verdict.ts'
import type { Once } from './once.ts'
import type { Push } from './push/push.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** RFC 8620 3.2: method name, arguments, call id. */
export type Invocation = [name: string, args: JsonObject, callId: string]

/** RFC 8620 3.3 */
export interface JmapRequest {
  readonly using: readonly string[]
  readonly methodCalls: readonly Invocation[]
  readonly createdIds?: { readonly [creationId: string]: string }
}

/** RFC 8620 3.4 */
export interface JmapResponse {
  readonly methodResponses: readonly Invocation[]
  readonly createdIds?: { readonly [creationId: string]: string }
  readonly sessionState: string
}

/** RFC 8620 3.6.1: an error of the whole request, as RFC 7807 problem details. */
export interface RequestProblem {
  readonly type: string
  readonly status: number
  readonly detail: string
  readonly limit?: string
}

/** Over, or not to be used from where it was. */
export type KeyRefusal = 'expired' | 'elsewhere'

/** What authentication is asked to check. */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: string; readonly ip: string }
  | { readonly kind: 'password'; readonly address: string; readonly password: string; readonly ip: string }

/** Whether mail for an address is taken, as RCPT asks. `overQuota` and `suspended` are temporary, `closed` is suspended for long. */
export type RecipientVerdict =
  | { readonly status: 'accepted'; readonly account: number }
  | { readonly status: 'unknownUser' | 'notLocal' | 'suspended' | 'closed' | 'overQuota' }

/** A message to store: octets with trace headers written, for one or several accounts; its blob is stored once. */
export interface InboundMessage {
  readonly bytes: Uint8Array
  readonly recipients: readonly LocalRecipient[]
  /** Epoch ms: becomes receivedAt. */
  readonly receivedAt: number
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly mailFrom: string
  /** A notification that this server made about a submission of the account it goes to. */
  readonly reports?: OwnReport
  /** What the checks found; only for mail from outside. */
  readonly verdict?: InboundVerdict
  /** It came back to return addresses of ours, or complains about mail that had them. Authenticated. */
  readonly returned?: readonly ReturnToken[]
}

/** What a return address names (mta/reports/verp.ts). */
export interface ReturnToken {
  /** Number of the mailbox's account, and of the EmailSubmission in it. */
  readonly account: number
  readonly submission: number
  /** Which recipient of its envelope, from 0. */
  readonly position: number
  /** Whether the message was sent to the address, or only speaks of it. */
  readonly isAddressee: boolean
}

export interface OwnReport {
  /** Object number of the EmailSubmission. */
  readonly submission: number
  /** Stored though the mailbox is full: nobody else could be told. */
  readonly evenOverQuota: boolean
}

/** A recipient whose mailbox is here. */
export interface LocalRecipient {
  readonly account: number
  /** As the envelope names it. */
  readonly address: string
}

/** Per recipient, in order. What is not `stored` was not stored at all. */
export type DeliveryResult =
  | { readonly status: 'stored'; readonly emailId: string; readonly threadId: string }
  /** Taken, and thrown away as the recipient's script wants it (RFC 5228 4.4). */
  | { readonly status: 'discarded' }
  /** Every recipient's script refuses it, and the sender is to be told why (RFC 5429). */
  | { readonly status: 'rejected'; readonly reason: string }
  | { readonly status: 'overQuota' | 'unknownAccount' }

/** A message handed in over SMTP submission. */
export interface SubmittedMessage {
  /** As received, with Date and Message-ID completed, Bcc removed. */
  readonly bytes: Uint8Array
  readonly mailFrom: string
  readonly recipients: readonly EnvelopeRecipient[]
  readonly parameters?: EnvelopeParameters
}

/** RFC 3461 RCPT parameters. */
export interface EnvelopeRecipient {
  readonly address: string
  readonly parameters?: EnvelopeParameters
}
export type EnvelopeParameters = { readonly [name: string]: string | null }

export type SubmitResult =
  | { readonly status: 'queued'; readonly emailId: string; readonly submissionId: string }
  | {
      readonly status: 'refused'
      readonly reason:
        | 'forbiddenFrom'
        | 'forbiddenToSend'
        | 'tooManyRecipients'
        | 'overQuota'
        | 'rateLimit'
        | 'invalidEmail'
        | 'tooLarge'
      readonly description: string
    }

/** What is to go to one destination of an EmailSubmission, and whose time has come: leased to a worker. */
export interface QueuedSubmission {
  readonly account: number
  readonly organization: number
  /** Object number of the EmailSubmission, and its id. */
  readonly submission: number
  readonly submissionId: string
  /** Domain of the recipients, as A-labels in lower case. */
  readonly destination: string
  readonly mailFrom: string
  /** The domain under which each recipient gets a return address of its own; null: `mailFrom` is that of all. */
  readonly returnDomain: string | null
  /** `smtp://user:password@host:port` that the sender's domain has all its mail go to; null: none. */
  readonly relay: string | null
  readonly parameters: EnvelopeParameters
  /** Those that are still open. */
  readonly recipients: readonly QueuedRecipient[]
  /** Epoch ms of the submission (sendAt), from which expiry counts. */
  readonly queuedAt: number
  /** Attempts made before this one. */
  readonly attempts: number
  /** The message to send, as stored: Bcc already removed. */
  readonly bytes: Uint8Array
  /** The DKIM keys of the domain of From; each signs. */
  readonly dkim: readonly DkimKey[]
  /** Fencing token: a report with another one is ignored, so a worker that lost its lease changes nothing. */
  readonly lease: string
}

export interface QueuedRecipient {
  /** Which one it is in the envelope, from 0. */
  readonly position: number
  readonly address: string
  readonly parameters: EnvelopeParameters
}

/** What of the queue a worker has. */
export type HeldSubmission = Pick<QueuedSubmission, 'account' | 'submission' | 'destination' | 'lease'>

/** What a worker has under way, and how much of it may be for one destination and of one organization. */
export interface QueueRoom {
  readonly perDestination: number
  readonly perOrganization: number
  readonly destinations: readonly (readonly [name: string, count: number])[]
  readonly organizations: readonly (readonly [organization: number, count: number])[]
}

export interface DkimKey {
  readonly domain: string
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  /** PKCS#8 PEM. */
  readonly privateKey: string
}

/** What became of the open recipients of one destination in one attempt. */
export interface AttemptReport {
  readonly account: number
  readonly submission: number
  readonly lease: string
  readonly outcomes: readonly RecipientOutcome[]
  /** Epoch ms of the next attempt for those `deferred`; null when none is left open. */
  readonly retryAt: number | null
}

export interface RecipientOutcome {
  readonly address: string
  /** `sent`: the next hop took it. `refused`: permanent, or expired. `deferred`: tried again at retryAt. */
  readonly status: 'sent' | 'refused' | 'deferred'
  /** The server's reply as RFC 8621 7 (DeliveryStatus.smtpReply) wants it: one line `550 5.1.1 text`, made up by us for failures without a reply. */
  readonly smtpReply: string
  /** Host that said so, for the record; null: this server, which put what is `sent` into the mailbox itself. */
  readonly host: string | null
}

/** The MTA-STS policy of a domain that mail goes to. */
export interface KeptPolicy {
  /** Of the domain's record when it was fetched. */
  readonly id: string
  readonly text: string
  /** Epoch ms until which it has to be kept to. */
  readonly until: number
}

export interface TransportPolicies {
  /** null: none is known. It may have run out. */
  find(domain: string): Promise<KeptPolicy | null>
  keep(domain: string, policy: KeptPolicy): Promise<void>
}

/** A page of octets of a blob. */
export interface Download {
  readonly bytes: Uint8Array
  /** Octets of the whole blob; `bytes` are those of the range asked for. */
  readonly size: number
  readonly type: string
}

export interface UploadResult {
  readonly accountId: string
  readonly blobId: string
  readonly type: string
  readonly size: number
}

/** New states after a commit: what push and the workers' bells hear. */
export interface StateChange {
  readonly account: number
  readonly accountId: string
  /** Type name to new state, for the types that changed. */
  readonly changed: { readonly [typeName: string]: string }
}

/** What is to be done about a message of a WebSocket: RFC 8887 4.3. */
export type SocketAnswer =
  /** A Response or a RequestError, to be sent. */
  | { readonly kind: 'text'; readonly text: string }
  /** A Request that was not run. */
  | { readonly kind: 'busy'; readonly requestId: string | null }
  | { readonly kind: 'pushEnable'; readonly types: readonly string[] | null; readonly since: string | null }
  | { readonly kind: 'pushDisable' }

export interface Core {
  /** Runs a request that is already known to be a Request (jmap/protocol/request.ts parses and judges the octets). */
  /** @param once for what must not come about again when the request is repeated after a crash */
  process(principal: Principal, request: JmapRequest, once?: Once): Promise<JmapResponse | RequestProblem>
  /** The same from and to JSON octets, for HTTP: the answer of hot methods is put together as text (performance.md, layout 6). */
  processText(principal: Principal, body: Uint8Array): Promise<{ status: number; body: string }>
  /** A message of a WebSocket, in JSON octets. @param mayRun whether a Request may be run, as far as its client's limit tells */
  processMessage(principal: Principal, message: Uint8Array, mayRun: boolean): Promise<SocketAnswer>
  /** RFC 8620 2, with URLs made absolute from `baseUrl`. */
  session(principal: Principal, baseUrl: string): Promise<JsonObject>
  upload(principal: Principal, accountId: string, type: string, bytes: Uint8Array): Promise<UploadResult | null>
  /** null: no such blob for this principal in this account. */
  download(
    principal: Principal,
    accountId: string,
    blobId: string,
    range?: { start: number; end: number },
  ): Promise<Download | null>

  authenticate(credential: Credential): Promise<Principal | null>
  /** Why an API key that is there was refused, for those who have it; null: there is no such key. */
  refusalOf(token: string, ip: string): Promise<KeyRefusal | null>
  /** Makes an organization's account; its domains, mailboxes and keys are then made by JMAP calls in it. */
  createOrganization(name: string): Promise<{ readonly account: number; readonly accountId: string }>
  organizations(): Promise<{ readonly account: number; readonly accountId: string; readonly name: string }[]>

  recipients(addresses: readonly string[]): Promise<RecipientVerdict[]>
  ingest(messages: readonly InboundMessage[]): Promise<DeliveryResult[][]>
  submit(principal: Principal, message: SubmittedMessage): Promise<SubmitResult>

  /** @param room what the worker has under way; without it nothing is too much */
  claimSubmissions(owner: string, limit: number, leaseMs: number, room?: QueueRoom): Promise<QueuedSubmission[]>
  /** Makes leases last `leaseMs` from now; those that are still held. */
  renewSubmissions(held: readonly HeldSubmission[], leaseMs: number): Promise<readonly HeldSubmission[]>
  reportAttempts(reports: readonly AttemptReport[]): Promise<void>
  /** Epoch ms when the first submission falls due, or fell due; null: none. */
  nextSubmissionAt(): Promise<number | null>

  readonly transportPolicies: TransportPolicies

  /** Calls `listener` after each commit, in this process, and on PostgreSQL after those of other nodes. Returns what stops it. */
  onStateChange(listener: (change: StateChange) => void): () => void
  readonly push: Push
  close(): Promise<void>
}
