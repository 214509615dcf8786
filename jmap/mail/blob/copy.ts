/** Blob/copy: RFC 8620 6.3. A copy is an upload of the caller until something refers to it. */
import type { Unit } from '../../../storage/ports.ts'
import { findAccountBlob, findBlob } from '../../../storage/repos/blobs.ts'
import { invalidArguments, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { setOwn } from '../../protocol/json-object.ts'
import { CORE } from '../../type/capabilities.ts'
import type { AccountRef, MethodContext } from '../../type/context.ts'
import { defineMethod, findAccountRef, requireScope } from '../../type/method.ts'
import { type ArgumentsOf, p } from '../../type/property.ts'
import { BLOB_ID, type OpenBlob, openBlob, type PreparedBlob, prepareBlob } from './blobs.ts'
import { keepUpload } from './uploads.ts'

const BLOB_COPY_ARGS = { fromAccountId: p.string(), blobIds: p.list(p.string()) }

export const blobCopyMethod = defineMethod({
  name: 'Blob/copy',
  capability: CORE,
  accounts: 'mailbox',
  scope: 'messages:write',
  writes: true,
  args: BLOB_COPY_ARGS,
  run: runCopy,
})

async function runCopy(method: MethodContext, args: ArgumentsOf<typeof BLOB_COPY_ARGS>) {
  const from = await openSource(method, args.fromAccountId)
  const blobIds = [...new Set(args.blobIds)]
  const { maxObjectsInSet } = method.services.limits
  if (blobIds.length > maxObjectsInSet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} blobs.`)
  const copied: { [blobId: string]: string } = {}
  const notCopied: { [blobId: string]: SetError } = {}
  const group = new Set<number>()
  for (const given of blobIds) {
    const { services, request } = method
    const blob = await openBlob(services, request.principal.credential, from.number, method.resolveId(given))
    const outcome = blob ? await copyOne(method, from, blob, group) : { error: setError('notFound') }
    if ('error' in outcome) {
      setOwn(notCopied, given, outcome.error)
      continue
    }
    group.add(outcome.number)
    setOwn(copied, given, method.id(BLOB_ID, outcome.number))
  }
  return {
    fromAccountId: from.id,
    accountId: method.account.id,
    copied: Object.keys(copied).length > 0 ? copied : null,
    notCopied: Object.keys(notCopied).length > 0 ? notCopied : null,
  }
}

/** @throws MethodError fromAccountNotFound (RFC 8620 6.3), and the errors that Foo/copy has for accounts (5.4) */
async function openSource({ request, account }: MethodContext, accountId: string): Promise<AccountRef> {
  // RFC 8620 6.3: between two different accounts.
  if (accountId === account.id) throw invalidArguments('fromAccountId and accountId are the same.', ['fromAccountId'])
  const from = await findAccountRef(request, accountId)
  if (!from) throw new MethodError('fromAccountNotFound')
  if (from.kind !== 'mailbox') throw new MethodError('fromAccountNotSupportedByMethod')
  requireScope(request, 'messages:read')
  return from
}

async function copyOne(
  { services, request, account }: MethodContext,
  from: AccountRef,
  opened: OpenBlob,
  group: ReadonlySet<number>,
): Promise<{ readonly number: number } | { readonly error: SetError }> {
  const { type } = opened
  const { credential } = request.principal
  // A part becomes a separate blob; the octets of a whole blob are stored already.
  const part = opened.path.length > 0 ? await prepareBlob(services.store, await opened.read()) : null
  return services.store.write([from.number, account.number], async (work) => {
    const blob = part ?? (await contentOf(work, from, opened.number))
    if (!blob) return { error: setError('notFound') }
    const number = await keepUpload(
      services,
      { work, unit: work.account(account.number) },
      { blob, type, credential },
      group,
    )
    return number === null
      ? { error: setError('overQuota', 'What this call copies is more than may be kept.') }
      : { number }
  })
}

/** Inside a unit of work, so that the source cannot be deleted meanwhile. */
async function contentOf(work: Unit, from: AccountRef, number: number): Promise<PreparedBlob | null> {
  const reference = await findAccountBlob(work, from.number, number)
  return reference && findBlob(work, reference.hash)
}
