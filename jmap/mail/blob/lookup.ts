/** Blob/lookup: RFC 9404 4.3: the objects that refer to a blob. */
import { IN_LIST_MAX } from '../../../server/base/limits.ts'
import { type EmailOfBlob, emailsOfBlobs, eventsOfBlobs } from '../../../storage/repos/blob-references.ts'
import { listSieveScripts } from '../../../storage/repos/sieve-scripts.ts'
import { MethodError } from '../../protocol/errors.ts'
import { quote } from '../../protocol/json-object.ts'
import type { BlobType, BlobUses } from '../../type/blob-uses.ts'
import type { MethodContext } from '../../type/context.ts'
import { defineMethod } from '../../type/method.ts'
import { p } from '../../type/property.ts'
import { parseMailboxes } from '../email/load.ts'
import { BLOB } from './blob-capability.ts'
import { openBlob } from './blobs.ts'

export const blobLookupMethod = defineMethod({
  name: 'Blob/lookup',
  capability: BLOB,
  accounts: 'mailbox',
  scope: 'messages:read',
  writes: false,
  args: { typeNames: p.list(p.string()), ids: p.list(p.string()) },
  async run(method, { typeNames, ids }) {
    const types = [...new Set(typeNames)].map((name) => typeOf(method, name))
    const given = [...new Set(ids)]
    const { maxObjectsInGet } = method.services.limits
    if (given.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
    const numbers = new Map<string, number | null>()
    for (const id of given) {
      const blobId = method.resolveId(id)
      numbers.set(blobId, await visibleBlob(method, blobId))
    }
    const uses = await findUses(method, [...new Set([...numbers.values()].filter((number) => number !== null))])
    // RFC 9404 4.3: the result is empty for a blob that does not exist and for one that is not visible, so that the two look alike.
    const list = [...numbers].map(([id, number]) => ({
      id,
      matchedIds: matches(method, types, number === null ? { emails: [], scripts: [], events: [] } : uses(number)),
    }))
    return { accountId: method.account.id, list }
  },
})

/** @throws MethodError unknownDataType (RFC 9404 4.3), also for a type whose capability the request does not use */
function typeOf({ request }: MethodContext, name: string): BlobType {
  const found = request.blobTypes.find((type) => type.name === name)
  if (!found || !request.using.has(found.capability.urn))
    throw new MethodError('unknownDataType', `There is no type '${quote(name)}' here that refers to blobs.`)
  return found
}

async function visibleBlob({ services, request, account }: MethodContext, blobId: string): Promise<number | null> {
  const blob = await openBlob(services, request.principal.credential, account.number, blobId)
  return blob?.number ?? null
}

/** The uses of each blob. */
async function findUses(method: MethodContext, blobs: readonly number[]): Promise<(blob: number) => BlobUses> {
  const account = method.account.number
  const { emails, scripts, events } = await method.read(async (reader) => {
    const found: EmailOfBlob[] = []
    for (let i = 0; i < blobs.length; i += IN_LIST_MAX)
      found.push(...(await emailsOfBlobs(reader, account, blobs.slice(i, i + IN_LIST_MAX))))
    return {
      emails: found,
      scripts: await listSieveScripts(reader, account),
      events: await eventsOfBlobs(reader, account, blobs),
    }
  })
  const byBlob = Map.groupBy(emails, ({ blob }) => blob)
  return (blob) => ({
    emails: (byBlob.get(blob) ?? []).map((row) => ({ ...row, mailboxes: parseMailboxes(row.mailboxes) })),
    scripts: scripts.filter((script) => script.blob === blob).map(({ id }) => id),
    events: events.filter((event) => event.blob === blob).map(({ id }) => id),
  })
}

function matches(method: MethodContext, types: readonly BlobType[], uses: BlobUses) {
  return Object.fromEntries(
    types.map((type) => [type.name, [...new Set(type.ofBlob(uses))].map((number) => method.id(type, number))]),
  )
}
