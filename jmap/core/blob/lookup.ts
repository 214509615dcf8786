/** Blob/lookup: RFC 9404 4.3: which objects lead to a blob. */
import { IN_LIST_MAX } from '../../../server/base/limits.ts'
import { type EmailOfBlob, emailsOfBlobs } from '../../../storage/repos/blob-references.ts'
import { listSieveScripts } from '../../../storage/repos/sieve-scripts.ts'
import { BLOB } from '../../capabilities.ts'
import type { MethodContext } from '../../context.ts'
import { openBlob } from '../../mail/blobs.ts'
import { Email } from '../../mail/email/email.type.ts'
import { parseMailboxes } from '../../mail/email/load.ts'
import { Mailbox } from '../../mail/mailbox/mailbox.type.ts'
import { SieveScript } from '../../mail/sieve-script/sieve-script.type.ts'
import { Thread } from '../../mail/thread/thread.type.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { quote } from '../../protocol/json-object.ts'
import type { TypeDefinition } from '../../type/define-type.ts'
import { defineMethod } from '../../type/method.ts'
import { objectId } from '../../type/methods/get.ts'
import { p } from '../../type/property.ts'

/** What is made of a blob: emails, and scripts by their numbers. */
interface Uses {
  readonly emails: readonly EmailOfBlob[]
  readonly scripts: readonly number[]
}

/** Types whose objects lead to blobs: their numbers, from what is made of the blob. */
export const LOOKUP_TYPES: readonly { type: TypeDefinition; numbers(uses: Uses): readonly number[] }[] = [
  { type: Mailbox, numbers: ({ emails }) => emails.flatMap(({ mailboxes }) => parseMailboxes(mailboxes)) },
  { type: Thread, numbers: ({ emails }) => emails.map(({ thread }) => thread) },
  { type: Email, numbers: ({ emails }) => emails.map(({ id }) => id) },
  { type: SieveScript, numbers: ({ scripts }) => scripts },
]

export const lookupMethod = defineMethod({
  name: 'Blob/lookup',
  capability: BLOB,
  accounts: 'mailbox',
  scope: 'messages:read',
  writes: false,
  args: { typeNames: p.list(p.string()), ids: p.list(p.string()) },
  async run(method, args) {
    const types = [...new Set(args['typeNames'] as readonly string[])].map((name) => typeOf(method, name))
    const given = [...new Set(args['ids'] as readonly string[])]
    const { maxObjectsInGet } = method.services.limits
    if (given.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
    const numbers = new Map<string, number | null>()
    for (const id of given) {
      const resolved = method.request.createdIds.resolveId(id)
      const blobId = 'unknown' in resolved ? id : resolved.value
      numbers.set(blobId, await visibleBlob(method, blobId))
    }
    const uses = await findUses(method, [...new Set([...numbers.values()].filter((number) => number !== null))])
    // RFC 9404 4.3: no matches for a blob that is not there or not visible, and nothing that tells the two apart.
    const list = [...numbers].map(([id, number]) => ({
      id,
      matchedIds: matches(method, types, number === null ? { emails: [], scripts: [] } : uses(number)),
    }))
    return { accountId: method.account.id, list }
  },
})

/** @throws MethodError unknownDataType (RFC 9404 4.3), also for a type whose capability the request does not use */
function typeOf({ request }: MethodContext, name: string): (typeof LOOKUP_TYPES)[number] {
  const found = LOOKUP_TYPES.find(({ type }) => type.name === name)
  if (!found || !request.using.has(found.type.capability))
    throw new MethodError('unknownDataType', `There is no type '${quote(name)}' here that refers to blobs.`)
  return found
}

async function visibleBlob({ services, request, account }: MethodContext, blobId: string): Promise<number | null> {
  const blob = await openBlob(services, request.principal.credential, account.number, blobId)
  return blob?.number ?? null
}

/** What each of the blobs is used for. */
async function findUses(method: MethodContext, blobs: readonly number[]): Promise<(blob: number) => Uses> {
  const account = method.account.number
  const { emails, scripts } = await method.read(async (reader) => {
    const found: EmailOfBlob[] = []
    for (let i = 0; i < blobs.length; i += IN_LIST_MAX)
      found.push(...(await emailsOfBlobs(reader, account, blobs.slice(i, i + IN_LIST_MAX))))
    return { emails: found, scripts: await listSieveScripts(reader, account) }
  })
  const byBlob = Map.groupBy(emails, ({ blob }) => blob)
  return (blob) => ({
    emails: byBlob.get(blob) ?? [],
    scripts: scripts.filter((script) => script.blob === blob).map(({ id }) => id),
  })
}

function matches(method: MethodContext, types: readonly (typeof LOOKUP_TYPES)[number][], uses: Uses): JsonObject {
  return Object.fromEntries(
    types.map(({ type, numbers }) => {
      const unique = [...new Set(numbers(uses))]
      return [type.name, unique.map((number) => objectId(method, type, number))]
    }),
  )
}
