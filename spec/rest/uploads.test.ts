import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { Uploads } from '../../rest/pipeline/uploads.ts'
import { ASSET_UPLOADS_PER_ORGANIZATION_MAX } from '../../server/base/image-limits.ts'

t.test('an organization with many keys receives only some files at once', async (t) => {
  const uploads = new Uploads()
  const begin = (credential: string, organization = 1) => {
    const request = Object.assign(new PassThrough(), { headers: {} })
    const { pieces } = uploads.open(request as unknown as IncomingMessage, 1_000, { credential, organization })
    const first = pieces(1_000)[Symbol.asyncIterator]().next()
    const outcome = first.then(({ done }) => (done ? 'ended' : 'piece')).catch(({ code }) => code)
    return { outcome, end: () => request.end() }
  }
  const open = Array.from({ length: ASSET_UPLOADS_PER_ORGANIZATION_MAX }, (_, i) => begin(`key ${i}`))
  t.equal(await begin('another key').outcome, 'rate_limit_exceeded')
  const far = begin('key 0', 2)
  far.end()
  t.equal(await far.outcome, 'ended', 'another organization has its own')
  for (const { end } of open) end()
  t.same(new Set(await Promise.all(open.map(({ outcome }) => outcome))), new Set(['ended']))
  const next = begin('another key')
  next.end()
  t.equal(await next.outcome, 'ended', 'control')
})
