import type { Test } from 'tap'
import { Email } from '../../../jmap/mail/email/email.type.ts'
import { Mailbox } from '../../../jmap/mail/mailbox/mailbox.type.ts'
import { startCore, type TestCore } from '../../support/core.ts'
import type { EngineName } from '../../support/engines.ts'

/** A store with data of all kinds, and the numbers of the rows that faults are planted in. */
export interface Full extends TestCore {
  /** A mailbox account. */
  readonly account: number
  readonly email: number
  readonly thread: number
  readonly inbox: number
}

const LARGE = 'x'.repeat(70).concat('\n').repeat(400)

function message(id: number, subject: string, body: string, inReplyTo?: number): string {
  const reply = inReplyTo === undefined ? '' : `In-Reply-To: <${inReplyTo}@example.org>\n`
  return `From: Bob <bob@example.org>\nTo: hello@example.test\nSubject: ${subject}\nMessage-ID: <${id}@example.org>\n${reply}\n${body}\n`
}

export async function fullStore(t: Test, engine: EngineName): Promise<Full> {
  const started = await startCore(t, engine)
  const hello = await started.mailbox('hello')
  await started.mailbox('other')
  const first = await hello.receive(message(1, 'Lunch', 'At noon?'))
  await hello.receive(message(2, 'Re: Lunch', 'Yes.', 1))
  const large = await hello.receive(message(3, 'Large', LARGE))
  const gone = await hello.receive(message(4, 'Gone', 'soon'))
  await hello.call('Email/set', {
    update: {
      [first]: { 'keywords/$seen': true, 'keywords/project': true },
      [large]: { mailboxIds: { [hello.roles['trash']!]: true } },
    },
    destroy: [gone],
  })
  await hello.call('Mailbox/set', { create: { a: { name: 'A' }, b: { name: 'B', parentId: '#a' } } })
  const { list } = await hello.call('Identity/get', { ids: null })
  const envelope = { mailFrom: { email: hello.address }, rcptTo: [{ email: 'bob@example.org' }] }
  const draft = { mailboxIds: { [hello.roles['drafts']!]: true }, from: [{ email: hello.address }], subject: 'Out' }
  const made = await hello.call('Email/set', { create: { d: draft } })
  const submission = { identityId: list[0].id, emailId: made.created.d.id, envelope }
  await hello.call('EmailSubmission/set', { create: { s: submission } })
  await started.core.upload(hello.principal, hello.accountId, 'text/plain', Buffer.from('unused'))
  const create = { k: { name: 'key', scopes: ['domains:read'] } }
  await started.request([['ApiKey/set', { accountId: started.organization.accountId, create }]])
  await started.core.drainIndex(hello.account)
  const { object: email } = started.core.ids.decode(Email, first)!
  const [row] = await started.store.read((reader) =>
    reader.sql.query((db) =>
      db.selectFrom('email').select('thread').where('account', '=', hello.account).where('id', '=', email),
    ),
  )
  const { object: inbox } = started.core.ids.decode(Mailbox, hello.roles['inbox']!)!
  return { ...started, account: hello.account, email, thread: row!.thread, inbox }
}
