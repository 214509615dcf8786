/**
 * swaks (Debian) against the listeners of a running server: forms of AUTH and STARTTLS that must work, and forms that must not. One
 * line for each; exits 1 if a result differs.
 *
 *     node scripts/interop/swaks.ts
 */
import { spawnSync } from 'node:child_process'
import { startPosthouse } from '../bench/support/posthouse.ts'

const server = await startPosthouse()
const { mailbox, submission, smtp } = server
const own = mailbox.address
const login = ['--auth-user', own, '--auth-password', mailbox.password]
const wrong = ['--auth-user', own, '--auth-password', 'not the password']
const mail = (from: string, to: string) => ['--from', from, '--to', to, '--header', `From: <${from}>`]
const starttls = ['--port', String(submission.port), '--tls']
const wrapped = ['--port', String(submission.tls_port), '--tls-on-connect']
const clear = ['--port', String(submission.port)]
const inbound = ['--port', String(smtp.port)]
const out = mail(own, 'ada@example.com')

const CASES: [what: string, args: string[], works: boolean][] = [
  ['587 STARTTLS, AUTH PLAIN', [...starttls, '--auth', 'PLAIN', ...login, ...out], true],
  ['587 STARTTLS, AUTH LOGIN', [...starttls, '--auth', 'LOGIN', ...login, ...out], true],
  ['465 TLS, AUTH PLAIN', [...wrapped, '--auth', 'PLAIN', ...login, ...out], true],
  ['465 TLS, AUTH LOGIN', [...wrapped, '--auth', 'LOGIN', ...login, ...out], true],
  ['465 TLS, to a mailbox here', [...wrapped, '--auth', 'PLAIN', ...login, ...mail(own, own)], true],
  ['587 in clear, AUTH PLAIN', [...clear, '--auth', 'PLAIN', ...login, ...out], false],
  ['587 in clear, AUTH LOGIN', [...clear, '--auth', 'LOGIN', ...login, ...out], false],
  ['587 STARTTLS, no AUTH', [...starttls, ...out], false],
  ['465 TLS, wrong password', [...wrapped, '--auth', 'PLAIN', ...wrong, ...out], false],
  ['465 TLS, AUTH CRAM-MD5', [...wrapped, '--auth', 'CRAM-MD5', ...login, ...out], false],
  [
    '465 TLS, the name of another',
    [...wrapped, '--auth', 'PLAIN', ...login, ...mail('other@example.test', 'ada@example.com')],
    false,
  ],
  ['25 in clear, to a mailbox here', [...inbound, ...mail('ada@example.com', own)], true],
  ['25 STARTTLS, to a mailbox here', [...inbound, '--tls', ...mail('ada@example.com', own)], true],
  ['25, to somewhere else', [...inbound, ...mail('ada@example.com', 'ben@example.net')], false],
  ['25, to nobody here', [...inbound, ...mail('ada@example.com', 'nobody@example.test')], false],
  ['25, AUTH', [...inbound, '--tls', '--auth', 'PLAIN', ...login, ...out], false],
]

for (const [what, args, works] of CASES) {
  const run = spawnSync('swaks', ['--server', '127.0.0.1', '--helo', 'client.example.org', ...args], {
    encoding: 'utf8',
  })
  if (run.error) throw run.error
  const good = (run.status === 0) === works
  const refusal =
    /^<(?:\*\*|~\*)\s+(.*)$/m.exec(run.stdout)?.[1] ?? /\*\*\* (.*)/.exec(run.stdout + run.stderr)?.[1] ?? ''
  console.log(`${good ? 'ok    ' : 'WRONG '} ${what}: ${run.status === 0 ? 'taken' : `refused: ${refusal.trim()}`}`)
  if (!good) process.exitCode = 1
}
await server.stop()
