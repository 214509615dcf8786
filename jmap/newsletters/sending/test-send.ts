/** Newsletter/testSend: a vendor method (decisions D19, D31). It uses no quota, and counts in no statistics. */
import { randomUUID } from 'node:crypto'
import { TEST_SENDS_PER_DAY } from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAddress, findCredential } from '../../../storage/repos/directory.ts'
import { findNewsletter, updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { findSuppression } from '../../../storage/repos/suppressions.ts'
import { queueFromServer } from '../../delivery/outgoing.ts'
import { prepareBlob } from '../../mail/blob/blobs.ts'
import { Email } from '../../mail/email/email.type.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { domainOf, normaliseAddress } from '../../message/mail-address.ts'
import { MethodError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import type { AnswerOf } from '../../type/method-declaration.ts'
import { findStored } from '../../type/object-store.ts'
import { requireAudienceAccess } from '../access.ts'
import type { CompiledNewsletter } from '../content/newsletter-content.ts'
import { mergeValues } from '../links/merge-values.ts'
import { TEST_TOKEN } from '../links/recipient-links.ts'
import { openNewsletter } from '../newsletter/compile.ts'
import { Newsletter, NewsletterTestSend } from '../newsletter/newsletter.type.ts'
import { failedOf, preflight } from '../newsletter/preflight.ts'
import { type NewsletterSettings, type StoredNewsletter, settingsOf } from '../newsletter/stored-newsletter.ts'
import { makeTemplate, writeCopy } from '../run/message-template.ts'
import { archiveUrlOf, senderOf } from './begin.ts'

/** Decision D19: the guardrails of a test. */
const GUARDRAILS = ['domain_verification', 'body', 'links', 'images'] as const

interface Login {
  /** Number of the mailbox. */
  readonly account: number
  readonly address: string
  readonly displayName: string | null
}

type Answer = AnswerOf<typeof NewsletterTestSend> & { readonly accountId: string }

export const testSendMethod = implement(NewsletterTestSend, async (method, { newsletterId, email }) => {
  requireAudienceAccess(method)
  const id = method.resolveId(newsletterId)
  const asking = { services: method.services, account: method.account.number }
  const { newsletter, items, compiled } = await preflight(
    asking,
    (use) => method.read(use),
    (reader) => openNewsletter(method, reader, id),
  )
  const login = await method.read((reader) => loginOf(method, reader, email))
  const nothing = { accountId: method.account.id, messageId: null, sentAt: null }
  if (!login) return { ...nothing, failed: [], isLogin: false }
  const failed = failedOf(items, GUARDRAILS)
  if (failed.length > 0 || 'faults' in compiled) return { ...nothing, failed, isLogin: true }
  return send(method, newsletter, login, await writeTest(method, newsletter, login, compiled))
})

/** Decision D31: mailboxes that have a password. null: the address is none. */
async function loginOf(method: MethodContext, reader: Reader, email: string): Promise<Login | null> {
  const address = normaliseAddress(email.trim())
  const found = address === null ? null : await findAddress(reader, address)
  if (address === null || found?.organization !== method.account.number || found.suspended_at !== null) return null
  const mailbox = await findStored(reader, method.account.number, MailAccount, found.account)
  if (mailbox?.data.address !== address) return null
  const credential = await findCredential(reader, `mailbox:${found.account}`)
  return credential ? { account: found.account, address, displayName: mailbox.data.displayName } : null
}

async function writeTest(
  method: MethodContext,
  { row, settings }: StoredNewsletter,
  { address, displayName }: Login,
  compiled: CompiledNewsletter,
): Promise<Uint8Array> {
  const { hosting, clock } = method.services
  const template = makeTemplate({
    ...(await method.read((reader) => senderOf(reader, row, settings))),
    subject: compiled.subject,
    subjectPrefix: '[Test] ',
    text: compiled.text,
    html: compiled.html,
    list: null,
    baseUrl: hosting.baseUrl,
    archiveUrl: null,
  })
  return writeCopy(template, {
    to: address,
    toName: displayName,
    messageId: `${randomUUID()}@${domainOf(template.fromAddress)}`,
    date: clock.now(),
    values: mergeValues({
      address,
      displayName,
      mergeFields: {},
      unsubscribeUrl: `${hosting.baseUrl}/unsubscribe/${TEST_TOKEN}`,
      // The page is there when the newsletter is sent.
      archiveUrl: archiveUrlOf(method.services, row),
    }),
    unsubscribeUrl: null,
  })
}

async function send(
  method: MethodContext,
  newsletter: StoredNewsletter,
  login: Login,
  bytes: Uint8Array,
): Promise<Answer> {
  const { services, account } = method
  const blob = await prepareBlob(services.store, bytes)
  const step = method.request.steps?.next()
  return services.store.write([account.number, login.account], async (work) => {
    const unit = work.account(account.number)
    const box = work.account(login.account)
    const done = await step?.recall<Answer>(unit)
    if (done) return done
    const row = unit.isDeleted ? null : await findNewsletter(unit, unit.account, newsletter.row.id)
    if (!row || box.isDeleted) throw new MethodError('notFound', 'There is no such newsletter.')
    if (await findSuppression(unit, unit.account, login.address))
      throw new MethodError('forbidden', 'The address is suppressed.')
    const sentAt = formatUTCDate(unit.now)
    const settings: NewsletterSettings = { ...counted(settingsOf(row), sentAt), lastTestSentAt: sentAt }
    await updateNewsletter(unit, row.id, { settings: JSON.stringify(settings), updated_at: unit.now })
    unit.change(Newsletter.name, row.id, 'u', ['lastTestSentAt', 'updatedAt'])
    const number = await queueFromServer(work, box, { blob, to: login.address }, box.nextObject())
    const messageId = services.ids.encode(Email, login.account, number)
    const answer: Answer = { accountId: account.id, failed: [], isLogin: true, messageId, sentAt }
    await step?.keep(unit, answer)
    return answer
  })
}

/** @throws MethodError rateLimit */
function counted(settings: NewsletterSettings, now: string): NewsletterSettings {
  const day = now.slice(0, 'yyyy-mm-dd'.length)
  const count = settings.tests?.day === day ? settings.tests.count : 0
  if (count >= TEST_SENDS_PER_DAY)
    throw new MethodError('rateLimit', `A newsletter has at most ${TEST_SENDS_PER_DAY} tests a day.`)
  return { ...settings, tests: { day, count: count + 1 } }
}
