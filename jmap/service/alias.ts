/** Alias: another address of a mailbox, for mail both ways (decision D16). */
import { mayUseMailbox } from '../../server/base/principal.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { deleteAddress, insertAddress, updateAddress } from '../../storage/repos/directory.ts'
import { findObject, listObjects } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import type { MethodContext } from '../context.ts'
import { createIdentity, destroyIdentityOf } from '../mail/identity/rules.ts'
import { invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { defineType } from '../type/define-type.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'
import type { WriteContext } from '../type/rules.ts'
import { freeAddress } from './free-address.ts'
import { roomFault } from './plan.ts'

export const Alias = defineType({
  name: 'Alias',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'Alias',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    domainId: p.id().fixed(),
    localPart: p.string().fixed(),
    address: p.string().server().fixed(),
    mailboxId: p.id(),
    enabled: p.bool().defaults(true),
    description: p.string({ max: 500 }).nullable().defaults(null),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), domainId: p.id(), mailboxId: p.id(), address: p.string() },
  sorts: ['address', 'createdAt'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})

interface AliasData {
  readonly domainId: string
  readonly localPart: string
  readonly address: string
  readonly mailboxId: string
  readonly enabled: boolean
}

export const aliasRules = objectRules(Alias, {
  // A key that is limited to some mailboxes or domains knows no aliases: they can be turned from one mailbox to another.
  mayKnow: ({ request }) => isUnlimited(request.principal),
  accountsOf: mailboxesOf,

  async create(write, input) {
    const { method, unit, work } = write
    if (!isUnlimited(method.request.principal)) return { error: LIMITED }
    const mailbox = await mailboxFor(write, input)
    if (typeof mailbox !== 'number') return { error: mailbox }
    const address = await freeAddress(write, input as unknown as AliasData, async () => {
      const used = (await listObjects(unit, unit.account, Alias.name)).length
      return roomFault(unit, method.services.limits, 'aliases', used)
    })
    if (typeof address !== 'string') return { error: address }
    const domain = address.slice(address.lastIndexOf('@') + 1)
    const enabled = input['enabled'] as boolean
    await insertAddress(work.sql, { address, account: mailbox, kind: 'alias', domain })
    if (!enabled) await updateAddress(work.sql, address, { account: mailbox, enabled: 0 })
    if (enabled) await createIdentity(work.account(mailbox), address, await nameOf(unit, mailbox))
    return { stored: { ...input, localPart: (input['localPart'] as string).toLowerCase(), address } }
  },

  async update(write, number, { next, changed }) {
    const { work, unit } = write
    const mailbox = await mailboxFor(write, next)
    if (typeof mailbox !== 'number') return { error: mailbox }
    const { address, enabled } = next as unknown as AliasData
    if (changed.includes('mailboxId') || changed.includes('enabled')) {
      const before = (await findObject(unit, unit.account, Alias.name, number))!.data as unknown as AliasData
      await endIdentity(write.method, work, before)
      await updateAddress(work.sql, address, { account: mailbox, enabled: enabled ? 1 : 0 })
      if (enabled) await createIdentity(work.account(mailbox), address, await nameOf(unit, mailbox))
    }
    return { stored: next }
  },

  async destroy({ method, work }, _number, stored) {
    await deleteAddress(work.sql, stored['address'] as string)
    await endIdentity(method, work, stored as unknown as AliasData)
    return null
  },
})

const LIMITED: SetError = setError('forbidden', 'The key is limited to some mailboxes or domains.')

function isUnlimited({ mailboxes, domains }: MethodContext['request']['principal']): boolean {
  return mailboxes === 'all' && domains === undefined
}

/** The account that an alias leads to, or why it cannot. */
async function mailboxFor({ method, unit }: WriteContext, input: JsonObject): Promise<number | SetError> {
  const account = method.services.ids.decode('MailAccount', input['mailboxId'] as string)?.account ?? -1
  const isThere = await findObject(unit, unit.account, 'MailAccount', account)
  return isThere && mayUseMailbox(method.request.principal, unit.account, account)
    ? account
    : invalidProperties(['mailboxId'], 'There is no such mailbox.')
}

async function nameOf(unit: AccountUnit, mailbox: number): Promise<string | null> {
  return ((await findObject(unit, unit.account, 'MailAccount', mailbox))?.data['displayName'] ?? null) as string | null
}

async function endIdentity({ services }: MethodContext, work: Unit, { mailboxId, address }: AliasData): Promise<void> {
  await destroyIdentityOf(work.account(services.ids.decode('MailAccount', mailboxId)!.account), address)
}

/** Accounts whose identities a /set touches: those that aliases lead to, before and after. */
async function mailboxesOf(method: MethodContext, args: JsonObject): Promise<number[]> {
  const { ids } = method.services
  const creates = Object.values((args['create'] ?? {}) as Record<string, JsonObject>)
  const updates = Object.entries((args['update'] ?? {}) as Record<string, JsonObject>)
  const named = [...creates, ...updates.map(([, patch]) => patch)].flatMap(({ mailboxId }) => mailboxId ?? [])
  const known = await method.read((reader) => listObjects(reader, method.account.number, Alias.name))
  const touched = new Set([...updates.map(([id]) => id), ...((args['destroy'] ?? []) as string[])])
  const present = known.filter(({ id }) => touched.has(method.id('Alias', id))).map(({ data }) => data['mailboxId'])
  const accounts: number[] = []
  for (const id of new Set([...named, ...present])) {
    const resolved = typeof id === 'string' ? method.request.createdIds.resolveId(id) : { unknown: true }
    const decoded = 'value' in resolved ? ids.decode('MailAccount', resolved.value as string) : null
    const row = decoded && (await method.read((reader) => findAccount(reader, decoded.account)))
    if (row?.organization === method.account.number && row.kind === 'mailbox') accounts.push(row.id)
  }
  return accounts
}
