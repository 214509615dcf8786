/** The time of a newsletter has come: the preflight runs again, and what its messages have in common is written. */
import type { Reader } from '../../../storage/ports.ts'
import { saveTemplate, updateRun } from '../../../storage/repos/newsletter-runs.ts'
import type { NewsletterTable } from '../../../storage/schema/tables.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { domainOf } from '../../message/mail-address.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { archivePath } from '../archive/archive-links.ts'
import { Audience } from '../audience/audience.type.ts'
import type { CompiledNewsletter } from '../content/newsletter-content.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { defaultReplyTo, findDomain } from '../newsletter/newsletter-domain.ts'
import { failedOf, preflight } from '../newsletter/preflight.ts'
import { type NewsletterSettings, readNewsletter, settingsOf } from '../newsletter/stored-newsletter.ts'
import type { TemplateParts } from '../run/message-template.ts'
import { makeTemplate } from '../run/message-template.ts'
import { moveNewsletter, pauseNewsletter, tell } from '../run/run-state.ts'
import { type Held, inTurn, type NewsletterTurn, type NextStep } from './turn.ts'

export async function begin(services: Services, turn: NewsletterTurn): Promise<NextStep> {
  const { account, newsletter: number } = turn
  const checked = await check(services, account, number)
  if (!checked) return null
  const { items, compiled } = checked
  const hasFailed = failedOf(items).length > 0
  const done = await inTurn(services, turn, async (held): Promise<NextStep> => {
    const { unit, row, run } = held
    if (hasFailed || 'faults' in compiled) {
      await pauseNewsletter(unit, services.ids, row, run, 'preflight_failed')
      return null
    }
    await start(held, compiled)
    return 'now'
  })
  return done ?? null
}

/** null: it was deleted. */
async function check(services: Services, account: number, number: number) {
  const { store } = services
  if (!(await store.read((reader) => readNewsletter(reader, account, number)))) return null
  return preflight(
    { services, account },
    (use) => store.read(use),
    async (reader) => (await readNewsletter(reader, account, number))!,
  )
}

async function start({ services, unit, row, run }: Held, compiled: CompiledNewsletter): Promise<void> {
  const { ids } = services
  const template = makeTemplate({
    ...(await senderOf(unit, row, settingsOf(row))),
    subject: compiled.subject,
    text: compiled.text,
    html: compiled.html,
    list: {
      audienceId: ids.encode(Audience, unit.account, row.audience ?? 0),
      newsletterId: ids.encode(Newsletter, unit.account, row.id),
      domain: domainOf(settingsOf(row).fromAddress ?? ''),
    },
    baseUrl: services.hosting.baseUrl,
    archiveUrl: archiveUrlOf(services, row),
  })
  await saveTemplate(unit, row.id, JSON.stringify(template))
  const started_at = run.started_at ?? unit.now
  await updateRun(unit, row.id, { step: 'gather', started_at })
  await moveNewsletter(unit, row, 'sending', { startedAt: formatUTCDate(started_at), pausedReason: null })
  await tell(unit, ids, 'newsletter.started', { ...row, status: 'sending' }, run, null)
}

/** null: it has no page. */
export function archiveUrlOf(
  { keyring, hosting }: Pick<Services, 'keyring' | 'hosting'>,
  row: NewsletterTable,
): string | null {
  if (settingsOf(row).archiveVisibility === 'private') return null
  return `${hosting.baseUrl}${archivePath(keyring, { account: row.account, newsletter: row.id })}`
}

/** Who sends it, and where answers go. The preflight has seen that there are both. */
export async function senderOf(
  reader: Reader,
  row: Pick<NewsletterTable, 'account' | 'domain'>,
  { fromAddress, fromName, replyTo }: NewsletterSettings,
): Promise<Pick<TemplateParts, 'fromAddress' | 'fromName' | 'replyTo'>> {
  const domain = await findDomain(reader, row.account, row.domain)
  const mailbox =
    replyTo === null
      ? domain && (await defaultReplyTo(reader, row.account, domain.data))
      : await findStored(reader, row.account, MailAccount, replyTo)
  return { fromAddress: fromAddress ?? '', fromName, replyTo: mailbox?.data.address ?? null }
}
