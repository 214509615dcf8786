/**
 * A core with at least one object of every type that can be created, and a key that may call every method: for tests of the whole
 * registry.
 */
import type { Test } from 'tap'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import type { Limits } from '../../jmap/type/limits.ts'
import type { Method } from '../../jmap/type/method.ts'
import type { RegisteredType } from '../../jmap/type/type-methods.ts'
import { faultOf } from '../../jmap/type/validate.ts'
import type { Json, JsonObject } from '../../server/base/json.ts'
import { type Result, startCore, type TestCore, type TestMailbox } from '../support/core.ts'
import { mail } from './mails.ts'

const registry = createStandardRegistry()

/** Values for required arguments; others get the emptiest value that fits. */
const REQUIRED: JsonObject = {
  sinceState: '0',
  sinceQueryState: '0',
  action: 'hold',
  emailId: 'none',
  webhookId: 'none',
  subscribers: [{}],
  deliveryId: 'none',
  importId: 'none',
  scheduledAt: '2100-01-01T00:00:00Z',
  plan: 'pro',
  returnUrl: 'https://app.example.com/',
  baseUrl: 'https://mail.example.com',
  id: 'none',
  keyword: 'acme',
  name: 'acme.com',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  utcStart: '2026-01-01T00:00:00Z',
  utcEnd: '2026-01-02T00:00:00Z',
}
const EMPTY: readonly Json[] = [[], {}, '', 0, false]

export interface Everything {
  readonly started: TestCore
  readonly hello: TestMailbox
  readonly types: readonly RegisteredType[]
  readonly methods: readonly Method[]
  /** The account that holds a type's or method's objects. */
  accountOf(accounts: 'organization' | 'mailbox'): string
  /** A call with all scopes; its response. */
  call(name: string, args: JsonObject): Promise<readonly [name: string, args: Result]>
  /** Many calls, in as few requests as the limits allow. */
  calls(all: readonly (readonly [string, JsonObject])[]): Promise<readonly (readonly [name: string, args: Result])[]>
  /** The required arguments of a method, with its account. */
  required(method: Method): JsonObject
}

export async function startEverything(t: Test, limits: Partial<Limits> = {}): Promise<Everything> {
  const started = await startCore(t, 'sqlite', limits)
  const { key, request, mailbox, organization, core } = started
  const hello = await mailbox('hello')
  const other = await mailbox('other')
  await fill(hello)
  const methods = [...registry.methods.values()]
  const scopes = [...new Set(methods.flatMap(({ access }) => access?.scope ?? []))]
  const { principal } = await key({ scopes })
  const accountOf: Everything['accountOf'] = (kind) => (kind === 'mailbox' ? hello.accountId : organization.accountId)
  const calls: Everything['calls'] = async (all) => {
    const answers: (readonly [string, Result])[] = []
    const perRequest = core.limits.maxCallsInRequest
    for (let i = 0; i < all.length; i += perRequest) {
      const page = await request([...all.slice(i, i + perRequest)] as [string, JsonObject][], principal)
      // Implicit calls have the id of their call.
      for (const [name, args] of page.filter(first)) answers.push([name, args])
    }
    return answers
  }
  return {
    started,
    hello,
    types: registry.types,
    methods,
    accountOf,
    calls,
    call: async (name, args) => (await calls([[name, args]]))[0]!,
    required({ access, args }) {
      const given: { [name: string]: JsonObject[string] } = access ? { accountId: accountOf(access.accounts) } : {}
      for (const [name, property] of Object.entries(args ?? {})) {
        if (property.default !== undefined || property.optional) continue
        const fitting = EMPTY.find((value) => !faultOf(property, value))
        given[name] = name === 'fromAccountId' ? other.accountId : (REQUIRED[name] ?? fitting ?? null)
      }
      return given
    },
  }
}

function first([, , id]: Invocation, i: number, all: readonly Invocation[]): boolean {
  return i === 0 || all[i - 1]![2] !== id
}

async function fill(box: TestMailbox): Promise<void> {
  for (const subject of ['First', 'Second', 'Third']) await box.receive(mail({ subject }))
  const upload = { create: { b: { data: [{ 'data:asText': 'keep;' }] } } }
  const blobId = (await box.call('Blob/upload', upload)).created.b.id
  await box.call('SieveScript/set', { create: { s: { blobId } }, onSuccessActivateScript: '#s' })
  const identityId = (await box.call('Identity/get', { ids: null })).list[0].id
  const draft = {
    mailboxIds: { [box.roles['drafts']!]: true },
    from: [{ email: box.address }],
    to: [{ email: 'ada@example.org' }],
  }
  const emailId = (await box.call('Email/set', { create: { e: draft } })).created.e.id
  await box.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })
  const calendar = (await box.call('Calendar/get', { ids: null })).list[0].id
  const event = { calendarIds: { [calendar]: true }, title: 'First', start: '2026-01-01T10:00:00', timeZone: 'Etc/UTC' }
  await box.call('CalendarEvent/set', { create: { e: event } })
}
