// Promise S13, RFC 8601 5: no other server can write results in the name of this one.
import t from 'tap'
import { SmtpClient } from '../../../support/smtp-client.ts'
import { startInbound } from '../../../support/smtp-listeners.ts'

const FORGED = [
  'Authentication-Results: mx.posthouse.test; dkim=pass FORGED',
  'AUTHENTICATION-RESULTS: mx.posthouse.test; dkim=pass FORGED',
  'authentication-Results: MX.Posthouse.TEST; dkim=pass FORGED',
  'Authentication-Results : mx.posthouse.test; dkim=pass FORGED',
  'Authentication-Results\t: mx.posthouse.test; dkim=pass FORGED',
  'Authentication-Results:mx.posthouse.test;dkim=pass FORGED',
  'Authentication-Results:\r\n mx.posthouse.test; dkim=pass FORGED',
  'Authentication-Results:\r\n\tmx.posthouse.test\r\n\t;\r\n\tdkim=pass FORGED',
  'Authentication-Results: (a comment) mx.posthouse.test; dkim=pass FORGED',
  'Authentication-Results: (a (nested \\) one)) mx.posthouse.test; dkim=pass FORGED',
  'Authentication-Results: (folded\r\n comment)\r\n mx.posthouse.test (and after); dkim=pass FORGED',
  'Authentication-Results: "mx.posthouse.test"; dkim=pass FORGED',
  'Authentication-Results: "mx.post\\house.test"; dkim=pass FORGED',
  'Authentication-Results: mx.posthouse.test 1; dkim=pass FORGED',
  'Authentication-Results: mx.posthouse.test/1; dkim=pass FORGED',
  'Authentication-Results: mx.posthouse.test.; dkim=pass FORGED',
  'Authentication-Results: ｍｘ.posthouse.test; dkim=pass FORGED',
  'Authentication-Results: mx.post\u00adhouse.test; dkim=pass FORGED',
  'Authentication-Results: mx.posthouse.test FORGED',
  'Authentication-Results: (never closed mx.posthouse.test; dkim=pass FORGED',
  'Authentication-Results: ; dkim=pass FORGED',
  'Authentication-Results: "mx.posthouse.test; dkim=pass FORGED',
  `Authentication-Results: ${'(x)\r\n '.repeat(20_000)}mx.posthouse.test; dkim=pass FORGED`,
]
const FOREIGN = [
  'Authentication-Results: mx.elsewhere.test; dkim=pass KEPT',
  'Authentication-Results: posthouse.test; dkim=pass KEPT',
  'Authentication-Results: (mx.posthouse.test) other.test 1; dkim=pass KEPT',
  'Authentication-Results: "a b"; none KEPT',
  'X-Authentication-Results: mx.posthouse.test; dkim=pass KEPT',
  'ARC-Authentication-Results: i=1; mx.posthouse.test; dkim=pass KEPT',
]

t.test('forged results are removed in every form', async (t) => {
  t.ok(FORGED.length >= 20)
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  for (const field of FORGED) {
    await client.send('', ['alice@posthouse.test'], `Subject: x\r\n${field}\r\nTo: y@z.test\r\n\r\nFORGED in the body`)
    const text = Buffer.from(core.messages.at(-1)!.bytes).toString()
    t.equal(text.split('FORGED').length, 2, JSON.stringify(field.slice(0, 80)))
    t.match(text, /Subject: x\r\nTo: y@z\.test\r\n\r\n/)
  }
  client.end()
})

t.test('results of other servers under their own names stay', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  for (const field of FOREIGN) {
    await client.send('', ['alice@posthouse.test'], `Subject: x\r\n${field}\r\n\r\nbody`)
    t.ok(Buffer.from(core.messages.at(-1)!.bytes).toString().includes(`${field}\r\n`), field)
  }
  client.end()
})
