// Decision D33
import t from 'tap'
import { StagedS3 } from '../../../server/imports/staging/staged-s3.ts'
import { S3Uploads } from '../../../storage/blobs/s3-uploads.ts'
import { startS3 } from '../../storage/blobs/s3-service.ts'

const PART_BYTES = 5_242_880

async function* chunksOf(octets: Buffer, size = 300_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size)
}

async function* cut(octets: Buffer): AsyncGenerator<Buffer> {
  yield* chunksOf(octets)
  throw new Error('the connection ended')
}

t.test(
  'a file is uploaded to S3 in parts, goes on after a cut in another process, and is read in any order',
  async (t) => {
    const service = await startS3(t)
    const aborted: string[] = []
    // s3rver does not know the end of an upload that is not completed.
    service.fault = (ctx) => {
      if (ctx.method !== 'DELETE' || !ctx.req.url!.includes('uploadId')) return false
      aborted.push(ctx.path)
      ctx.status = 204
      return true
    }
    const open = () => {
      const uploads = new S3Uploads(service.options('staged'))
      t.teardown(() => uploads.close())
      return new StagedS3(async () => uploads, PART_BYTES)
    }
    const octets = Buffer.alloc(2 * PART_BYTES + 1_000_000, 'staged ')
    octets.write('the end', octets.length - 7)
    const { length: size } = octets
    const first = open()
    t.equal(await first.offset('a'), 0)
    await t.rejects(first.append('a', { from: 0, size }, cut(octets.subarray(0, PART_BYTES + 900_000))), /connection/)
    const second = open()
    const from = await second.offset('a')
    t.ok(from >= PART_BYTES && from < PART_BYTES + 900_000, 'whole parts stay')
    t.equal(
      await second.append('a', { from, size }, chunksOf(octets.subarray(from, from + 1_000))),
      from,
      'no whole part',
    )
    t.equal(await second.append('a', { from, size }, chunksOf(octets.subarray(from))), size)
    t.equal(await first.offset('a'), size)
    const file = await first.open('a', size)
    t.same(await file.read(PART_BYTES - 5, 10), octets.subarray(PART_BYTES - 5, PART_BYTES + 5))
    t.equal((await file.read(size - 7, 100)).toString(), 'the end')
    await second.append('b', { from: 0, size: 5 }, chunksOf(Buffer.from('whole')))
    await t.rejects(second.append('c', { from: 0, size: 5 }, cut(Buffer.from('wh'))), /connection/)
    t.same((await first.list()).sort(), ['a', 'b', 'c'])
    for (const place of ['a', 'c', 'nothing']) await first.remove(place)
    t.same(await first.list(), ['b'])
    t.same(aborted, ['/posthouse/staged/imports/c'], 'parts of an upload that was not completed are deleted')
    const gone = await first.open('a', size)
    t.match(await gone.read(0, 1).catch((error: unknown) => error), { code: 'corrupt' })
  },
)
