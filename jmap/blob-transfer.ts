/** Uploads and downloads of octets outside Requests: RFC 8620 6. */

import { freeWhole } from '../server/base/free-memory.ts'
import type { AccountKind } from '../server/base/ids.ts'
import type { Principal } from '../server/base/principal.ts'
import { directRequest, type RequestServices } from './direct-request.ts'
import { BLOB_ID, openBlob, prepareBlob } from './mail/blob/blobs.ts'
import { keepUpload } from './mail/blob/uploads.ts'
import { findAccountRef } from './type/method.ts'

export interface UploadResult {
  readonly accountId: string
  readonly blobId: string
  readonly type: string
  readonly size: number
}

/**
 * @param bytes octets that nobody reads afterwards
 * @returns null: the principal may not write to this account, or nothing there is made of uploads
 */
export async function upload(
  services: RequestServices,
  principal: Principal,
  accountId: string,
  type: string,
  bytes: Uint8Array,
): Promise<UploadResult | null> {
  const account = await findAccountRef(directRequest(services, principal), accountId)
  if (!account || !mayUse(principal, account.kind)) return null
  const { store, ids } = services
  const blob = await prepareBlob(store, bytes)
  freeWhole(bytes)
  const kept = { blob, type, credential: principal.credential }
  const number = await store.write([account.number], (work) =>
    keepUpload(services, { work, unit: work.account(account.number) }, kept, new Set()),
  )
  return { accountId, blobId: ids.encode(BLOB_ID, account.number, number!), type, size: blob.size }
}

/** A key without any write scope cannot use an upload. Of an organization only assets of newsletters are made of uploads. */
function mayUse({ scopes }: Principal, kind: AccountKind): boolean {
  if (scopes === null) return true
  return kind === 'mailbox' ? scopes.some((scope) => scope.endsWith(':write')) : scopes.includes('newsletters:write')
}

export interface Download {
  /** Octets of the requested range. */
  readonly bytes: Uint8Array
  /** Octets of the whole blob. */
  readonly size: number
  readonly type: string
}

/** null: the account has no such blob that this principal may read. */
export async function download(
  services: RequestServices,
  principal: Principal,
  accountId: string,
  blobId: string,
  range?: { start: number; end: number },
): Promise<Download | null> {
  const account = await findAccountRef(directRequest(services, principal), accountId)
  if (!account) return null
  const blob = await openBlob(services, principal.credential, account.number, blobId)
  // RFC 8620 6.1: emails refer to blobs, so who may read emails may read blobs. The uploader may read an upload.
  const mayRead = blob?.isUpload || principal.scopes === null || principal.scopes.includes('messages:read')
  return mayRead && blob ? { bytes: await blob.read(range), size: blob.size, type: blob.type } : null
}
