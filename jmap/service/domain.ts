/** Domain: a name that an organization receives and sends mail for (api/decisions.md D7). DNS checks come to it from outside. */

import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { mayUseMailbox } from '../../server/base/principal.ts'
import type { Reader } from '../../storage/ports.ts'
import { deleteDomainName, findDomainName, saveDomainName } from '../../storage/repos/directory.ts'
import { deleteObject, findObject, insertObject, listObjects } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import type { DkimKey } from '../core.ts'
import { normaliseDomain } from '../mail/addresses.ts'
import { alreadyExists, invalidProperties, setError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { defineType } from '../type/define-type.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'

export const Domain = defineType({
  name: 'Domain',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'Domain',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ min: 1, max: 253 }).fixed(),
    status: p.oneOf(['pending', 'verified', 'degraded', 'failed']).server(),
    managedBy: p.oneOf(['external', 'service']).server(),
    dnsProvider: p.string().server(),
    mxVerified: p.bool().server(),
    spfVerified: p.bool().server(),
    dkimVerified: p.bool().server(),
    dmarcVerified: p.bool().server(),
    outboundVerified: p.bool().server(),
    dmarcManagedExternally: p.bool().defaults(false),
    catchAllMailboxId: p.id().nullable().defaults(null),
    verifiedAt: p.utcDate().nullable().server(),
    dkim: p.json({ type: ['object', 'null'] }).server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), name: p.string(), status: p.string() },
  sorts: ['name', 'createdAt'],
  scopes: { read: 'domains:read', write: 'domains:write' },
})

const DKIM_SELECTOR = 'ph1'

interface PreparedDomain {
  readonly name: string
  readonly privateKey: string
  readonly publicKey: string
}

export const domainRules = objectRules(Domain, {
  // A key that is limited to some domains does not know the others.
  mayKnow: ({ request }, number) => request.principal.domains?.includes(number) ?? true,

  async prepareCreate(_method, input) {
    const name = typeof input['name'] === 'string' ? normaliseDomain(input['name']) : null
    // An address, one label alone and names that lead to this very machine are no mail domains.
    if (name === null || !name.includes('.') || /^[0-9.]+$/.test(name) || /(^|\.)localhost$/.test(name))
      return { error: invalidProperties(['name'], 'It is not a domain name that can receive mail.') }
    const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
    const prepared: PreparedDomain = {
      name,
      privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicKey: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    }
    return { prepared }
  },

  async create({ unit, method }, input, prepared) {
    if (method.request.principal.domains)
      return { error: setError('forbidden', 'The key is limited to other domains.') }
    // It has no mailboxes yet.
    if (input['catchAllMailboxId'] !== null)
      return { error: invalidProperties(['catchAllMailboxId'], 'It is not a mailbox of this domain.') }
    const { name, privateKey, publicKey } = prepared as PreparedDomain
    const claims = await findDomainName(unit, name)
    const own = claims.find((claim) => claim.account === unit.account)
    if (own) return { error: alreadyExists(method.id('Domain', own.object), `The domain ${name} is there already.`) }
    // Whoever has the machine (setup on its command line) needs no DNS to prove what it receives mail for.
    const trusted = method.request.principal.kind === 'system'
    const verified = trusted || (method.services.verifyReservedDomains && isReserved(name))
    // A name that another organization has verified stays theirs until this one proves otherwise (D7).
    const status = verified && !claims.some((claim) => isVerifiedStatus(claim.status)) ? 'verified' : 'pending'
    const number = unit.nextObject()
    await saveDomainName(unit.sql, { name, account: unit.account, object: number, status, catch_all: null })
    await insertObject(
      unit,
      unit.account,
      'DkimKey',
      { id: number, data: { selector: DKIM_SELECTOR, privateKey } },
      unit.now,
    )
    const isVerified = status === 'verified'
    return {
      number,
      stored: {
        ...input,
        name,
        status,
        managedBy: 'external',
        dnsProvider: 'manual',
        mxVerified: isVerified,
        spfVerified: isVerified,
        dkimVerified: isVerified,
        dmarcVerified: isVerified,
        outboundVerified: isVerified,
        verifiedAt: isVerified ? formatUTCDate(unit.now) : null,
        dkim: {
          selector: DKIM_SELECTOR,
          publicKey,
          recordName: `${DKIM_SELECTOR}._domainkey.${name}`,
          recordValue: `v=DKIM1; k=rsa; p=${publicKey}`,
        },
      },
    }
  },

  async update({ unit, method }, number, { next, changed }) {
    const name = next['name'] as string
    const catchAllId = next['catchAllMailboxId'] as string | null
    const catchAll = catchAllId === null ? null : (method.services.ids.decode('MailAccount', catchAllId)?.account ?? -1)
    if (catchAll !== null && changed.includes('catchAllMailboxId')) {
      // What a key that is limited to mailboxes may not use is to it as if it were not there.
      const mayUse = mayUseMailbox(method.request.principal, unit.account, catchAll)
      const account = mayUse ? await findObject(unit, unit.account, 'MailAccount', catchAll) : null
      if (account?.data['domainId'] !== method.id('Domain', number))
        return { error: invalidProperties(['catchAllMailboxId'], 'It is not a mailbox of this domain.') }
    }
    await saveDomainName(unit.sql, {
      name,
      account: unit.account,
      object: number,
      status: next['status'] as string,
      catch_all: catchAll,
    })
    return { stored: next }
  },

  async destroy({ unit, method }, number, stored) {
    const id = method.id('Domain', number)
    const mailboxes = await listObjects(unit, unit.account, 'MailAccount')
    if (mailboxes.some(({ data }) => data['domainId'] === id))
      return setError('forbidden', 'The domain still has mailboxes.')
    await deleteDomainName(unit.sql, stored['name'] as string, unit.account)
    await deleteObject(unit, unit.account, 'DkimKey', number)
    return null
  },
})

/** RFC 6761 6: names that never lead anywhere outside. */
function isReserved(name: string): boolean {
  return /(^|\.)(test|example|invalid)$/.test(name) || /(^|\.)example\.(com|net|org)$/.test(name)
}

export function isVerifiedStatus(status: string): boolean {
  return status === 'verified' || status === 'degraded'
}

/** The key that signs for a domain of an organization; null when it has none there. */
export async function dkimKeyOf(reader: Reader, organization: number, domain: string): Promise<DkimKey | null> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const key = claim && (await findObject(reader, organization, 'DkimKey', claim.object))
  if (!key) return null
  return { domain, selector: key.data['selector'] as string, privateKey: key.data['privateKey'] as string }
}
