/** Accounts that must not know of each other: the asker, a neighbour in the organization, and another organization. */

import type { Invocation } from '../../../jmap/protocol/messages.ts'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import { insertStored } from '../../../jmap/type/object-store.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Principal, SYSTEM } from '../../../server/base/principal.ts'
import { type Result, type TestCore, type TestMailbox, USING } from '../../support/core.ts'
import { png } from '../../support/png.ts'
import { mail } from '../mails.ts'
import { KINDS, type Kind } from './kinds.ts'
import type { Side } from './recipes.ts'

/** Part of all data of others: no response may contain it. */
export const MARK = 'mark7f3a'

export interface Party extends Side {
  readonly principal: Principal
}

const scopes = [
  ...new Set([...createStandardRegistry().methods.values()].flatMap(({ access }) => (access ? [access.scope] : []))),
]

export interface Parties {
  /** Requests objects of others: its key is limited to two mailboxes. */
  readonly asker: Party
  readonly neighbour: Party
  readonly stranger: Party
}

export async function makeParties(test: TestCore): Promise<Parties> {
  const foreign = await test.organizationWith(`${MARK}.test`)
  const own = [await test.mailbox('asker'), await test.mailbox('asker-too')] as const
  const near = [await test.mailbox(MARK), await test.mailbox(`${MARK}-too`)] as const
  const far = [await foreign.mailbox(MARK), await foreign.mailbox(`${MARK}-too`)] as const
  const home = { accountId: test.organization.accountId, domainId: test.domainId }
  const limited = { mailboxIds: own.map(({ accountId }) => accountId) }
  return {
    asker: await makeParty(test, home, own, 'asker', limited),
    neighbour: await makeParty(test, home, near, MARK),
    stranger: await makeParty(test, foreign, far, MARK),
  }
}

async function makeParty(
  test: TestCore,
  organization: { readonly accountId: string; readonly domainId: string },
  [box, other]: readonly [TestMailbox, TestMailbox],
  mark: string,
  limits: JsonObject = {},
): Promise<Party> {
  const { accountId: organizationId, domainId } = organization
  const create = { k: { name: mark, scopes, ...limits }, spare: { name: mark, scopes } }
  const [made] = await test.request([['ApiKey/set', { accountId: organizationId, create }]])
  const { k, spare } = (made as Result)[1].created
  const alias = { a: { domainId, localPart: `${mark}-alias`, mailboxId: box.accountId } }
  const [aliased] = await test.request([['Alias/set', { accountId: organizationId, create: alias }]])
  const suppress = { s: { email: `${mark}@example.org` } }
  const [suppressed] = await test.request([['Suppression/set', { accountId: organizationId, create: suppress }]])
  const hook = { w: { url: `https://${mark}.example.org/`, events: ['domain.verified'] } }
  const [hooked] = await test.request([['Webhook/set', { accountId: organizationId, create: hook }]])
  const webhookId = (hooked as Result)[1].created.w.id as string
  const [tested] = await test.request([['Webhook/test', { accountId: organizationId, webhookId }]])
  const lists = { a: { name: mark, consentSource: mark } }
  const [listed] = await test.request([['Audience/set', { accountId: organizationId, create: lists }]])
  const audienceId = (listed as Result)[1].created.a.id as string
  const subscribers = [{ email: `${mark}-reader@example.org`, displayName: mark }]
  await test.request([['Subscriber/add', { accountId: organizationId, audienceId, subscribers }]])
  const [members] = await test.request([['Subscriber/query', { accountId: organizationId, filter: { audienceId } }]])
  const out = { o: { email: `${mark}-out@example.org` } }
  const [opted] = await test.request([['OptOut/set', { accountId: organizationId, create: out }]])
  const draft = { n: { name: mark, subject: mark, audienceId, blocks: [{ type: 'paragraph', body: mark }] } }
  const [drafted] = await test.request([['Newsletter/set', { accountId: organizationId, create: draft }]])
  const [senders] = await test.request([['NewsletterDomain/get', { accountId: organizationId, ids: null }]])
  const picture = png({ width: 40, height: 40, paint: () => [mark.length, 0, 0, 255] })
  const uploaded = await test.core.upload(SYSTEM, organizationId, 'image/png', picture)
  const asset = { a: { filename: mark, blobIds: [uploaded!.blobId] } }
  const [pictured] = await test.request([['NewsletterAsset/set', { accountId: organizationId, create: asset }]])
  const page = { p: { name: mark, mailboxId: box.accountId } }
  const [paged] = await test.request([['BookingPage/set', { accountId: organizationId, create: page }]])
  const principal = (await test.core.authenticate({ kind: 'bearer', token: k.key, ip: '192.0.2.1' }))!
  const ids: { [kind in Kind]?: string } = {
    Organization: organizationId,
    Domain: domainId,
    MailAccount: box.accountId,
    ApiKey: spare.id,
    Alias: (aliased as Result)[1].created.a.id,
    Suppression: (suppressed as Result)[1].created.s.id,
    BookingPage: (paged as Result)[1].created.p.id,
    Audience: audienceId,
    Subscriber: (members as Result)[1].ids[0],
    OptOut: (opted as Result)[1].created.o.id,
    Newsletter: (drafted as Result)[1].created.n.id,
    NewsletterDomain: (senders as Result)[1].list[0].id,
    NewsletterAsset: (pictured as Result)[1].created.a.id,
    Webhook: webhookId,
    WebhookDelivery: (tested as Result)[1].deliveryId,
    ...(await fill(test, box, principal, mark)),
  }
  const otherEmailId = await other.receive(mail({ subject: `${mark} other lunch` }))
  const { CalendarEvent: otherEventId } = await fillCalendar(test, other, mark)
  const accounts = { accountId: box.accountId, otherAccountId: other.accountId, organizationId }
  return { principal, ...accounts, otherEmailId, otherEventId, ids }
}

const DATE = 'Thu, 1 Jan 2026 00:00:00 +0000'

/** One object of each kind in a mailbox account. */
async function fill(test: TestCore, box: TestMailbox, principal: Principal, mark: string) {
  const Email = await box.receive(mail({ subject: `${mark} lunch`, from: box.address, date: DATE }))
  const { threadId, blobId } = (await box.call('Email/get', { ids: [Email] })).list[0]
  const Identity = (await box.call('Identity/get', { ids: null })).list[0].id
  const envelope = {
    mailFrom: { email: box.address, parameters: { HOLDFOR: '600' } },
    rcptTo: [{ email: 'b@example.org' }],
  }
  const create = { s: { identityId: Identity, emailId: Email, envelope } }
  const EmailSubmission = (await box.call('EmailSubmission/set', { create })).created.s.id
  const upload = { create: { b: { data: [{ 'data:asText': `# ${mark}\nkeep;` }] } } }
  const script = (await box.call('Blob/upload', upload)).created.b.id
  const named = { create: { s: { name: mark, blobId: script } } }
  const SieveScript = (await box.call('SieveScript/set', named)).created.s.id
  const Quota = (await box.call('Quota/get', { ids: null })).list[0]?.id
  const push = { p: { deviceClientId: mark, url: `https://push.example.org/${mark}`, types: null } }
  const [, pushed] = await answer(test, principal, ['PushSubscription/set', { create: push }])
  return {
    Email,
    Thread: threadId,
    Blob: blobId,
    Identity,
    EmailSubmission,
    SieveScript,
    Mailbox: box.roles['inbox']!,
    Quota,
    PushSubscription: pushed.created?.p.id,
    ...(await fillCalendar(test, box, mark)),
    ...(await fillImports(test, box, mark)),
  }
}

/** An import that is over, and a file for another one. */
async function fillImports({ core }: TestCore, box: TestMailbox, mark: string) {
  const file = async (name: string): Promise<string> => {
    const create = { f: { fileName: `${mark}-${name}.mbox`, size: 1 } }
    const { id, uploadUrl } = (await box.call('ImportFile/set', { create })).created.f
    const upload = (await core.imports.findUpload(uploadUrl.split('/').at(-1)))!
    await core.imports.completeUpload(upload.account, upload.id)
    return id
  }
  const given = { sourceType: 'files', provider: 'generic', fileIds: [await file('used')] }
  const Import: string = (await box.call('Import/set', { create: { i: given } })).created.i.id
  await box.call('Import/cancel', { importId: Import })
  return { Import, ImportFile: await file('free') }
}

async function fillCalendar(test: TestCore, box: TestMailbox, mark: string) {
  const Calendar: string = (await box.call('Calendar/set', { create: { c: { name: mark } } })).created.c.id
  const event = { calendarIds: { [Calendar]: true }, title: mark, start: '2026-01-01T10:00:00', timeZone: 'Etc/UTC' }
  const CalendarEvent: string = (await box.call('CalendarEvent/set', { create: { e: event } })).created.e.id
  const address = { calendarAddress: `mailto:${box.address.replace('@', '+tag@')}`, name: mark }
  const ParticipantIdentity: string = (await box.call('ParticipantIdentity/set', { create: { i: address } })).created.i
    .id
  const jitsi = { provider: 'jitsi', urlTemplate: `https://${mark}.example.org/` }
  const connected = await box.call('ConferencingConnection/set', { create: { c: jitsi } })
  const ConferencingConnection: string = connected.created.c.id
  const Principal: string = (await box.call('Principal/get', { ids: null })).list[0].id
  const number = await notification(test, box, CalendarEvent, mark)
  const CalendarEventNotification = test.core.ids.encode(KINDS.CalendarEventNotification, box.account, number)
  const feed = { calendarId: Calendar }
  const CalendarFeed: string = (await box.call('CalendarFeed/set', { create: { f: feed } })).created.f.id
  return {
    Calendar,
    CalendarEvent,
    ParticipantIdentity,
    Principal,
    CalendarEventNotification,
    ConferencingConnection,
    CalendarFeed,
  }
}

/** Clients cannot make one. */
function notification({ store }: TestCore, box: TestMailbox, calendarEventId: string, mark: string): Promise<number> {
  return store.write([box.account], async (work) => {
    const unit = work.account(box.account)
    const id = unit.nextObject()
    const changedBy = { name: mark, email: null, principalId: null, calendarAddress: null }
    const created = '2026-01-01T00:00:00Z'
    const what = { type: 'created' as const, calendarEventId, isDraft: false, event: { title: mark }, eventPatch: null }
    const data = { created, changedBy, comment: mark, ...what }
    await insertStored(unit, KINDS.CalendarEventNotification, { id, data })
    return id
  })
}

/** The last response of a request with one call, or with several that it refers to. */
export async function answer(
  { core }: TestCore,
  principal: Principal,
  call: readonly [string, JsonObject],
  before: readonly Invocation[] = [],
  createdIds?: { [creationId: string]: string },
): Promise<readonly [string, Result, ...Invocation[]]> {
  const methodCalls: Invocation[] = [...before, [call[0], call[1], 'c']]
  const response = (await core.process(principal, {
    using: USING,
    methodCalls,
    ...(createdIds && { createdIds }),
  })) as Result
  const told = (response.methodResponses as Invocation[]).filter(([, , callId]) => callId === 'c')
  return [told[0]![0], told[0]![1], ...told.slice(1)]
}
