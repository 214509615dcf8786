/**
 * What the core offers to HTTP, REST, SMTP and the workers, as one table. A line names the function that runs, whether it may write,
 * and whether octets are transferred between threads. The interface `Core`, the core in one thread (in-process-core.ts) and the core
 * with several (server/threads/threaded-core.ts) derive from it. Arguments and results are plain data; only `reads` may take
 * functions.
 */

import type { IdCodec } from '../server/base/ids.ts'
import type { Principal } from '../server/base/principal.ts'
import type { KeyedSort } from '../storage/repos/email-sort-keys.ts'
import { nextDue } from '../storage/repos/outgoing-leases.ts'
import { actOnFake, fakePage, setFake } from './billing/fake-provider.ts'
import { claimBilling, nextBillingTime, renewBilling } from './billing/queue.ts'
import { receiveBillingEvent } from './billing/receive-event.ts'
import { settleBilling, settleNow } from './billing/settle.ts'
import { download, upload } from './blob-transfer.ts'
import { book, readPage, readSlots } from './bookings/book.ts'
import {
  cancelBooking,
  confirmBooking,
  moveBooking,
  readBooking,
  readInvitation,
  readMoveSlots,
} from './bookings/manage-booking.ts'
import { readLogo } from './bookings/public-page.ts'
import { claimBookings, nextBookingTime, sendDue } from './bookings/reminders.ts'
import { reportMeeting } from './bookings/report-meeting.ts'
import { claimMeetings, nextMeetingTime, renewMeetings } from './calendars/conferencing/meeting-queue.ts'
import { findFeed, readFeedPage } from './calendars/feed/read-feed.ts'
import { fireReminders } from './calendars/reminders/fire.ts'
import { planReminders, type ReminderPlan } from './calendars/reminders/plan.ts'
import { claimReminders, nextReminderTime, type ReminderTurn } from './calendars/reminders/queue.ts'
import {
  claimScheduling,
  nextSchedulingTime,
  renewScheduling,
  sendScheduling,
} from './calendars/scheduling/outgoing-queue.ts'
import { ingest, judgeRecipients } from './delivery/ingest.ts'
import { claimLate, nextLateTime, renewLate, takeLate } from './delivery/late-calendars.ts'
import { claimDrafts, nextDraftTime, renewDrafts, reportDraft } from './delivery/model-drafts.ts'
import { directRequest } from './direct-request.ts'
import { authenticate, refusalOf, renewPrincipal } from './directory/authentication.ts'
import { noteKeyUse } from './directory/key-use.ts'
import { createOrganizationAccount, listOrganizationAccounts } from './directory/organization-accounts.ts'
import { keepVerifier } from './directory/password-renewal.ts'
import { abandonSlot, beginSlot, extendLease, finishSlot } from './idempotency.ts'
import {
  beginImport,
  completeImport,
  failImport,
  finishFolder,
  giveWay,
  pauseFull,
  pauseImport,
  retryImport,
} from './imports/progress.ts'
import { claimImports, nextImportTime, renewImports } from './imports/queue.ts'
import { completeUpload, findUpload, forgetStaged, placesInUse } from './imports/staged-files.ts'
import { storeItems } from './imports/store-items.ts'
import { retryUndo, undoSome } from './imports/undo.ts'
import { prepareSort } from './mail/email/sort-keys.ts'
import { indexAccount } from './mail/search/indexer.ts'
import { claimSubmissions } from './mail/submission/queue.ts'
import { renewSubmissions } from './mail/submission/queue-leases.ts'
import { reportAttempts } from './mail/submission/queue-report.ts'
import { type SubmittedMessage, submitMessage } from './mail/submission/submit.ts'
import { findPolicy, keepPolicy } from './mail/submission/transport-policies.ts'
import { maintain, maintainedAt } from './maintenance/maintenance.ts'
import { sweep } from './maintenance/sweep.ts'
import { readArchiveIndex, readArchivePage } from './newsletters/archive/read-archive.ts'
import { findMedia, readMedia } from './newsletters/asset/read-media.ts'
import { claimAudienceRemovals, nextRemovalTime, runAudienceRemoval } from './newsletters/audience/removal.ts'
import { readRecipientChoice } from './newsletters/links/choice.ts'
import { chooseAsRecipient } from './newsletters/links/choose.ts'
import { claimNewsletters, nextNewsletterTime, runNewsletter } from './newsletters/sending/run.ts'
import { confirmSignUp, readSignUp } from './newsletters/sign-up/confirm.ts'
import { readSignUpPage } from './newsletters/sign-up/page.ts'
import { requestSignUp } from './newsletters/sign-up/sign-up.ts'
import { writeExpiryLetter } from './notices/expiry-letters.ts'
import { mailOwners } from './notices/usage-mails.ts'
import { charge, refund } from './policy/billing/charges.ts'
import { claimChecks, nextCheckTime, renewChecks, runCheck } from './policy/domain/checks.ts'
import { domainQueue, renewDomainWork, runDomainWork } from './policy/registration/work.ts'
import { evaluateReputations } from './policy/reputation/evaluate.ts'
import {
  type Placement,
  placeMessage,
  placeRequest,
  placeText,
  processMessage,
  processRequest,
  processText,
} from './process-request.ts'
import { onMissedChanges, type StateChange } from './push/state-changes.ts'
import { stateSnapshot } from './push/state-snapshot.ts'
import { claimPushes, markPushesDue, nextPushTime, reportPushes } from './push/subscription/deliveries.ts'
import { type AnyCall, type CoreParts, placed, reads, type Service, writes } from './service.ts'
import type { Services, VapidKeys } from './type/context.ts'
import type { Limits } from './type/limits.ts'
import { describeSession } from './type/session.ts'
import { keepOutcome } from './webhooks/outcome.ts'
import { claimWebhookDeliveries, nextDeliveryTime } from './webhooks/queue.ts'

/** Most are little work; many events that recur seldom are more. */
function placePlan(parts: Services, turn: ReminderTurn): Placement<Promise<ReminderPlan | null>> {
  return { run: (guard) => planReminders(parts, turn, guard), isLittle: false, kind: 'reminders' }
}

const [ORDERS, RECORDS, LETTERS] = [domainQueue('registration'), domainQueue('records'), domainQueue('letters')]

export const SERVICES = {
  /** Runs a Request. `once`: records its effects, so that they are not repeated when the request is repeated after a crash. */
  process: placed(processRequest, placeRequest, 3),
  /** The same from and to JSON octets. Responses of hot methods are built as text (spec/measured.md, HTTP and JSON). */
  processText: placed(processText, placeText, 2, { sent: 'given' }),
  /** A WebSocket message, in JSON octets. */
  processMessage: placed(processMessage, placeMessage, 3, { sent: 'copied' }),
  /** RFC 8620 2, with URLs made absolute from `baseUrl`. */
  session: reads((parts: CoreParts, principal: Principal, baseUrl: string) =>
    describeSession(parts, parts.registry, principal, baseUrl),
  ),
  upload: writes(upload, { sent: 'given' }),
  download: reads(download),

  /** null: the credential is wrong. */
  authenticate: reads(authenticate),
  refusalOf: reads(refusalOf),
  /** Records when an API key was last used. Never rejects. */
  noteKeyUse: writes(noteKeyUse),
  keepVerifier: writes(keepVerifier),
  createOrganization: writes(createOrganizationAccount),
  organizations: reads(listOrganizationAccounts),

  recipients: reads(judgeRecipients),
  ingest: writes(ingest, { sent: 'given' }),
  submit: writes(
    (parts: CoreParts, principal: Principal, message: SubmittedMessage) =>
      submitMessage(directRequest(parts, principal), message),
    { sent: 'given' },
  ),

  claimSubmissions: writes(claimSubmissions, { returned: 'given' }),
  renewSubmissions: writes(renewSubmissions),
  reportAttempts: writes(reportAttempts),
  /** Epoch ms when the first submission is or was due; null: there is none. */
  nextSubmissionAt: reads(({ store }: CoreParts) => store.read(nextDue)),
  transportPolicies: { find: reads(findPolicy), keep: writes(keepPolicy) },

  /** What invitees do on public booking pages. */
  bookings: {
    page: reads(readPage),
    slots: placed(readSlots, () => 'reader', 2),
    logo: reads(readLogo),
    book: writes(book),
    find: reads(readBooking),
    invitation: reads(readInvitation),
    moveSlots: placed(readMoveSlots, () => 'reader', 2),
    confirm: writes(confirmBooking),
    move: writes(moveBooking),
    cancel: writes(cancelBooking),
    nextDueAt: reads(nextBookingTime),
    claimDue: writes(claimBookings),
    sendDue: writes(sendDue),
  },
  /** Meetings at conferencing providers. */
  meetings: {
    nextAt: reads(nextMeetingTime),
    claim: writes(claimMeetings),
    renew: writes(renewMeetings),
    report: writes(reportMeeting),
  },
  /** What subscribers of calendars read. */
  calendarFeeds: {
    find: reads(findFeed),
    page: placed(readFeedPage, () => 'reader', 2),
  },
  /** Messages about events to their participants. */
  scheduling: {
    nextAt: reads(nextSchedulingTime),
    claim: writes(claimScheduling),
    renew: writes(renewScheduling),
    send: writes(sendScheduling),
  },
  /** Scheduling messages that could not be read while their mail was delivered. */
  lateCalendars: {
    nextAt: reads(nextLateTime),
    claim: writes(claimLate),
    renew: writes(renewLate),
    take: writes(takeLate),
  },
  domainChecks: {
    nextAt: reads(nextCheckTime),
    claim: writes(claimChecks),
    renew: writes(renewChecks),
    run: writes(runCheck),
  },
  /** Orders of domains: what they need at the registrar. */
  domainWork: {
    nextAt: reads(ORDERS.nextAt),
    claim: writes(ORDERS.claim),
    renew: writes(renewDomainWork),
    run: writes(runDomainWork),
  },
  /** Records that are written at DNS providers in the background. */
  domainRecords: {
    nextAt: reads(RECORDS.nextAt),
    claim: writes(RECORDS.claim),
    renew: writes(renewDomainWork),
    run: writes(runDomainWork),
  },
  /** Letters about domains that expire. */
  expiryLetters: {
    nextAt: reads(LETTERS.nextAt),
    claim: writes(LETTERS.claim),
    renew: writes(renewDomainWork),
    run: writes(writeExpiryLetter),
  },
  /** Subscriptions and payments (jmap/billing, jmap/policy/billing). */
  billing: {
    nextAt: reads(nextBillingTime),
    claim: writes(claimBilling),
    renew: writes(renewBilling),
    settle: writes(settleBilling),
    settleNow: writes(settleNow),
    receive: writes(receiveBillingEvent),
    charge: writes(charge),
    refund: writes(refund),
    /** The fake provider's pages. */
    fakePage: reads(fakePage),
    actOnFake: writes(actOnFake),
    setFake: writes(setFake),
  },
  modelDrafts: {
    nextAt: reads(nextDraftTime),
    claim: writes(claimDrafts),
    renew: writes(renewDrafts),
    report: writes(reportDraft),
  },
  /** Imports of mail, their undo, and the files that are staged for them. */
  imports: {
    nextAt: reads(nextImportTime),
    claim: writes(claimImports),
    renew: writes(renewImports),
    begin: writes(beginImport),
    store: writes(storeItems, { sent: 'given' }),
    finishFolder: writes(finishFolder),
    pause: writes(pauseImport),
    pauseFull: writes(pauseFull),
    retry: writes(retryImport),
    giveWay: writes(giveWay),
    fail: writes(failImport),
    complete: writes(completeImport),
    undo: writes(undoSome),
    retryUndo: writes(retryUndo),
    findUpload: reads(findUpload),
    completeUpload: writes(completeUpload),
    forgetStaged: writes(forgetStaged),
    placesInUse: reads(placesInUse),
  },
  /** Reminders of events. */
  reminders: {
    nextAt: reads(nextReminderTime),
    claim: writes(claimReminders),
    plan: placed(planReminders, placePlan, 1),
    fire: writes(fireReminders),
  },
  webhooks: {
    nextAt: reads(nextDeliveryTime),
    claim: writes(claimWebhookDeliveries),
    report: writes(keepOutcome),
  },
  /** The sending of newsletters. */
  audienceRemovals: {
    nextAt: reads(nextRemovalTime),
    claim: writes(claimAudienceRemovals),
    run: writes(runAudienceRemoval),
  },
  newsletters: {
    nextAt: reads(nextNewsletterTime),
    claim: writes(claimNewsletters),
    run: writes(runNewsletter),
  },
  /** What visitors do on sign-up pages of audiences. */
  signUps: {
    page: reads(readSignUpPage),
    request: writes(requestSignUp),
    find: reads(readSignUp),
    confirm: writes(confirmSignUp),
  },
  /** Newsletters for everybody. */
  archive: { page: reads(readArchivePage), index: reads(readArchiveIndex) },
  /** Images and videos of newsletters, for everybody who has their URLs. */
  media: { find: reads(findMedia), read: reads(readMedia) },
  /** What recipients of newsletters do by the links in them. */
  recipientLinks: { find: reads(readRecipientChoice), choose: writes(chooseAsRecipient) },
  push: {
    renew: reads(renewPrincipal),
    snapshot: reads(stateSnapshot),
    onMissedChanges: reads(onMissedChanges),
    nextAt: reads(nextPushTime),
    markDue: writes(markPushesDue),
    claim: writes(claimPushes),
    report: writes(reportPushes),
  },
  idempotency: {
    begin: writes(beginSlot),
    extend: writes(extendLease),
    finish: writes(finishSlot),
    abandon: writes(abandonSlot),
  },

  /** Brings an account's search index up to date. */
  drainIndex: writes(indexAccount),
  /** Lets the keys of a sort be made. Resolves before they are. */
  prepareSort: writes(async (parts: CoreParts, account: number, sort: KeyedSort) => prepareSort(parts, account, sort)),
  /** Lets the spam classifiers learn from all waiting marks. */
  drainMarks: writes(async ({ trainer }: CoreParts) => trainer?.settle()),
  evaluateReputations: writes(evaluateReputations),
  mailOwners: writes(mailOwners),
  sweep: writes(sweep),
  maintenance: { lastAt: reads(maintainedAt), run: writes(maintain) },

  /** Calls `listener` after each commit of this process and, on PostgreSQL, of other nodes. Returns a function that unsubscribes. */
  onStateChange: reads(({ stateChanges }: CoreParts, listener: (change: StateChange) => void) =>
    stateChanges.subscribe(listener),
  ),
} as const

/** The type of a function of the table without its first argument. */
type Call<R> = R extends (parts: never, ...args: infer Args) => infer Result ? (...args: Args) => Result : never

type CallsOf<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends { readonly access: string; readonly run: infer R }
    ? Call<R>
    : CallsOf<Table[Name]>
}

export type CoreCalls = CallsOf<typeof SERVICES>

export type Idempotency = CoreCalls['idempotency']

/** The core: a record of functions, so that a test can replace one of them by `{ ...core, ingest }`. */
export interface Core extends CoreCalls {
  readonly ids: IdCodec
  readonly limits: Limits
  readonly vapidKeys: VapidKeys
  close(): Promise<void>
}

/** The lines by path, such as `ingest` and `push.claim`. */
export const SERVICE_LINES: ReadonlyMap<string, Service> = new Map(
  Object.entries(SERVICES).flatMap(([name, entry]) =>
    'access' in entry
      ? [[name, entry as Service] as const]
      : Object.entries(entry).map(([of, line]) => [`${name}.${of}`, line as Service] as const),
  ),
)

/** The record of the calls. @param make makes one call from its line */
export function callsOf(make: (service: Service, path: string) => AnyCall): CoreCalls {
  const calls: { [name: string]: object } = {}
  for (const [path, service] of SERVICE_LINES) {
    const [name, of] = path.split('.') as [string, string?]
    const call = make(service, path)
    calls[name] = of === undefined ? call : { ...calls[name], [of]: call }
  }
  return calls as CoreCalls
}

/** Runs a call in this thread. */
export function runHere({ run }: Service, parts: CoreParts): AnyCall {
  return (...args) => (run as AnyCall)(parts, ...args)
}
