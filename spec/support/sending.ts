/** Sends plain messages from a mailbox over the core's protocols. */
import type { SubmitResult } from '../../jmap/mail/submission/submit.ts'
import type { Core } from '../../jmap/services.ts'
import type { Result, TestMailbox } from './core.ts'

export interface Sender {
  /** EmailSubmission/set: the created object, or the SetError. */
  byJmap(recipients: readonly string[], from?: string): Promise<Result>
  bySmtp(recipients: readonly string[], from?: string): Promise<SubmitResult>
}

export async function sender(core: Core, box: TestMailbox): Promise<Sender> {
  const identityId = (await box.call('Identity/get', { ids: null })).list[0].id as string
  return {
    async byJmap(recipients, from = box.address) {
      const draft = { mailboxIds: { [box.roles['drafts']!]: true }, from: [{ email: from }], subject: 'Hello' }
      const emailId = (await box.call('Email/set', { create: { e: draft } })).created.e.id
      const rcptTo = recipients.map((email) => ({ email }))
      const envelope = { mailFrom: { email: from }, rcptTo }
      const identities = (await box.call('Identity/get', { ids: null })).list as { id: string; email: string }[]
      const identity = identities.find(({ email }) => email === from)?.id ?? identityId
      const create = { s: { identityId: identity, emailId, envelope } }
      const { created, notCreated } = await box.call('EmailSubmission/set', { create })
      return created?.s ?? notCreated.s
    },
    bySmtp(recipients, from = box.address) {
      const text = `From: ${from}\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n`
      const to = recipients.map((address) => ({ address }))
      return core.submit(box.principal, { bytes: Buffer.from(text), mailFrom: from, recipients: to })
    },
  }
}
