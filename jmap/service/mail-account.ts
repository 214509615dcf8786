/**
 * MailAccount: an address with its mail, which the REST API calls a mailbox. It is described in the organization's account, under
 * the id of the JMAP account that it is (decision D29).
 */
import { MESSAGE_SUBJECT_MAX_CHARS, VACATION_BODY_MAX_CHARS } from '../../server/base/limits.ts'
import { mayUseMailbox } from '../../server/base/principal.ts'
import { SPAM_THRESHOLD_DEFAULT } from '../../server/base/spam-limits.ts'
import type { Unit } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { findAddress, insertAddress, saveCredential, saveDomainName } from '../../storage/repos/directory.ts'
import { listObjects, updateObject } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import type { MethodContext } from '../context.ts'
import { baseAddress, normaliseAddress } from '../mail/addresses.ts'
import { createIdentity } from '../mail/identity/rules.ts'
import { createSystemMailboxes } from '../mail/mailbox/system-mailboxes.ts'
import { type AutoReply, keepAutoReply } from '../mail/vacation/auto-reply.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../protocol/errors.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { isObject } from '../protocol/json-object.ts'
import { defineType } from '../type/define-type.ts'
import { listResult, objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'
import type { ReadContext, Rules, WriteContext } from '../type/rules.ts'
import { freeAddress } from './free-address.ts'
import { namesItsMailboxes } from './key-limits.ts'
import { endMailAccount } from './mail-account-end.ts'
import { roomFault } from './plan.ts'
import { hashPassword, mailboxCredential } from './secrets.ts'

/** The VacationResponse of the account, as REST knows it (jmap/mail/vacation/auto-reply.ts). */
const autoReply = p.object({
  enabled: p.bool(),
  subject: p.string({ max: MESSAGE_SUBJECT_MAX_CHARS }).nullable(),
  body: p.string({ max: VACATION_BODY_MAX_CHARS }).nullable(),
  fromDate: p.utcDate().nullable(),
  toDate: p.utcDate().nullable(),
})

export const MailAccount = defineType({
  name: 'MailAccount',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'MailAccount',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    domainId: p.id().fixed(),
    localPart: p.string().fixed(),
    address: p.string().server().fixed(),
    displayName: p.string({ min: 1, max: 200 }).nullable().defaults(null),
    password: p.string().secret(),
    suspendedAt: p.utcDate().nullable().server(),
    spamFilterThreshold: p.uint({ min: 1, max: 14 }).defaults(SPAM_THRESHOLD_DEFAULT),
    autoReply: autoReply.defaults({ enabled: false, subject: null, body: null, fromDate: null, toDate: null }),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  // sendsAs: the mailbox that an address, an alias or a tagged form of one belongs to; a condition that stands alone.
  filters: { beforeId: p.string(), domainId: p.id(), address: p.string(), sendsAs: p.string() },
  sorts: ['address', 'createdAt'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})

const objects = objectRules(MailAccount, {
  // A key that is limited to some mailboxes does not know the others.
  mayKnow: ({ account, request }, number) => mayUseMailbox(request.principal, account.number, number),
  prepareCreate: (_method, input) => preparePassword(input['password']),
  prepareUpdate: (_method, patch) => preparePassword(patch['password']),

  async accountsOf(method, args) {
    const ids = [...Object.keys((args['update'] ?? {}) as object), ...((args['destroy'] ?? []) as string[])]
    return ownAccounts(method, ids)
  },

  async create(write, input, verifier) {
    if (!(await mayCreateIn(write, input['domainId'] as string)))
      return { error: setError('forbidden', 'The key is limited to other mailboxes.') }
    const { work, unit, method } = write
    const address = await freeAddress(write, input as { domainId: string; localPart: string }, async () => {
      const used = (await listObjects(unit, unit.account, 'MailAccount')).length
      return roomFault(unit, method.services.limits, 'mailboxes', used)
    })
    if (typeof address !== 'string') return { error: address }
    const account = await work.createAccount({ kind: 'mailbox', organization: unit.account, name: address })
    await createSystemMailboxes(account)
    await createIdentity(account, address, input['displayName'] as string | null)
    if (autoReplyIn(input).enabled) await keepAutoReply(account, autoReplyIn(input))
    await insertAddress(work.sql, {
      address,
      account: account.account,
      kind: 'mailbox',
      domain: address.slice(address.lastIndexOf('@') + 1),
    })
    if (verifier) await keepPassword(work, account.account, verifier as string)
    const localPart = (input['localPart'] as string).toLowerCase()
    return { number: account.account, stored: { ...input, localPart, address, suspendedAt: null } }
  },

  async update(write, number, { next, changed, prepared }) {
    if (prepared) await keepPassword(write.work, number, prepared as string)
    if (changed.includes('displayName')) await renameIdentity(write, number, next)
    if (changed.includes('autoReply')) await keepAutoReply(write.work.account(number), autoReplyIn(next))
    return { stored: next }
  },

  async destroy({ unit, work, method }, number, stored) {
    await endMailAccount(work, unit, number, stored['address'] as string)
    const id = method.services.ids.encode('MailAccount', number)
    for (const domain of await listObjects(unit, unit.account, 'Domain')) {
      if (domain.data['catchAllMailboxId'] !== id) continue
      const { name, status } = domain.data as { name: string; status: string }
      await updateObject(unit, unit.account, 'Domain', {
        id: domain.id,
        data: { ...domain.data, catchAllMailboxId: null },
      })
      await saveDomainName(work.sql, { name, account: unit.account, object: domain.id, status, catch_all: null })
      unit.change('Domain', domain.id, 'u', ['catchAllMailboxId'])
    }
    return null
  },
})

export const mailAccountRules: Rules = {
  ...objects,
  // Found by the address, so that sending does not look through all mailboxes of the organization.
  query: async (read, request) =>
    hasCondition(request.filter, 'sendsAs')
      ? listResult(await ownerOf(read, request.filter as JsonObject))
      : objects.query!(read, request),
  canCalculateChanges: ({ filter }) => !hasCondition(filter, 'sendsAs'),
}

function hasCondition(filter: Json, name: string): boolean {
  if (!isObject(filter)) return false
  const conditions = filter['conditions']
  return Array.isArray(conditions) ? conditions.some((inner) => hasCondition(inner, name)) : Object.hasOwn(filter, name)
}

/** @throws MethodError */
async function ownerOf({ method, reader }: ReadContext, filter: JsonObject): Promise<number[]> {
  if (Object.keys(filter).length !== 1 || typeof filter['sendsAs'] !== 'string')
    throw new MethodError('unsupportedFilter', 'sendsAs stands alone.')
  const address = normaliseAddress(filter['sendsAs'])
  if (address === null) return []
  const row = (await findAddress(reader, address)) ?? (await findAddress(reader, baseAddress(address)))
  const mayKnow = row && mayUseMailbox(method.request.principal, method.account.number, row.account)
  return mayKnow && row.organization === method.account.number ? [row.account] : []
}

/** A key that is limited to mailboxes makes no new ones; one that is limited to domains makes them there. */
async function mayCreateIn(write: WriteContext, domainId: string): Promise<boolean> {
  const { method } = write
  const { domains } = method.request.principal
  const isWithin = domains === undefined || domains.includes(method.number('Domain', domainId) ?? -1)
  return isWithin && !(await namesItsMailboxes(write))
}

async function preparePassword(password: unknown): Promise<{ prepared: unknown } | { error: SetError }> {
  if (password === undefined || password === null) return { prepared: null }
  const fits = typeof password === 'string' && password.length >= 8 && password.length <= 128
  if (!fits || !/[a-z]/.test(password) || !/[A-Z]/.test(password) || !/[0-9]/.test(password))
    return {
      error: invalidProperties(
        ['password'],
        'A password has 8 to 128 characters with a lower-case letter, a capital and a digit.',
      ),
    }
  return { prepared: await hashPassword(password) }
}

async function keepPassword(work: Unit, account: number, verifier: string): Promise<void> {
  const hash = mailboxCredential(account)
  await saveCredential(work.sql, { hash, account, object: account, verifier, created_at: work.now })
}

function autoReplyIn(object: JsonObject): AutoReply {
  return object['autoReply'] as unknown as AutoReply
}

async function renameIdentity({ work }: WriteContext, account: number, next: JsonObject): Promise<void> {
  const unit = work.account(account)
  for (const { id, data } of await listObjects(unit, account, 'Identity')) {
    if (data['email'] !== next['address']) continue
    await updateObject(unit, account, 'Identity', { id, data: { ...data, name: next['displayName'] ?? '' } })
    unit.change('Identity', id, 'u', ['name'])
  }
}

/** Accounts behind the ids that belong to this organization: their rows are locked with it. */
async function ownAccounts(method: MethodContext, ids: readonly string[]): Promise<number[]> {
  const accounts: number[] = []
  for (const id of ids) {
    const resolved = method.request.createdIds.resolveId(id)
    const decoded = 'unknown' in resolved ? null : method.services.ids.decode('MailAccount', resolved.value)
    const row = decoded && (await method.read((reader) => findAccount(reader, decoded.account)))
    if (row?.organization === method.account.number) accounts.push(row.id)
  }
  return accounts
}
