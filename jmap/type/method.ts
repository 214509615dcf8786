/** A method as the dispatcher sees it, and the account of a call. */
import type { AccountKind } from '../../server/base/ids.ts'
import type { Json, JsonObject } from '../../server/base/json.ts'
import { hasScope, mayUseMailbox } from '../../server/base/principal.ts'
import { findAccount, findAnyAccount } from '../../storage/repos/accounts.ts'
import { invalidArguments, MethodError } from '../protocol/errors.ts'
import type { ResponseArguments } from '../protocol/json-text.ts'
import type { Capability } from './capability.ts'
import { type AccountRef, MethodContext, type RequestContext } from './context.ts'
import type { AnswerOf, CheckedFor, MethodDeclaration } from './method-declaration.ts'
import type { ArgumentsOf, Properties } from './property.ts'
import { faultOf } from './validate.ts'
import type { Weight } from './weight.ts'

export interface Method {
  readonly name: string
  readonly capability: Capability
  /** Whether it may write: such calls run in the thread of the writer (server/threads). */
  readonly writes: boolean
  /** How much a call that does not write may have to read. @param args as the client sent them, unchecked */
  weight(args: JsonObject): Weight
  /** Kind of accounts that it works in, and the scope that an API key needs; null: it needs neither. */
  readonly access: MethodAccess | null
  /** Arguments beside accountId; null: any. */
  readonly args: Properties | null
  run(request: RequestContext, args: JsonObject): Promise<ResponseArguments>
}

export interface MethodAccess {
  readonly accounts: AccountKind
  readonly scope: string
  /** Another scope that is enough too. */
  readonly orScope?: string
}

/** A declared method with its handler. */
export function implement<D extends MethodDeclaration>(
  declaration: D,
  run: (method: MethodContext, args: CheckedFor<D>) => Promise<AnswerOf<D> & ResponseArguments>,
): Method {
  return defineMethod<D['args']>({ ...declaration, run })
}

/** A method beyond the six standard ones that an RFC defines, in an account (Email/import, Blob/get ...). */
export function defineMethod<P extends Properties>(spec: {
  readonly name: string
  readonly capability: Capability
  readonly accounts: AccountKind
  readonly scope: string
  readonly orScope?: string
  readonly writes: boolean
  /** Default: `some`. */
  readonly weight?: Weight
  readonly args: P
  run(method: MethodContext, args: ArgumentsOf<P>): Promise<ResponseArguments>
}): Method {
  const { name, capability, writes, weight = 'some', accounts, scope, orScope, args } = spec
  return {
    name,
    capability,
    writes,
    weight: () => weight,
    access: { accounts, scope, ...(orScope !== undefined && { orScope }) },
    args,
    async run(request, given) {
      const checked = checkArguments(args, given)
      return spec.run(new MethodContext(request, await openAccount(request, given, spec)), checked)
    },
  }
}

/** Arguments with defaults filled in. @throws MethodError invalidArguments that names the argument */
export function checkArguments<P extends Properties>(properties: P, args: JsonObject): ArgumentsOf<P> {
  const checked: { [name: string]: Json } = {}
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
  // The loop above has checked every member against its declaration.
  return checked as ArgumentsOf<P>
}

/** The account of a call, if this principal may use it. RFC 8620 3.6.2 */
export async function openAccount(
  request: RequestContext,
  { accountId }: JsonObject,
  { accounts, scope, orScope, writes }: MethodAccess & Pick<Method, 'writes'>,
): Promise<AccountRef> {
  if (typeof accountId !== 'string') throw invalidArguments('The argument accountId is missing.', ['accountId'])
  // Decision D2: the recorded effects of a repeated request are returned although the account has been deleted since.
  const isRecorded = writes && request.steps?.isRepeated === true
  const account = await (isRecorded ? lookUpAccount(request, accountId, true) : findAccountRef(request, accountId))
  if (!account) throw new MethodError('accountNotFound')
  if (account.kind !== accounts) throw new MethodError('accountNotSupportedByMethod')
  // RFC 8620 3.6.2: the account is read-only for this principal, as the session shows.
  if (writes && request.isReadOnly(account.kind)) throw new MethodError('accountReadOnly')
  requireScope(request, scope, orScope)
  return account
}

/** @throws MethodError forbidden */
export function requireScope({ principal }: RequestContext, scope: string, orScope = scope): void {
  if (!hasScope(principal, scope) && !hasScope(principal, orScope))
    throw new MethodError('forbidden', `The key lacks the scope ${scope}.`)
}

/** The account of the latest call of a request: most requests concern one account. */
const lastAccounts = new WeakMap<RequestContext, AccountRef>()

/** Called after a call that may have deleted or renamed the account. */
export function forgetAccount(request: RequestContext): void {
  lastAccounts.delete(request)
}

/** The account, if this principal may use it; else null, as for an account that does not exist. */
export async function findAccountRef(request: RequestContext, accountId: string): Promise<AccountRef | null> {
  const last = lastAccounts.get(request)
  if (last?.id === accountId) return last
  const found = await lookUpAccount(request, accountId)
  if (found) lastAccounts.set(request, found)
  return found
}

async function lookUpAccount(
  request: RequestContext,
  accountId: string,
  orDeleted = false,
): Promise<AccountRef | null> {
  const { principal, services } = request
  const { ids } = services
  const number = ids.accountNumber('mailbox', accountId) ?? ids.accountNumber('organization', accountId)
  if (number === null) return null
  // Refused before the lookup, so that the response time does not show whether the account exists.
  const { mailboxes, organization } = principal
  if (mailboxes !== 'all' && number !== organization && !mailboxes.includes(number)) return null
  const find = orDeleted ? findAnyAccount : findAccount
  const row = await request.reads.read((reader) => find(reader, number))
  if (!row || accountId !== ids.accountId(row.kind, number)) return null
  const isAllowed =
    row.kind === 'mailbox'
      ? mayUseMailbox(principal, row.organization, number)
      : principal.kind === 'system' || (principal.ownsOrganization && principal.organization === number)
  return isAllowed ? { number, id: accountId, kind: row.kind, organization: row.organization, name: row.name } : null
}
