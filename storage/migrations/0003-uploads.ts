import { sql } from 'kysely'
import type { Migration } from './index.ts'

/** Finding the uploads of an account, and a row by where its octets lie, without going through every blob. */
export const uploads: Migration = ({ schema, run }) => {
  run(
    schema
      .createIndex('account_blob_upload')
      .on('account_blob')
      .columns(['account', 'uploaded_at', 'id', 'size'])
      .where(sql.ref('uploader'), 'is not', sql.lit(null)),
  )
  run(
    schema
      .createIndex('blob_location')
      .on('blob')
      .column('location')
      .where(sql.ref('location'), 'is not', sql.lit(null)),
  )
}
