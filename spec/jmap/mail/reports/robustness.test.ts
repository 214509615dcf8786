/** Reading any report ends and does not throw. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { readComplaint } from '../../../../jmap/mail/reports/complaint.ts'
import { readReport } from '../../../../jmap/message/report.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { REPORT_PART_BYTES } from '../../../../server/base/report-limits.ts'
import { emlFiles, OWN_CORPUS } from '../../../support/corpora.ts'

const read = (bytes: Buffer) => {
  const parsed = parseMessage(bytes)
  return [readBounce(bytes, parsed), readComplaint(bytes, parsed)]
}

const REPORT = Buffer.from(`From: MAILER-DAEMON@example.org
Subject: failure notice
Content-Type: multipart/report; boundary=b

--b

<ann@example.org>: 550 5.1.1 user unknown
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; ann@example.org
Action: failed
Status: 5.1.1
--b
Content-Type: message/feedback-report

Feedback-Type: abuse
--b
Content-Type: message/rfc822

Message-ID: <m@example.test>
--b--
`)

t.test('damaged reports are read', async (t) => {
  const [bounce, complaint] = read(REPORT)
  t.ok(bounce && complaint, 'as it is, it is both')
  const places = fc.array(fc.tuple(fc.nat(REPORT.length - 1), fc.nat(255), fc.nat(40)), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(places, (changes) => {
      let bytes = Buffer.from(REPORT)
      for (const [at, octet, cut] of changes) {
        bytes[at % bytes.length] = octet
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + cut), Buffer.from([octet])])
      }
      read(bytes)
    }),
    { seed: 4, numRuns: 500 },
  )
})

t.test('every mail of the corpus is read', async (t) => {
  const files = emlFiles(OWN_CORPUS)
  t.ok(files.length > 20)
  for (const file of files) t.equal(read(readFileSync(file)).length, 2, file)
})

t.test('the number of recipients in one report is bounded', async (t) => {
  const groups = Array.from(
    { length: 3_000 },
    (_, i) => `Final-Recipient: rfc822; a${i}@example.org\nAction: failed\n\n`,
  )
  const text = `From: MAILER-DAEMON@example.org\nContent-Type: message/delivery-status\n\n${groups.join('')}`
  const bytes = Buffer.from(text)
  t.equal(readBounce(bytes, parseMessage(bytes))?.recipients.length, 1_000)
})

t.test('of a report as much is read as reports have', async (t) => {
  const recipients = (type: string, before: string) => {
    const fields = `${before}Final-Recipient: rfc822; ann@example.org\nAction: failed\n`
    const part = `Content-Type: message/delivery-status\nContent-Transfer-Encoding: ${type}\n\n`
    const text = type === 'base64' ? Buffer.from(fields).toString('base64') : fields
    const bytes = Buffer.from(`Content-Type: multipart/report; boundary=b\n\n--b\n${part}${text}\n--b--\n`)
    const report = readReport(bytes, parseMessage(bytes))
    return report?.kind === 'dsn' ? report.recipients.length : null
  }
  for (const type of ['7bit', 'base64', 'quoted-printable'])
    for (const line of ['\n', 'x\n', ' \n']) {
      t.equal(recipients(type, line.repeat(REPORT_PART_BYTES / 3)), 1, 'control')
      t.equal(recipients(type, line.repeat(REPORT_PART_BYTES + 1)), 0)
    }
})
