import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import t from 'tap'
import { startS3 } from '../storage/blobs/s3-service.ts'
import { serve } from '../support/command-line.ts'
import { freshDatabase, stopOwnPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/posthouse.ts'

t.teardown(stopOwnPostgres)

t.test('the same program works with PostgreSQL and S3', async (t) => {
  const { url, drop } = await freshDatabase()
  t.teardown(drop)
  const { endpoint, bucket, accessKeyId, secretAccessKey } = (await startS3(t)).options('')
  const data = temporaryFolder(t)
  const settings = [
    `--database=${url}`,
    `--s3-endpoint=${endpoint}`,
    `--s3-bucket=${bucket}`,
    `--s3-access-key=${accessKeyId}`,
    `--s3-secret-key=${secretAccessKey}`,
  ]
  const first = await serve(t, data, settings)
  const { mailbox, http } = first.ready
  const Authorization = `Basic ${Buffer.from(`${mailbox.address}:${mailbox.password}`).toString('base64')}`
  const body = randomBytes(200_000)
  const uploaded = await fetch(`${http}/jmap/upload/${mailbox.id}`, {
    method: 'POST',
    headers: { Authorization },
    body,
  })
  t.equal(uploaded.status, 201)
  const { blobId } = (await uploaded.json()) as { blobId: string }
  t.equal(await first.stop(), 0)
  t.notOk(
    readdirSync(data).some((name) => name === 'posthouse.db' || name === 'blobs'),
    'nothing of it is in the folder',
  )
  const second = await serve(t, data, settings)
  t.equal(second.ready.mailbox.password, mailbox.password)
  const back = await fetch(`${second.ready.http}/jmap/download/${mailbox.id}/${blobId}/x`, {
    headers: { Authorization },
  })
  t.ok(Buffer.from(await back.arrayBuffer()).equals(body))
})
