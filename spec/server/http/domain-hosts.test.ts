/** Decision D7: the responses of HTTP under the service names of hosted domains. */
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { stsPolicyId } from '../../../jmap/policy/domain/sts-policy.ts'
import { startHttp } from '../../support/http-server.ts'

const { url } = await startHttp(t)
const POLICY = '/.well-known/mta-sts.txt'
const AUTOCONFIG = '/mail/config-v1.1.xml'
const AUTODISCOVER = '/autodiscover/autodiscover.xml'

/** fetch() does not allow the Host header to be set. */
function ask(host: string, path: string, method = 'GET', body = '') {
  return new Promise<{ status: number; type: string; body: string }>((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, headers: { Host: host } }, async (response) => {
      const type = response.headers['content-type'] ?? ''
      resolve({ status: response.statusCode!, type, body: await text(response) })
    })
    request.on('error', reject)
    request.end(body)
  })
}

t.test('the MTA-STS policy names our mail host (RFC 8461 3.2)', async (t) => {
  const { status, type, body } = await ask('mta-sts.example.test', POLICY)
  t.equal(status, 200)
  t.match(type, /^text\/plain/)
  t.same(body.split('\r\n'), ['version: STSv1', 'mode: enforce', 'mx: mx.example.net', 'max_age: 604800', ''])
  t.not(stsPolicyId('mx.example.net'), stsPolicyId('mx2.example.net'), 'another policy has another id')
})

t.test('mail clients find where to send and to read', async (t) => {
  const { status, type, body } = await ask('autoconfig.example.test', `${AUTOCONFIG}?emailaddress=alice%40example.test`)
  t.equal(status, 200)
  t.match(type, /^text\/xml/)
  t.match(body, '<emailProvider id="example.test">')
  t.match(body, '<url>https://mx.example.net/.well-known/jmap</url>')
  t.match(body, /<hostname>mx\.example\.net<\/hostname>\s+<port>465<\/port>\s+<socketType>SSL</)
  t.match(body, /<port>587<\/port>\s+<socketType>STARTTLS</)
  const outlook = await ask('AutoDiscover.Example.TEST:80', '/Autodiscover/Autodiscover.xml', 'POST', '<Autodiscover/>')
  t.equal(outlook.status, 200)
  t.match(outlook.body, /<Type>SMTP<\/Type>\s+<Server>mx\.example\.net<\/Server>\s+<Port>465</)
})

t.test('unknown names of domains and unknown paths get the usual answer', async (t) => {
  for (const [host, path] of [
    ['mta-sts.elsewhere.test', POLICY],
    ['example.test', POLICY],
    ['mta-sts.example.test', AUTOCONFIG],
    ['autoconfig.example.test', AUTODISCOVER],
    ['mta-sts.', POLICY],
    ['autoconfig.<script>.test', AUTOCONFIG],
  ] as const)
    t.equal((await ask(host, path)).status, 404, `${host}${path}`)
  t.equal((await ask('autoconfig.example.test', '/healthz')).status, 200)
})

t.test('other methods are refused', async (t) => {
  t.equal((await ask('mta-sts.example.test', POLICY, 'POST')).status, 405)
  t.equal((await ask('autodiscover.example.test', AUTODISCOVER, 'DELETE')).status, 405)
})
