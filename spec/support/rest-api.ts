/** The whole REST API over a real core, through HTTP, for the tests of resources. */
import type { Test } from 'tap'
import type { Scope } from '../../jmap/directory/scopes.ts'
import type { Limits } from '../../jmap/type/limits.ts'
import { restIds } from '../../rest/access/ids.ts'
import { UNDECLARED } from '../../rest/pipeline/router.ts'
import { createRestRouter } from '../../rest/rest.ts'
import { type Logger, silentLogger } from '../../server/base/logger.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { type Result, startCore, type TestCore } from './core.ts'
import type { EngineName } from './engines.ts'
import { startRest, type TestAnswer, type TestServer, testDeps } from './rest-server.ts'

export interface TestApi extends Omit<TestCore, 'key'> {
  readonly server: TestServer
  /** As `server.ask`, with a key of all scopes by default. */
  readonly ask: TestServer['ask']
  /** A key of all scopes. */
  allKey(): Promise<string>
  /** An API key of the organization. */
  key(scopes: readonly Scope[], more?: { mailboxIds?: readonly string[] }): Promise<string>
  /** A key of all scopes of another organization, which has a domain and a mailbox. */
  stranger(): Promise<{ key: string; domainId: string; mailboxId: string }>
}

const ALL: readonly Scope[] = [
  'domains:read',
  'domains:write',
  'mailboxes:read',
  'mailboxes:write',
  'messages:read',
  'messages:write',
  'threads:read',
  'suppressions:read',
  'suppressions:write',
  'api_keys:read',
  'api_keys:write',
  'usage:read',
  'billing:read',
  'billing:write',
  'organization:read',
  'organization:write',
  'calendar:read',
  'calendar:write',
  'booking_pages:read',
  'booking_pages:write',
  'audiences:read',
  'audiences:write',
  'newsletters:read',
  'newsletters:write',
  'organization:read',
  'organization:write',
  'webhooks:read',
  'webhooks:write',
]

export async function startApi(
  t: Test,
  more: Parameters<typeof startCore>[3] = {},
  engine: EngineName = 'sqlite',
  limits: Partial<Limits> = {},
): Promise<TestApi> {
  const core = await startCore(t, engine, limits, more)
  const accountId = core.organization.accountId
  const makeKey = async (organization: string, scopes: readonly Scope[], more: object = {}): Promise<string> => {
    const create = { k: { name: 'test', scopes, ...more } }
    const [made] = await core.request([['ApiKey/set', { accountId: organization, create }]], SYSTEM)
    return (made as Result)[1].created.k.key
  }
  const key = await makeKey(accountId, ALL)
  const deps = testDeps(core.core, {
    ids: restIds(core.core.ids),
    clock: core.clock,
    logger: telling(t),
    idempotency: core.core.idempotency,
  })
  const server = await startRest(createRestRouter(deps), key)
  t.teardown(() => server.close())
  return {
    ...core,
    server,
    ask: server.ask,
    allKey: () => makeKey(accountId, ALL),
    key: (scopes, more) => makeKey(accountId, scopes, more),
    async stranger() {
      const { accountId: other } = await core.core.createOrganization('Another organization')
      const [domain, mailbox] = (await core.request([
        ['Domain/set', { accountId: other, create: { d: { name: 'other.test' } } }],
        ['MailAccount/set', { accountId: other, create: { m: { domainId: '#d', localPart: 'stranger' } } }],
      ])) as Result
      const strangerKey = await makeKey(other, ALL)
      return { key: strangerKey, domainId: domain[1].created.d.id, mailboxId: mailbox[1].created.m.id }
    },
  }
}

/** Writes internal failures to the output of the test. An answer that is not declared fails it. */
export function telling(t: Test): Logger {
  const error = (fields: object, message: string) =>
    message === UNDECLARED ? t.fail(message, fields) : t.comment(message, fields)
  return { ...silentLogger, error, child: () => telling(t) }
}

/** Field and code of each detail of a validation error. */
export function faults({ status, body }: TestAnswer): [string | null, string][] {
  if (status !== 422) throw new Error(`not a 422 but ${status}: ${JSON.stringify(body)}`)
  return body.error.details.map(({ field, code }: { field: string | null; code: string }) => [field, code])
}

/** A plain message to deliver. */
export function mail(fields: { [name: string]: string } = {}, text = 'Hello there.'): string {
  const all = {
    From: 'Jane Doe <jane@example.org>',
    To: 'alice@example.test',
    Subject: 'Greetings',
    'Message-ID': '<1@example.org>',
    Date: 'Thu, 1 Jan 2026 10:00:00 +0000',
    'Content-Type': 'text/plain; charset=utf-8',
    ...fields,
  }
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${text}\n`
}
