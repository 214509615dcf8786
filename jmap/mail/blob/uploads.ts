/**
 * Uploads: unreferenced octets. RFC 8620 6: each credential has a quota for them in each account, separate from the quota for mail.
 * When it is full, the oldest are deleted.
 */
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { dropUpload, uploadsIn, uploadsOf } from '../../../storage/repos/uploads.ts'
import type { Services } from '../../type/context.ts'
import { type PreparedBlob, recordBlob, referTo } from './blobs.ts'

/** Numbers of uploads that belong together, such as those of one method call: they do not displace each other. */
export type UploadGroup = ReadonlySet<number>

/**
 * Inside a unit of work: stores an upload and returns the account's number for it. null: with its group the upload exceeds the quota,
 * and it is not stored. An upload without a group always fits.
 * @param credential of the uploader; only the uploader may read it
 */
export async function keepUpload(
  services: Pick<Services, 'limits'>,
  { work, unit }: { readonly work: Unit; readonly unit: AccountUnit },
  upload: { readonly blob: PreparedBlob; readonly type: string; readonly credential: string },
  group: UploadGroup,
): Promise<number | null> {
  const { blob, type, credential } = upload
  await recordBlob(work, blob)
  const number = await referTo(unit, blob, type, credential)
  return (await makeRoom(services, unit, credential, new Set([...group, number]))) ? number : null
}

/** Deletes the oldest uploads until the credential's quota holds, except those of `kept`. The last of them is the new one. */
async function makeRoom(
  { limits }: Pick<Services, 'limits'>,
  unit: AccountUnit,
  credential: string,
  kept: UploadGroup,
): Promise<boolean> {
  const { uploadQuotaBytes, uploadQuotaBlobs } = limits
  const all = await uploadsIn(unit)
  if (all.bytes <= uploadQuotaBytes && all.blobs <= uploadQuotaBlobs) return true
  const own = await uploadsOf(unit, credential)
  const [staying, others] = [own.filter(({ id }) => kept.has(id)), own.filter(({ id }) => !kept.has(id))]
  let bytes = staying.reduce((sum, { size }) => sum + size, 0)
  let blobs = staying.length
  if (blobs > 1 && (bytes > uploadQuotaBytes || blobs > uploadQuotaBlobs)) {
    const newest = [...kept].at(-1)
    for (const upload of staying) if (upload.id === newest) await dropUpload(unit, upload, credential)
    return false
  }
  for (const upload of others.toReversed()) {
    bytes += upload.size
    blobs++
    // RFC 8620 6: in the order of their dates, the oldest first.
    if (bytes > uploadQuotaBytes || blobs > uploadQuotaBlobs) await dropUpload(unit, upload, credential)
  }
  return true
}
