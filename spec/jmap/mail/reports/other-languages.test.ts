/** Notices of mail systems in other languages than English. */
import t from 'tap'
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { NOTICES_ABROAD } from './notices-abroad.ts'

const RECIPIENT = 'u@d.test'

function read(from: string, subject: string, text: string) {
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`
  const lines = [`From: ${from}`, 'To: sender@example.test', `Subject: ${encoded}`, 'MIME-Version: 1.0']
  const body = Buffer.from(text.replaceAll('\n', '\r\n')).toString('base64')
  const type = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', '', body, '']
  const bytes = Buffer.from([...lines, ...type].join('\r\n'))
  return readBounce(bytes, parseMessage(bytes))
}

t.test('a notice in another language names its recipient and the reason', async (t) => {
  for (const [name, subject, text, bounceClass] of NOTICES_ABROAD) {
    const one = read(`${name} <postmaster@mx.example.org>`, subject, text)?.recipients[0]
    t.same([one?.addresses, one?.action, one?.class], [[RECIPIENT], 'failed', bounceClass], subject)
  }
})

t.test('the same words from a person are not a bounce', async (t) => {
  for (const [, , text] of NOTICES_ABROAD)
    t.equal(read('Ann <ann@example.org>', 'Re: x', text), null, text.slice(0, 40))
})

t.test('a notice of a delay in another language is not a failure', async (t) => {
  for (const [subject, text] of [
    ['Zustellung verzögert', `Ihre Nachricht an ${RECIPIENT} konnte noch nicht zugestellt werden.`],
    ['Remise retardée', `Votre message pour ${RECIPIENT} n'a pas encore pu être remis.`],
    ['配信遅延', `${RECIPIENT} への配信が遅れています。まだ配信できません。`],
  ] as const)
    t.match(read('MAILER-DAEMON@mx.example.org', subject, text)?.recipients[0], { action: 'delayed', class: 'soft' })
})

t.test('long text in these languages is read', async (t) => {
  const words = ['Empfänger ', 'адрес ', '收件人', 'utilisateur ', 'usuario ', 'nicht ']
  for (const word of words)
    t.doesNotThrow(() => read('MAILER-DAEMON@mx.example.org', 'Unzustellbar', word.repeat(20_000)), word)
})
