/**
 * The examples of the docs that verify a signature, each with a delivery of a running server. Node and Python are always tried; the others
 * when their program is named: `VERIFY_GO=go VERIFY_PHP=php VERIFY_RUBY=ruby VERIFY_JAVA=java`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { startWebhookInbox } from '../support/webhook-inbox.ts'

const example = (name: string) => fileURLToPath(new URL(`../../server/pages/docs/examples/${name}`, import.meta.url))

const LANGUAGES: readonly [file: string, program: string, args: readonly string[], version: string][] = [
  ['verify.mjs', process.env['VERIFY_NODE'] ?? process.execPath, [], '--version'],
  ['verify.py', process.env['VERIFY_PYTHON'] ?? 'python3', [], '--version'],
  ['verify.go', process.env['VERIFY_GO'] ?? '', ['run'], 'version'],
  ['verify.php', process.env['VERIFY_PHP'] ?? '', [], '--version'],
  ['verify.rb', process.env['VERIFY_RUBY'] ?? '', [], '--version'],
  ['verify.java', process.env['VERIFY_JAVA'] ?? '', [], '--version'],
]

t.test('a delivery is verified in every language of the docs, and a changed one is refused', async (t) => {
  const inbox = await startWebhookInbox(t)
  const env = { NODE_EXTRA_CA_CERTS: inbox.authority }
  const { ready } = await startPosthouse(t, temporaryFolder(t), ['--webhook-allow-private-cidrs=127.0.0.0/8'], env)
  const headers = { Authorization: `Bearer ${ready.api_key}`, 'Content-Type': 'application/json' }
  const post = async (path: string, body: object = {}) => {
    const answer = await fetch(`${ready.http}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { id: string; secret: string }
  }
  const { id, secret } = await post('/webhooks', { url: inbox.url, events: ['message.received'] })
  await post(`/webhooks/${id}/rotate-secret`)
  await post(`/webhooks/${id}/test`)
  const { body, headers: sent } = await inbox.take('webhook.test')
  const [at, signature, previous] = ['timestamp', 'signature', 'signature-previous'].map((name) =>
    String(sent[`x-service-${name}`]),
  )
  const old = String(Number(at) - 400)
  const here = LANGUAGES.filter(([, program, , version]) => program && spawnSync(program, [version]).status === 0)
  t.ok(here.some(([file]) => file === 'verify.mjs'))
  for (const [file, program, args] of here) {
    // The secret before the rotation: its signature is the second.
    const verify = async (input: Buffer, ...words: (string | undefined)[]) => {
      const child = spawn(program, [...args, example(file), ...words.map(String)], {
        env: { ...process.env, NODE_OPTIONS: '', WEBHOOK_SECRET: secret },
        stdio: ['pipe', 'inherit', 'ignore'],
      })
      child.stdin.on('error', () => {})
      child.stdin.end(input)
      const [code] = await once(child, 'close')
      return code
    }
    t.equal(await verify(body, at, signature, previous), 0, `${file}: genuine`)
    t.equal(await verify(Buffer.concat([body, Buffer.from(' ')]), at, signature, previous), 1, `${file}: another body`)
    t.equal(await verify(body, old, signature, previous), 1, `${file}: another time`)
    t.equal(await verify(body, at, signature), 1, `${file}: signed by another secret`)
  }
  t.comment(`verified with ${here.map(([file]) => file).join(', ')}`)
})
