/** A method as the dispatcher knows it, and how a type's methods come to be. */
import { mayUseMailbox } from '../../server/base/principal.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { type AccountRef, MethodContext, type RequestContext } from '../context.ts'
import { invalidArguments, MethodError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseArguments } from '../protocol/json-text.ts'
import type { TypeDefinition } from './define-type.ts'
import type { Properties } from './property.ts'
import { faultOf } from './validate.ts'

export interface Method {
  readonly name: string
  readonly capability: string
  /** Whether it may write: such calls run where the writer is (server/threads). */
  readonly writes: boolean
  /** In which accounts it works, and the scope that an API key needs for it; null: in none, for everyone. */
  readonly access: MethodAccess | null
  /** What it takes beside accountId; null: anything. */
  readonly args: Properties | null
  run(request: RequestContext, args: JsonObject): Promise<ResponseArguments>
}

export interface MethodAccess {
  readonly accounts: TypeDefinition['accounts']
  readonly scope: string
}

/** A verb beyond the six, in an account (Email/import, Thread/query ...). */
export function defineMethod(spec: {
  name: string
  capability: string
  accounts: 'organization' | 'mailbox'
  scope: string
  writes: boolean
  args: Properties
  run(method: MethodContext, args: JsonObject): Promise<ResponseArguments>
}): Method {
  return {
    name: spec.name,
    capability: spec.capability,
    writes: spec.writes,
    access: { accounts: spec.accounts, scope: spec.scope },
    args: spec.args,
    async run(request, args) {
      const checked = checkArguments(spec.args, args)
      const account = await openAccount(request, args['accountId'], spec)
      return spec.run(new MethodContext(request, account), checked)
    },
  }
}

/** Arguments with defaults filled in. @throws MethodError invalidArguments naming those at fault */
export function checkArguments(properties: Properties, args: JsonObject): JsonObject {
  const checked: { [name: string]: JsonObject[string] } = {}
  for (const name of Object.keys(args)) {
    if (name !== 'accountId' && !Object.hasOwn(properties, name))
      throw invalidArguments(`There is no argument '${name.slice(0, 100)}'.`, [name])
  }
  for (const [name, property] of Object.entries(properties)) {
    const value = args[name]
    if (value === undefined) {
      if (property.default !== undefined) checked[name] = property.default
      else if (!property.optional) throw invalidArguments(`The argument '${name}' is missing.`, [name])
      continue
    }
    const fault = faultOf(property, value)
    if (fault) throw invalidArguments(`The argument '${name}' ${fault}.`, [name])
    checked[name] = value
  }
  if (args['accountId'] !== undefined) checked['accountId'] = args['accountId']
  return checked
}

/** The account of a call, if this principal may use it so. RFC 8620 3.6.2 */
export async function openAccount(
  request: RequestContext,
  accountId: unknown,
  { accounts, scope, writes }: MethodAccess & Pick<Method, 'writes'>,
): Promise<AccountRef> {
  if (typeof accountId !== 'string') throw invalidArguments('The argument accountId is missing.', ['accountId'])
  const account = await findAccountRef(request, accountId)
  if (!account) throw new MethodError('accountNotFound')
  if (account.kind !== accounts) throw new MethodError('accountNotSupportedByMethod')
  // RFC 8620 3.6.2: said of the account where the principal may write nothing at all, as the session tells it.
  if (writes && request.isReadOnly(account.kind)) throw new MethodError('accountReadOnly')
  requireScope(request, scope)
  return account
}

/** @throws MethodError forbidden */
export function requireScope({ principal }: RequestContext, scope: string): void {
  if (principal.scopes && !principal.scopes.includes(scope))
    throw new MethodError('forbidden', `The key lacks the scope ${scope}.`)
}

/** The account that the calls of a request were last about: most requests are about one. */
const lastAccounts = new WeakMap<RequestContext, AccountRef>()

/** A call that writes may have ended the account, or renamed it. */
export function forgetAccount(request: RequestContext): void {
  lastAccounts.delete(request)
}

/** An account that this principal may see, else null: the same answer as for one that does not exist. */
export async function findAccountRef(request: RequestContext, accountId: string): Promise<AccountRef | null> {
  const last = lastAccounts.get(request)
  if (last?.id === accountId) return last
  const found = await lookUpAccount(request, accountId)
  if (found) lastAccounts.set(request, found)
  return found
}

async function lookUpAccount(request: RequestContext, accountId: string): Promise<AccountRef | null> {
  const { ids } = request.services
  const decoded = ids.decode('MailAccount', accountId) ?? ids.decode('Organization', accountId)
  if (decoded?.object !== 0 || decoded.part !== 0) return null
  // Refused without a look, so that whether it is there cannot be told by the time that takes.
  const { mailboxes, organization } = request.principal
  if (mailboxes !== 'all' && decoded.account !== organization && !mailboxes.includes(decoded.account)) return null
  const row = await request.reads.read((reader) => findAccount(reader, decoded.account))
  if (!row) return null
  const kind = accountId === ids.encode('Organization', row.id) ? 'organization' : 'mailbox'
  if (kind !== row.kind) return null
  const { principal } = request
  const allowed =
    row.kind === 'mailbox'
      ? mayUseMailbox(principal, row.organization, row.id)
      : principal.kind === 'system' || (principal.ownsOrganization && principal.organization === row.id)
  return allowed
    ? { number: row.id, id: accountId, kind: row.kind, organization: row.organization, name: row.name }
    : null
}
