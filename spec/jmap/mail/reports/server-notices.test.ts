/** Notices in the formats of many mail systems. */
import t from 'tap'
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { PROVIDER_NOTICES } from './notices-of-providers.ts'
import { SERVER_NOTICES, type ServerNotice } from './notices-of-servers.ts'

const NOTICES = [...SERVER_NOTICES, ...PROVIDER_NOTICES]

function read({ from, subject, text }: Pick<ServerNotice, 'from' | 'subject' | 'text'>) {
  const mail = `From: ${from}\nTo: <s@origin.test>\nSubject: ${subject}\n\n${text}\n`
  const bytes = Buffer.from(mail.replaceAll('\n', '\r\n'))
  return readBounce(bytes, parseMessage(bytes))
}

t.test('a notice names its recipient, and whether it is gone', async (t) => {
  for (const notice of NOTICES) {
    const found = read(notice)?.recipients.map((one) => [one.addresses.at(-1), one.action, one.class])
    t.same(found, [['u@d.test', notice.action ?? 'failed', notice.class]], notice.system)
  }
})

t.test('the same words from a person about another matter are not a bounce', async (t) => {
  for (const { text, system } of NOTICES)
    t.equal(
      read({ from: 'Ann <ann@example.org>', subject: 'Re: Lunch', text: text.replace(/^/gm, '> ') }),
      null,
      system,
    )
})
