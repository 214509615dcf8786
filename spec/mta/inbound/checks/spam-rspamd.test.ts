import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import type { InboundVerdict } from '../../../../jmap/delivery/inbound-verdict.ts'
import type { CheckedMessage } from '../../../../mta/inbound/checks/check.ts'
import { rspamdCheck } from '../../../../mta/inbound/checks/spam-rspamd.ts'
import { ManualClock } from '../../../../server/base/clock.ts'
import { silentLogger } from '../../../../server/base/logger.ts'
import { RSPAMD_REST_MS } from '../../../../server/base/spam-limits.ts'
import { Egress } from '../../../../server/egress/safe-fetch.ts'
import { listenOnLoopback } from '../../../support/loopback-server.ts'

const ANSWER = {
  is_skipped: false,
  score: 8.304,
  required_score: 15,
  action: 'add header',
  symbols: {
    FUZZY_PROB: { name: 'FUZZY_PROB', score: 7.5, description: 'Fuzzy hash matched', options: ['1:abc', '2:def'] },
    MIME_GOOD: { name: 'MIME_GOOD', score: -0.1, options: ['text/plain'] },
    ARC_NA: { name: 'ARC_NA', score: 0 },
  },
}

t.test("Rspamd's answer becomes the verdict, the heaviest symbol first", async (t) => {
  const { check } = await rspamd(t, () => ({ status: 200, body: JSON.stringify(ANSWER) }))
  t.same(await check.run(mail(), {}), {
    verdict: {
      outside: {
        score: 8.3,
        engine: 'rspamd',
        symbols: [
          { name: 'FUZZY_PROB', score: 7.5, description: 'Fuzzy hash matched', detail: '1:abc, 2:def' },
          { name: 'MIME_GOOD', score: -0.1, description: 'MIME_GOOD', detail: 'text/plain' },
        ],
      },
    },
  })
})

t.test('Rspamd gets the message and its envelope', async (t) => {
  const { check, asked } = await rspamd(t, () => ({ status: 200, body: JSON.stringify(ANSWER) }))
  const iprev = { result: 'pass', name: 'mx.example.org' }
  await check.run(mail(), { authentication: { iprev } } as unknown as InboundVerdict)
  t.match(asked, [
    {
      path: '/checkv2',
      body: 'Subject: x\r\n\r\nHello\r\n',
      headers: {
        ip: '192.0.2.1',
        helo: 'client.example',
        hostname: 'mx.example.org',
        from: 'anna@example.org',
        rcpt: 'ben@example.test',
      },
    },
  ])
})

t.test('a name that a header field cannot hold is omitted', async (t) => {
  const { check, asked } = await rspamd(t, () => ({ status: 200, body: JSON.stringify(ANSWER) }))
  t.ok('verdict' in (await check.run(mail({ helo: 'ev\r\nil: 1', mailFrom: '' }), {})))
  t.match(asked, [{ headers: { helo: undefined, il: undefined, from: '<>' } }])
})

t.test('there is no verdict if Rspamd fails, skips the message, or returns an invalid answer', async (t) => {
  const answers = [
    { status: 500, body: JSON.stringify(ANSWER) },
    { status: 200, body: 'no JSON' },
    { status: 200, body: '[]' },
    { status: 200, body: '{"score":"9"}' },
    { status: 200, body: JSON.stringify({ ...ANSWER, is_skipped: true, action: 'no action' }) },
  ]
  for (const answer of answers) {
    const { check } = await rspamd(t, () => answer)
    t.same(await check.run(mail(), {}), {}, answer.body)
  }
})

t.test("the result of Rspamd's pre-filter counts, although the rest was skipped", async (t) => {
  // The answer of Rspamd 3.4 to the test message of spam filters.
  const symbols = { GTUBE: { name: 'GTUBE', score: 0, metric_score: 0 } }
  const answer = { is_skipped: true, score: 15, required_score: 15, action: 'reject', symbols }
  const { check } = await rspamd(t, () => ({ status: 200, body: JSON.stringify(answer) }))
  t.match(await check.run(mail(), {}), { verdict: { outside: { engine: 'rspamd', score: 15 } } })
})

t.test('after a failure Rspamd is not called for a while', async (t) => {
  let status = 500
  const { check, asked, clock } = await rspamd(t, () => ({ status, body: JSON.stringify(ANSWER) }))
  await check.run(mail(), {})
  status = 200
  t.same(await check.run(mail(), {}), {})
  t.equal(asked.length, 1)
  clock.advance(RSPAMD_REST_MS)
  t.match(await check.run(mail(), {}), { verdict: { outside: { engine: 'rspamd' } } })
})

interface Asked {
  readonly path: string
  readonly body: string
  readonly headers: Record<string, unknown>
}

async function rspamd(t: Test, answer: () => { status: number; body: string }) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push({ path: request.url!, body: Buffer.concat(chunks).toString(), headers: request.headers })
    const { status, body } = answer()
    response.writeHead(status).end(body)
  })
  const port = await listenOnLoopback(t, server)
  const clock = new ManualClock()
  const egress = new Egress({ clock, allowLoopback: true })
  t.teardown(() => egress.close())
  const url = `http://127.0.0.1:${port}`
  return { check: rspamdCheck({ url, fetch: egress.fetch.bind(egress), clock, log: silentLogger }), asked, clock }
}

function mail({ helo = 'client.example', mailFrom = 'anna@example.org' } = {}): CheckedMessage {
  const bytes = Buffer.from('Subject: x\r\n\r\nHello\r\n')
  const session = { remoteAddress: '192.0.2.1', helo }
  const recipients = [{ address: 'ben@example.test' }]
  return { message: { id: 'q1', bytes, mailFrom, recipients, session } } as unknown as CheckedMessage
}
