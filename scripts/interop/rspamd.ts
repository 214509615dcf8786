/**
 * A real Rspamd (Debian: rspamd) that a running server asks over HTTP: its spam (GTUBE) is in Junk with its symbols, other mail in the
 * inbox, and after it is stopped the built-in score counts. Exits 1 if one of these fails.
 *
 *     node scripts/interop/rspamd.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { freePort } from '../bench/support/ports.ts'
import { type Running, startPosthouse } from '../bench/support/posthouse.ts'

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'

interface Verdict {
  readonly engine: string
  readonly score: number
  readonly symbols: readonly { readonly name: string }[]
}

function configuration(folder: string, port: number): string {
  return `options {
  pidfile = "${folder}/rspamd.pid";
  .include "/etc/rspamd/options.inc"
  dns { nameserver = ["127.0.0.1:1"]; timeout = 0.1s; retransmits = 1; }
}
.include "/etc/rspamd/common.conf"
logging { type = "console"; level = "error"; }
worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; }
`
}

async function startRspamd(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-rspamd-'))
  for (const name of ['db', 'run', 'log']) mkdirSync(join(folder, name))
  const port = await freePort()
  writeFileSync(join(folder, 'rspamd.conf'), configuration(folder, port))
  const places = ['DBDIR=db', 'RUNDIR=run', 'LOGDIR=log'].flatMap((place) => {
    const [name, path] = place.split('=') as [string, string]
    return ['--var', `${name}=${join(folder, path)}`]
  })
  const daemon = spawn('rspamd', ['-f', '-i', '-c', join(folder, 'rspamd.conf'), ...places], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/ping`).catch(() => null)
    if (answer?.ok) break
    if (tries > 300) throw new Error('Rspamd does not answer')
    await sleep(200)
  }
  // Its first message takes seconds.
  await fetch(`${url}/checkv2`, { method: 'POST', body: 'Subject: first\r\n\r\nfirst\r\n' })
  return {
    url,
    async stop() {
      const exited = once(daemon, 'exit')
      daemon.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Sends a message with this text to the mailbox; returns its mailbox and the reason. */
async function deliver(server: Running, text: string): Promise<{ role: string | null; verdict: Verdict }> {
  const { smtp, mailbox, http, api_key } = server
  const client = await SmtpClient.connect(smtp.port)
  await client.commands(['EHLO client.example.org', '250'])
  const date = new Date().toUTCString().replace('GMT', '+0000')
  const fields = `From: Ada <ada@example.com>\r\nTo: ${mailbox.address}\r\nDate: ${date}\r\nMessage-ID: <${Date.now()}@example.com>\r\n`
  const reply = await client.send('ada@example.com', [mailbox.address], `${fields}Subject: interop\r\n\r\n${text}\r\n`)
  if (!reply.startsWith('250')) throw new Error(`the message was refused: ${reply}`)
  client.end()
  const accountId = mailbox.id
  const call = (name: string, args: object, id: string) => [name, { accountId, ...args }, id]
  const methodCalls = [
    call('Email/query', { limit: 1 }, 'q'),
    call(
      'Email/get',
      { '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['mailboxIds', 'spamVerdict'] },
      'e',
    ),
    call('Mailbox/get', { ids: null, properties: ['role'] }, 'm'),
  ]
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail', 'urn:posthouse:params:jmap:service']
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const response = await fetch(`${http}/jmap/api`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ using, methodCalls }),
  })
  const { methodResponses } = (await response.json()) as {
    methodResponses: [string, { list: Record<string, never>[] }][]
  }
  const [email] = methodResponses[1]![1].list as unknown as { mailboxIds: object; spamVerdict: Verdict }[]
  const mailboxes = methodResponses[2]![1].list as unknown as { id: string; role: string | null }[]
  return { role: mailboxes.find(({ id }) => id in email!.mailboxIds)?.role ?? null, verdict: email!.spamVerdict }
}

function expect(what: string, found: Awaited<ReturnType<typeof deliver>>, role: string, engine: string): void {
  const { verdict } = found
  const good = found.role === role && verdict.engine === engine
  const symbols = verdict.symbols.map(({ name }) => name).slice(0, 6)
  console.log(
    `${good ? 'ok    ' : 'WRONG '} ${what}: ${found.role}, ${verdict.engine} ${verdict.score} (${symbols.join(', ')})`,
  )
  if (!good) process.exitCode = 1
}

const rspamd = await startRspamd()
const server = await startPosthouse(['--sender-checks', 'on', '--rspamd', rspamd.url])
try {
  expect('GTUBE', await deliver(server, GTUBE), 'junk', 'rspamd')
  expect('plain mail', await deliver(server, 'Shall we meet at the harbour on Tuesday?'), 'inbox', 'rspamd')
} finally {
  await rspamd.stop()
}
expect('plain mail, Rspamd gone', await deliver(server, 'Shall we meet on Wednesday then?'), 'inbox', 'posthouse')
await server.stop()
