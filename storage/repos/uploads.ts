/** Uploads of an account that nothing refers to yet (RFC 8620 6): their size, and the removal of the oldest. */
import type { AccountUnit } from '../ports.ts'
import { statement } from '../statement.ts'

const sumOfUploads = statement<{ account: number }>()((db, p) =>
  db
    .selectFrom('account_blob')
    .select((eb) => [eb.fn.sum<number | null>('size').as('bytes'), eb.fn.count<number>('id').as('blobs')])
    .where('account', '=', p('account'))
    .where('uploader', 'is not', null),
)

/** Count and octets of all uploads of an account. */
export async function uploadsIn(unit: AccountUnit): Promise<{ readonly bytes: number; readonly blobs: number }> {
  const [row] = await unit.sql.all(sumOfUploads, { account: unit.account })
  return { bytes: Number(row?.bytes ?? 0), blobs: Number(row?.blobs ?? 0) }
}

export interface Upload {
  readonly id: number
  readonly size: number
  /** Credentials that uploaded it. */
  readonly uploaders: readonly string[]
}

const uploadsByAge = statement<{ account: number }>()((db, p) =>
  db
    .selectFrom('account_blob')
    .select(['id', 'size', 'uploader'])
    .where('account', '=', p('account'))
    .where('uploader', 'is not', null)
    .orderBy('uploaded_at')
    .orderBy('id'),
)

/** Uploads of one credential, oldest first. */
export async function uploadsOf(unit: AccountUnit, credential: string): Promise<Upload[]> {
  const rows = await unit.sql.all(uploadsByAge, { account: unit.account })
  return rows
    .map(({ id, size, uploader }) => ({ id, size, uploaders: uploader!.split(' ') }))
    .filter(({ uploaders }) => uploaders.includes(credential))
}

/** Removes a credential from an upload, and the upload if it was the only one. */
export async function dropUpload(unit: AccountUnit, { id, uploaders }: Upload, credential: string): Promise<void> {
  const others = uploaders.filter((uploader) => uploader !== credential)
  await unit.sql.query<unknown>((db) =>
    others.length > 0
      ? db
          .updateTable('account_blob')
          .set({ uploader: others.join(' ') })
          .where('account', '=', unit.account)
          .where('id', '=', id)
      : db.deleteFrom('account_blob').where('account', '=', unit.account).where('id', '=', id),
  )
}
