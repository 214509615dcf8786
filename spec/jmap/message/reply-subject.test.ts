import t from 'tap'
import { replySubject } from '../../../jmap/message/reply-subject.ts'

t.test('RFC 5322 3.6.5: a reply has one "Re: ", after any number of replies', async (t) => {
  t.equal(replySubject('Plan'), 'Re: Plan')
  t.equal(replySubject('RE: Plan'), 'RE: Plan')
  t.equal(replySubject(null), 'Re:')
})

t.test('control characters and line ends are removed from the subject of a reply', async (t) => {
  t.equal(replySubject(' Plan\r\nBcc: x@y\0\u2028B '), 'Re: Plan Bcc: x@y B')
})
