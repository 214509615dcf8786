/** A core with an organization, a verified domain and mailboxes. */
import type { Test } from 'tap'
import { type CoreOptions, createCore } from '../../jmap/in-process-core.ts'
import type { AnswerBody } from '../../jmap/protocol/answer-body.ts'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import type { Core } from '../../jmap/services.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import type { Limits } from '../../jmap/type/limits.ts'
import { objectTypes } from '../../jmap/type/registry.ts'
import type { ManualClock } from '../../server/base/clock.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { type Principal, SYSTEM } from '../../server/base/principal.ts'
import { faultsOf } from '../../storage/check/check-store.ts'
import type { Store } from '../../storage/ports.ts'
import { type EngineName, freshStore } from './engines.ts'

const REGISTRY = createStandardRegistry()

/** All capabilities. */
export const USING: readonly string[] = [...REGISTRY.capabilities.keys()]

/** For the consistency check. */
export const OBJECT_TYPES = objectTypes(REGISTRY)

export interface TestMailbox {
  readonly accountId: string
  readonly account: number
  readonly address: string
  readonly principal: Principal
  /** Ids of the system mailboxes by role. */
  readonly roles: { readonly [role: string]: string }
  /** One method call. Resolves with the arguments of its response, also of an error. */
  call(name: string, args: JsonObject): Promise<Result>
  /** Delivers a message to the inbox. Resolves with the id of the Email. */
  receive(raw: string | Uint8Array, receivedAt?: number): Promise<string>
}

/** Response arguments, loosely typed for tests. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
export type Result = any

export interface TestCore {
  readonly core: Core
  readonly store: Store
  readonly clock: ManualClock
  readonly organization: { readonly account: number; readonly accountId: string }
  readonly domainId: string
  /** A mailbox `name@example.test`, with the password `Secret123`. */
  mailbox(name: string): Promise<TestMailbox>
  /** Another organization with its own domain. */
  organizationWith(domain: string): Promise<TestOrganization>
  /** An API key of the organization, with its principal. */
  key(create: JsonObject): Promise<{ readonly id: string; readonly key: string; readonly principal: Principal }>
  /** Method calls by a principal, by default the system. Resolves with the responses. */
  request(calls: readonly [string, JsonObject][], principal?: Principal): Promise<readonly Invocation[]>
}

export interface TestOrganization {
  readonly account: number
  readonly accountId: string
  readonly domainId: string
  mailbox(name: string): Promise<TestMailbox>
}

export const PASSWORD = 'Secret123'

type CoreParts = Pick<
  CoreOptions,
  | 'registry'
  | 'mailHostTlsa'
  | 'hosting'
  | 'domainDns'
  | 'registrar'
  | 'dnsProviders'
  | 'hasModel'
  | 'limits'
  | 'webhookTargets'
  | 'zoomFault'
  | 'imapLogin'
  | 'fetchImage'
  | 'messageWork'
  | 'videoFrame'
  | 'keyring'
  | 'billing'
> & {
  /** Wraps the core's store. */
  readonly aroundStore?: (store: Store) => Store
}

/** The core is closed after `t`, which fails if the store is inconsistent then. */
export async function startCore(
  t: Pick<Test, 'teardown'>,
  engine: EngineName = 'sqlite',
  limits: Partial<Limits> = {},
  { aroundStore = (store) => store, ...more }: CoreParts = {},
): Promise<TestCore> {
  const { store: opened, clock } = await freshStore(t, engine)
  const store = aroundStore(opened)
  const core = await createCore({ store, clock, logger: silentLogger, limits, verifyReservedDomains: true, ...more })
  t.teardown(async () => {
    // Teardowns run in reverse order: the store is still open.
    const faults = await faultsOf(store, objectTypes(more.registry ?? REGISTRY))
    await core.close()
    if (faults.length > 0) throw new Error(`the store is not consistent:\n${faults.join('\n')}`)
  })
  const request: TestCore['request'] = async (calls, principal = SYSTEM) => {
    const methodCalls = calls.map(([name, args], i): Invocation => [name, args, String(i)])
    const response = await core.process(principal, { using: USING, methodCalls })
    if (!('methodResponses' in response)) throw new Error(JSON.stringify(response))
    return response.methodResponses
  }
  const organizationWith: TestCore['organizationWith'] = async (domain) => {
    const made = await core.createOrganization(`Organization of ${domain}`)
    const { accountId } = made
    const [answer] = await request([['Domain/set', { accountId, create: { d: { name: domain } } }]])
    const domainId = (answer as Result)[1].created.d.id as string
    return { ...made, domainId, mailbox: (name) => makeMailbox(core, request, accountId, domainId, name) }
  }
  const organization = await organizationWith('example.test')
  return {
    core,
    store,
    clock,
    organization,
    domainId: organization.domainId,
    request,
    mailbox: organization.mailbox,
    organizationWith,
    async key(create) {
      const { accountId } = organization
      const [answer] = await request([['ApiKey/set', { accountId, create: { k: { name: 'Test key', ...create } } }]])
      const { id, key } = (answer as Result)[1].created.k as { id: string; key: string }
      const principal = await core.authenticate({ kind: 'bearer', token: key, ip: '192.0.2.1' })
      if (!principal) throw new Error('the key does not work')
      return { id, key, principal }
    },
  }
}

async function makeMailbox(
  core: Core,
  request: TestCore['request'],
  organizationId: string,
  domainId: string,
  localPart: string,
): Promise<TestMailbox> {
  const create = { m: { domainId, localPart, password: PASSWORD } }
  const [made] = await request([['MailAccount/set', { accountId: organizationId, create }]])
  const { id: accountId, address } = (made as Result)[1].created.m as { id: string; address: string }
  const account = core.ids.accountNumber('mailbox', accountId)!
  const organization = core.ids.accountNumber('organization', organizationId)!
  const principal: Principal = {
    kind: 'mailbox',
    organization,
    mailboxes: [account],
    ownsOrganization: false,
    scopes: null,
    username: address,
    credential: accountId,
  }
  const call: TestMailbox['call'] = async (name, args) => {
    const [response] = await request([[name, { accountId, ...args }]], principal)
    return response![1]
  }
  const { list } = await call('Mailbox/get', { ids: null })
  const roles = Object.fromEntries((list as { role: string; id: string }[]).map(({ role, id }) => [role, id]))
  return {
    accountId,
    account,
    address,
    principal,
    roles,
    call,
    async receive(raw, receivedAt = Date.UTC(2026, 0, 1)) {
      // The core takes them over.
      const bytes = typeof raw === 'string' ? Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n')) : Buffer.from(raw)
      const recipients = [{ account, address }]
      const [results] = await core.ingest([{ bytes, recipients, receivedAt, mailFrom: 'sender@example.org' }])
      const [result] = results!
      if (result?.status !== 'stored') throw new Error(`not stored: ${result?.status}`)
      return result.emailId
    },
  }
}

/** The body of an answer, parsed. */
export function parseBody(body: AnswerBody): Result {
  return JSON.parse(typeof body === 'string' ? body : Buffer.concat(body).toString())
}
