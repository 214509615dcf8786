import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { STRIPE_WEBHOOK_MAX_BYTES } from '../../../server/base/billing-limits.ts'
import { PUBLIC_MAX_RECEIVING_BYTES } from '../../../server/base/public-page-limits.ts'
import { publicBodies } from '../../../server/pages/public-bodies.ts'

t.test('bodies of anybody who sends slowly are together bounded in memory', async (t) => {
  const bodies = publicBodies(STRIPE_WEBHOOK_MAX_BYTES)
  const begin = async (octets: number) => {
    const request = Object.assign(new PassThrough(), { headers: {} })
    const body = bodies.read(request as unknown as IncomingMessage, STRIPE_WEBHOOK_MAX_BYTES, () => new Error('large'))
    const settled = body.then(({ length }) => length).catch(({ details }) => details?.status)
    await new Promise((resolve) => request.write(Buffer.alloc(octets), resolve))
    return { settled, end: () => request.end() }
  }
  const whole = PUBLIC_MAX_RECEIVING_BYTES / STRIPE_WEBHOOK_MAX_BYTES
  const slow = []
  for (let i = 0; i < whole; i++) slow.push(await begin(STRIPE_WEBHOOK_MAX_BYTES))
  t.equal(await (await begin(1)).settled, 503)
  for (const { end } of slow) end()
  t.same(new Set(await Promise.all(slow.map(({ settled }) => settled))), new Set([STRIPE_WEBHOOK_MAX_BYTES]))
  const next = await begin(1)
  next.end()
  t.equal(await next.settled, 1, 'control')
})
