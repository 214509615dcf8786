/**
 * CPU per message of a whole parse (structure, header values, preview, text for search), compared with mailparser's simpleParser in the
 * same run, and agreement with the corpora (spec/support/corpora.ts). One line per figure: `npx node scripts/bench/mime.ts`. The bombs
 * of promise P4 follow.
 */
import { simpleParser } from 'mailparser'
import { parseMessage } from '../../jmap/message/structure.ts'
import { mailsIn } from '../../spec/jmap/message/corpus.ts'
import { compareAll } from '../../spec/jmap/message/mail-parser-corpus.ts'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'

const ROUNDS = 5

function message(textBytes: number, attachmentBytes: number): Buffer {
  const line = 'The quick brown fox jumps over the lazy dog, again and again, as foxes do.\r\n'
  const text = line.repeat(Math.max(1, Math.round(textBytes / 2 / line.length)))
  const html = `<html><head><style>p { color: red }</style></head><body>${text
    .split('\r\n')
    .map((row) => `<p class="x">${row}</p>`)
    .join('\r\n')}</body></html>`
  const base64 = Buffer.alloc(attachmentBytes, 7).toString('base64').replace(/.{76}/g, '$&\r\n')
  const attachment = `--mix\r\nContent-Type: application/pdf; name="report.pdf"\r\nContent-Disposition: attachment; filename="report.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n`
  return Buffer.from(
    [
      'Return-Path: <bounce@lists.example.com>',
      'Received: from mx.example.com (mx.example.com [192.0.2.1])',
      '\tby mail.example.org with ESMTPS id 4F2a1b for <jane@example.org>;',
      '\tTue, 10 Jul 2018 03:05:08 +1000',
      'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=mail;',
      '\th=from:to:subject:date; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=abc',
      'From: =?UTF-8?Q?J=C3=B6rg_Example?= <joerg@example.com>',
      'To: "Doe, Jane" <jane@example.org>, friends@example.net',
      'Subject: =?UTF-8?B?R3LDvMOfZSBhdXMgQmVybGlu?= and more',
      'Date: Tue, 10 Jul 2018 03:05:08 +1000',
      'Message-ID: <20180710.1@example.com>',
      'References: <a@example.com> <b@example.com>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="mix"',
      '',
      '--mix',
      'Content-Type: multipart/alternative; boundary="alt"',
      '',
      '--alt',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      text,
      '--alt',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      html.replaceAll('=', '=3D'),
      '--alt--',
      attachmentBytes > 0 ? attachment : '',
      '--mix--',
      '',
    ].join('\r\n'),
  )
}

async function cpu(run: () => unknown, count: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    for (let index = 0; index < count; index++) await run()
    const used = process.cpuUsage(before)
    best = Math.min(best, (used.user + used.system) / count)
  }
  return best
}

async function figure(name: string, bytes: Buffer, count: number): Promise<void> {
  for (let index = 0; index < count / 4; index++) parseMessage(bytes)
  const own = await cpu(() => parseMessage(bytes), count)
  const peer = await cpu(() => simpleParser(bytes), Math.max(5, count / 10))
  console.log(`${name} (${bytes.length} octets): ${own.toFixed(1)} us CPU, simpleParser ${peer.toFixed(1)} us`)
}

function bomb(name: string, bytes: Buffer): void {
  const before = process.cpuUsage()
  const { structure } = parseMessage(bytes)
  const used = process.cpuUsage(before)
  const ms = (used.user + used.system) / 1000
  console.log(`bomb: ${name} (${bytes.length} octets): ${ms.toFixed(0)} ms CPU, ${structure.parts.length} parts`)
}

await figure('3 kB multipart', message(2_000, 0), 4_000)
await figure('5 kB multipart', message(4_000, 0), 4_000)
await figure('20 kB multipart', message(8_000, 8_000), 2_000)
await figure('1 MB with attachment', message(8_000, 720_000), 100)

const mails = mailsIn(SHARED_CORPORA)
for (const { bytes } of mails) parseMessage(bytes)
const compared = compareAll().flatMap(({ lf, crlf }) => [lf, crlf])
const equal = compared.filter((fields) => fields.length === 0).length
console.log(`corpora: ${mails.length} mails parsed; equal to mail-parser in all fields: ${equal} of ${compared.length}`)

const nested = Array.from(
  { length: 10_000 },
  (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
)
bomb('10,000 nested multiparts', Buffer.from(nested.join('')))
bomb(
  '100,000 parts',
  Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(100_000)}`),
)
bomb('1,000,000 headers', Buffer.from(`${'X: y\r\n'.repeat(1_000_000)}\r\nbody`))
bomb('30 MB header line', Buffer.from(`Subject: ${'a'.repeat(30_000_000)}\r\n\r\nbody`))
bomb('5 MB Subject of encoded-words', Buffer.from(`Subject: ${'=?utf-8?Q?a?= '.repeat(360_000)}\r\n\r\nbody`))
bomb('50 MB base64', Buffer.from(`Content-Transfer-Encoding: base64\r\n\r\n${`${'A'.repeat(76)}\r\n`.repeat(640_000)}`))
bomb('10 MB of dashes', Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--\r\n'.repeat(2_500_000)}`))
bomb('10 MB of "<"', Buffer.from(`Content-Type: text/html\r\n\r\n${'<'.repeat(10_000_000)}`))
bomb('10,000 addresses with comments', Buffer.from(`To: ${'a@b (((((c))))), '.repeat(10_000)}\r\n\r\nx`))
