import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'
import { calendarOf } from './support.ts'

const { mailbox, core, organization, request, key, domainId } = await startCore(t)
const hello = await mailbox('hello')
const calendarIds = { [await calendarOf(hello)]: true }

t.test('the session shows the capabilities, with the own principal (RFC 9670 1.5)', async (t) => {
  const session = await core.session(hello.principal, 'http://localhost')
  const { accounts, primaryAccounts } = session as {
    accounts: { [id: string]: { accountCapabilities: object } }
    primaryAccounts: object
  }
  const { list } = await hello.call('Principal/get', { ids: null })
  const principalId = list[0].id
  t.match(accounts[hello.accountId]!.accountCapabilities, {
    'urn:ietf:params:jmap:calendars': {
      maxCalendarsPerEvent: 50,
      minDateTime: '1600-01-01T00:00:00Z',
      maxExpandedQueryDuration: 'P366D',
      maxParticipantsPerEvent: 500,
      mayCreateCalendar: true,
    },
    'urn:ietf:params:jmap:principals': { currentUserPrincipalId: principalId },
    'urn:ietf:params:jmap:principals:owner': { accountIdForPrincipal: hello.accountId, principalId },
    'urn:ietf:params:jmap:principals:availability': { maxAvailabilityDuration: 'P62D' },
  })
  t.match(primaryAccounts, { 'urn:ietf:params:jmap:calendars': hello.accountId })
  t.match(list[0], {
    type: 'individual',
    email: hello.address,
    capabilities: {
      'urn:ietf:params:jmap:calendars': {
        accountId: hello.accountId,
        mayGetAvailability: true,
        calendarAddress: `mailto:${hello.address}`,
      },
    },
  })
})

t.test('the own principal is found by its address (RFC 9670 2.4)', async (t) => {
  const find = async (filter: JsonObject | null) => (await hello.call('Principal/query', { filter })).ids.length
  t.equal(await find(null), 1)
  t.equal(await find({ calendarAddress: `MAILTO:${hello.address.toUpperCase()}` }), 1)
  t.equal(await find({ calendarAddress: 'mailto:other@example.test' }), 0)
  t.equal(await find({ text: 'hello' }), 1)
  t.equal(await find({ type: 'group' }), 0)
})

t.test(
  'participant identities are addresses of the account, one of them the default (draft-ietf-jmap-calendars 3)',
  async (t) => {
    const { list } = await hello.call('ParticipantIdentity/get', { ids: null })
    t.match(list, [{ calendarAddress: `mailto:${hello.address}`, isDefault: true }])
    const set = (args: object) => hello.call('ParticipantIdentity/set', { ...args })
    const tagged = { calendarAddress: 'mailto:hello+work@example.test', name: 'Work' }
    t.match((await set({ create: { c: { calendarAddress: 'mailto:ada@example.org' } } })).notCreated.c, {
      type: 'forbidden',
    })
    t.match((await set({ destroy: [list[0].id] })).notDestroyed[list[0].id], { type: 'forbidden' })
    const made = await set({ create: { c: tagged }, onSuccessSetIsDefault: '#c' })
    t.equal(made.created.c.isDefault, true)
    t.same(made.updated, { [list[0].id]: { isDefault: false } })
    const event = { calendarIds, start: '2031-01-01T10:00:00', participants: { a: { name: 'Ada' } } }
    const { created } = await hello.call('CalendarEvent/set', { create: { e: event } })
    t.equal(created.e.organizerCalendarAddress, tagged.calendarAddress, 'the default organizes')
    t.same((await set({ destroy: [made.created.c.id] })).destroyed, [made.created.c.id])
    t.equal((await hello.call('ParticipantIdentity/get', { ids: null })).list[0].isDefault, true)
    const rename = { accountId: organization.accountId, update: { [hello.accountId]: { displayName: 'Hello There' } } }
    await request([['MailAccount/set', rename]])
    t.equal((await hello.call('ParticipantIdentity/get', { ids: null })).list[0].name, 'Hello There')
  },
)

t.test('an identity goes with the alias whose address it has, and another one becomes the default', async (t) => {
  const { accountId } = organization
  const alias = { domainId, localPart: 'sales', mailboxId: hello.accountId }
  const [aliased] = await request([['Alias/set', { accountId, create: { a: alias } }]])
  const create = { c: { calendarAddress: 'mailto:sales@example.test' } }
  const made = await hello.call('ParticipantIdentity/set', { create, onSuccessSetIsDefault: '#c' })
  t.equal(made.created.c.isDefault, true)
  await request([['Alias/set', { accountId, destroy: [(aliased as Result)[1].created.a.id] }]])
  const { list } = await hello.call('ParticipantIdentity/get', {
    ids: null,
    properties: ['calendarAddress', 'isDefault'],
  })
  t.match(list, [{ calendarAddress: `mailto:${hello.address}`, isDefault: true }])
  t.equal(list.length, 1)
})

t.test('Principal/getAvailability merges what has no details (draft-ietf-jmap-calendars 2.2)', async (t) => {
  const me = (participationStatus: string) => ({
    me: { calendarAddress: `mailto:${hello.address}`, roles: { attendee: true }, participationStatus },
  })
  const at = (hour: number, more: object = {}) => ({
    calendarIds,
    title: `At ${hour}`,
    start: `2026-09-01T${String(hour).padStart(2, '0')}:00:00`,
    duration: 'PT1H',
    timeZone: 'Etc/UTC',
    ...more,
  })
  const { notCreated } = await hello.call('CalendarEvent/set', {
    create: {
      plain: at(8),
      next: at(9),
      accepted: at(9, { duration: 'PT30M', participants: me('accepted') }),
      maybe: at(12, { status: 'tentative' }),
      no: at(13, { participants: me('declined') }),
      free: at(14, { freeBusyStatus: 'free' }),
      off: at(15, { status: 'cancelled' }),
      hidden: at(16, { privacy: 'secret' }),
      draft: at(17, { isDraft: true }),
      repeated: at(20, { recurrenceRule: { frequency: 'daily' }, privacy: 'private' }),
    },
  })
  t.equal(notCreated, null)
  const [{ id }] = (await hello.call('Principal/get', { ids: null })).list
  const ask = (args: object = {}) =>
    hello.call('Principal/getAvailability', {
      id,
      utcStart: '2026-09-01T00:00:00Z',
      utcEnd: '2026-09-02T00:00:00Z',
      ...args,
    })
  const shown = ({ list }: { list: { utcStart: string; utcEnd: string; busyStatus: string }[] }) =>
    list.map(({ utcStart, utcEnd, busyStatus }) => `${utcStart.slice(11, 16)}-${utcEnd.slice(11, 16)} ${busyStatus}`)
  t.same(shown(await ask()), [
    '08:00-09:00 unavailable',
    '09:00-09:30 confirmed',
    '09:30-10:00 unavailable',
    '12:00-13:00 tentative',
    '20:00-21:00 unavailable',
  ])
  const { list } = await ask({ showDetails: true, eventProperties: ['id', 'title'] })
  t.same(
    list.map(({ event }: { event: { title: string } | null }) => event?.title ?? null),
    ['At 8', 'At 9', 'At 9', 'At 12', null],
    'a private event shows none',
  )
  t.equal(list[0].accountId, hello.accountId)
  t.match(await ask({ utcEnd: '2026-12-01T00:00:00Z' }), { type: 'tooLarge' })
  t.match(await ask({ id: 'prn_none' }), { type: 'notFound' })
  t.match(await ask({ utcEnd: '2026-08-01T00:00:00Z' }), { type: 'invalidArguments', arguments: ['utcEnd'] })
  const [calendar] = Object.keys(calendarIds)
  await hello.call('Calendar/set', { update: { [calendar!]: { includeInAvailability: 'attending' } } })
  t.same(shown(await ask()), ['09:00-09:30 confirmed'])
  await hello.call('Calendar/set', { update: { [calendar!]: { includeInAvailability: 'all', isSubscribed: false } } })
  t.same(shown(await ask()), [])
})

t.test('an API key needs the scopes of calendars (decision D6)', async (t) => {
  const asked = async (scopes: string[], calls: [string, object][]) => {
    const { principal } = await key({ scopes })
    const answers = await request(
      calls.map(([name, args]) => [name, { accountId: hello.accountId, ...args }]),
      principal,
    )
    return answers.map(([name, { type }]) => (name === 'error' ? type : 'done'))
  }
  const calls: [string, object][] = [
    ['Calendar/get', { ids: null }],
    ['CalendarEvent/query', {}],
    ['CalendarEvent/set', {}],
  ]
  t.same(await asked(['calendar:read'], calls), ['done', 'done', 'accountReadOnly'])
  t.same(await asked(['calendar:read', 'calendar:write'], calls), ['done', 'done', 'done'])
  t.same(await asked(['messages:read'], calls), ['forbidden', 'forbidden', 'accountReadOnly'])
})
