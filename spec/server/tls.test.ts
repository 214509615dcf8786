import { X509Certificate } from 'node:crypto'
import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ManualClock, systemClock } from '../../server/base/clock.ts'
import { SELF_SIGNED_LIFETIME_MS } from '../../server/base/limits.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { type TlsMaterial, tlsMaterial } from '../../server/tls/material.ts'
import { tlsRenewal } from '../../server/workers/tls-renewal.ts'
import { temporaryFolder } from '../support/posthouse.ts'

const HOSTNAME = 'mail.example.test'

t.test('a self-signed certificate is created once, for the host and for loopback', async (t) => {
  const config = { tls: null, data: temporaryFolder(t), hostname: HOSTNAME }
  const first = await tlsMaterial(config, systemClock)
  const certificate = new X509Certificate(first.cert)
  t.ok(certificate.checkHost(HOSTNAME))
  t.ok(certificate.checkHost('localhost'))
  t.ok(certificate.checkIP('127.0.0.1'))
  t.equal(statSync(join(config.data, 'self-signed-key.pem')).mode & 0o777, 0o600)
  t.same(await tlsMaterial(config, systemClock), first)
})

t.test('an expired or damaged certificate is created again', async (t) => {
  const config = { tls: null, data: temporaryFolder(t), hostname: HOSTNAME }
  const clock = new ManualClock()
  const first = await tlsMaterial(config, clock)
  clock.advance(SELF_SIGNED_LIFETIME_MS - 1_000)
  t.same(await tlsMaterial(config, clock), first)
  clock.advance(2_000)
  const second = await tlsMaterial(config, clock)
  t.not(second.cert, first.cert)
  writeFileSync(join(config.data, 'self-signed-cert.pem'), 'not a certificate')
  t.not((await tlsMaterial(config, clock)).cert, second.cert)
})

t.test("the operator's files must exist and match", async (t) => {
  const data = temporaryFolder(t)
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) =>
      tlsMaterial({ tls: null, data: temporaryFolder(t), hostname: `${name}.test` }, systemClock),
    ),
  )
  const tls = writePair(data, one!)
  t.same(await tlsMaterial({ tls, data, hostname: HOSTNAME }, systemClock), one)
  writeFileSync(tls.key, other!.key)
  await t.rejects(tlsMaterial({ tls, data, hostname: HOSTNAME }, systemClock), {
    code: 'configuration',
    message: /tls_cert/,
  })
  const absent = { cert: join(data, 'absent.pem'), key: tls.key }
  await t.rejects(tlsMaterial({ tls: absent, data, hostname: HOSTNAME }, systemClock), { message: /absent\.pem/ })
})

t.test('a renewed certificate is used without a restart, a half-written one is not', async (t) => {
  const make = () => tlsMaterial({ tls: null, data: temporaryFolder(t), hostname: HOSTNAME }, systemClock)
  const [first, second] = await Promise.all([make(), make()])
  const files = writePair(temporaryFolder(t), first)
  const taken: TlsMaterial[] = []
  const renewTls = (material: TlsMaterial) => void taken.push(material)
  const turn = tlsRenewal({ config: { tls: files }, renewTls, logger: silentLogger })!
  await turn()
  t.same(taken, [], 'nothing has changed')
  writeFileSync(files.cert, second.cert)
  utimesSync(files.cert, 1, 1)
  await t.rejects(turn(), { message: /tls_cert/ })
  t.same(taken, [], 'the key is still the old one')
  writeFileSync(files.key, second.key)
  await turn()
  t.same(taken, [second])
  await turn()
  t.equal(taken.length, 1, 'it is taken once')
})

function writePair(folder: string, { cert, key }: TlsMaterial): { cert: string; key: string } {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  return files
}
