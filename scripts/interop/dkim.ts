/**
 * Verifies our signatures with foreign verifiers: real messages are sent, captured (`--outbound capture`) and verified by OpenDKIM,
 * dkimpy and Mail::DKIM with the keys that the domain lists. A changed body must not verify. Exits 1 if one of these fails. From
 * Debian: opendkim, python3-dkim with python3-nacl, libmail-dkim-perl.
 *
 *     node scripts/interop/dkim.ts [--messages 200]
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { type Running, startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { contentFields, corpusMessages } from './support/corpus-messages.ts'

const { values } = parseArgs({ options: { messages: { type: 'string', default: '200' } } })
const messages = corpusMessages(wholeNumber(values, 'messages'))
const PATIENCE_MS = 120_000
const POLL_MS = 500

/** dkimpy over files named on the command line, with keys in a file of `name<tab>record`: one word for each file. */
const DKIMPY = `
import sys, dkim
keys = dict(line.rstrip('\\n').split('\\t') for line in open(sys.argv[1]))
def txt(name, timeout=5):
    return keys.get((name.decode() if isinstance(name, bytes) else name).rstrip('.'), '').encode()
for path in sys.argv[2:]:
    mail = open(path, 'rb').read()
    d = dkim.DKIM(mail)
    n = len([h for h in d.headers if h[0].lower() == b'dkim-signature'])
    try:
        print('pass' if n == 2 and all(dkim.DKIM(mail).verify(i, dnsfunc=txt) for i in range(n)) else 'fail')
    except Exception as e:
        print('fail', e)
`

/** Mail::DKIM over the same files: `pass` if the RSA signature passes; Debian's version does not support Ed25519. */
const MAIL_DKIM = `
use Mail::DKIM::Verifier;
open my $table, '<', shift; my %keys = map { chomp; split /\\t/, $_, 2 } <$table>;
{ package Key; sub type { 'TXT' } sub char_str_list { $_[0]{text} } sub txtdata { $_[0]{text} } }
no warnings 'redefine';
*Mail::DKIM::DNS::query = sub { my ($name) = @_; $@ = ''; my $text = $keys{$name}; return $text ? bless({ text => $text }, 'Key') : () };
for my $path (@ARGV) {
  my $dkim = Mail::DKIM::Verifier->new; open my $mail, '<:raw', $path; local $/; my $text = <$mail>;
  $dkim->PRINT($text); $dkim->CLOSE;
  print join(' ', map { $_->algorithm . ':' . $_->result } $dkim->signatures), "\\n";
}
`

async function send({ mailbox, submission }: Running): Promise<void> {
  const { address, password } = mailbox
  const client = await SmtpClient.connect(submission.tls_port, { tls: true })
  const login = Buffer.from(`\0${address}\0${password}`).toString('base64')
  await client.commands(['EHLO interop.example.org', '250'], [`AUTH PLAIN ${login}`, '235'])
  for (const { header, body } of messages) {
    const text = `From: <${address}>\r\nTo: ada@example.com\r\nSubject: interop\r\n${contentFields(header)}\r\n${body}`
    const stuffed = text.replace(/(^|\r\n)\./g, '$1..')
    await client.commands(
      [`MAIL FROM:<${address}> BODY=8BITMIME`, '250'],
      ['RCPT TO:<ada@example.com>', '250'],
      ['DATA', '354'],
    )
    client.write(Buffer.from(stuffed.endsWith('\r\n') ? stuffed : `${stuffed}\r\n`, 'latin1'))
    const reply = await client.command('.')
    if (!reply.startsWith('250')) throw new Error(`a message was refused: ${reply}`)
  }
  client.end()
}

async function captured({ data }: Running): Promise<string[]> {
  const folder = join(data, 'captured')
  for (let waited = 0; ; waited += POLL_MS) {
    const files = readdirSync(folder).filter((name) => name.endsWith('.eml'))
    if (files.length >= messages.length || waited > PATIENCE_MS) return files.map((name) => join(folder, name))
    await sleep(POLL_MS)
  }
}

/** Names and texts of the keys to publish. */
async function keysOf({ http, domain, api_key }: Running): Promise<[string, string][]> {
  const headers = { authorization: `Bearer ${api_key}` }
  const response = await fetch(`${http}/api/v1/domains/${domain.id}/dns-records?include=recommended`, { headers })
  const { records } = (await response.json()) as { records: { host: string; value: string }[] }
  return records.filter(({ host }) => host.includes('._domainkey.')).map(({ host, value }) => [host, value])
}

function openDkim(folder: string, files: readonly string[]): number {
  const config = join(folder, 'opendkim.conf')
  writeFileSync(config, `Mode v\nTestDNSData file:${join(folder, 'keys.opendkim')}\nSyslog no\n`)
  return files.filter((file) => {
    const { stdout, stderr } = spawnSync('opendkim', ['-x', config, '-vv', '-t', file], { encoding: 'utf8' })
    return /verification (?:\([^)]*\) )?succeeded/.test(stdout + stderr)
  }).length
}

function dkimpy(folder: string, files: readonly string[]): number {
  const out = execFileSync('/usr/bin/python3', ['-c', DKIMPY, join(folder, 'keys.tsv'), ...files], { encoding: 'utf8' })
  return out.split('\n').filter((line) => line === 'pass').length
}

function mailDkim(folder: string, files: readonly string[]): number {
  const script = join(folder, 'verify.pl')
  writeFileSync(script, MAIL_DKIM)
  const out = execFileSync('/usr/bin/perl', [script, join(folder, 'keys.tsv'), ...files], { encoding: 'utf8' })
  return out.split('\n').filter((line) => line.includes('rsa-sha256:pass')).length
}

function report(what: string, count: number, wanted: number): void {
  console.log(`${what}: ${count} of ${messages.length}${count === wanted ? '' : `, wanted ${wanted}`}`)
  if (count !== wanted) process.exitCode = 1
}

const server = await startPosthouse()
const folder = mkdtempSync(join(tmpdir(), 'posthouse-dkim-'))
try {
  const keys = await keysOf(server)
  writeFileSync(join(folder, 'keys.tsv'), keys.map(([name, text]) => `${name}\t${text}\n`).join(''))
  writeFileSync(join(folder, 'keys.opendkim'), keys.map(([name, text]) => `${name} ${text}\n`).join(''))
  await send(server)
  const files = await captured(server)
  const changed = files.map((file, i) => {
    const path = join(folder, `${i}.eml`)
    const text = readFileSync(file, 'latin1')
    writeFileSync(path, `${text.endsWith('\r\n') ? text : `${text}\r\n`}Added.\r\n`, 'latin1')
    return path
  })
  report('opendkim verifies (rsa)', openDkim(folder, files), messages.length)
  report('opendkim verifies with a line added', openDkim(folder, changed), 0)
  report('dkimpy verifies (rsa and ed25519)', dkimpy(folder, files), messages.length)
  report('dkimpy verifies with a line added', dkimpy(folder, changed), 0)
  report('Mail::DKIM verifies (rsa)', mailDkim(folder, files), messages.length)
  report('Mail::DKIM verifies with a line added', mailDkim(folder, changed), 0)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
