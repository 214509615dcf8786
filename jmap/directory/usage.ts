/** Usage/get, a vendor method. */
import { usedBytesOf } from '../../storage/repos/accounts.ts'
import { ingestOf } from '../../storage/repos/audience-ingest.ts'
import { assetUsage } from '../../storage/repos/newsletter-assets.ts'
import { contentUsage } from '../../storage/repos/newsletters.ts'
import { sendsOf } from '../../storage/repos/sending-usage.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { planOf } from '../policy/plan.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { TypeSpec } from '../type/define-type.ts'
import { implement } from '../type/method.ts'
import { listStored } from '../type/object-store.ts'
import { Alias } from './alias.type.ts'
import { UsageGet } from './usage.type.ts'

export const usageMethod = implement(UsageGet, async (method) => {
  const { services, account } = method
  const { limits, clock } = services
  return method.read(async (reader) => {
    const { plan, period, trialEndsAt } = await planOf(reader, limits, account.number, clock.now())
    const count = async (type: TypeSpec) => (await listStored(reader, account.number, type)).length
    return {
      accountId: account.id,
      plan: plan.name,
      trialEndsAt,
      periodStart: formatUTCDate(period.start),
      periodEnd: formatUTCDate(period.end),
      sends: { used: await sendsOf(reader, account.number, period.key), limit: plan.sends },
      mailboxes: { used: await count(MailAccount), limit: plan.mailboxes },
      aliases: { used: await count(Alias), limit: plan.aliases },
      audienceIngest: { used: await ingestOf(reader, account.number, period.key), limit: plan.audienceIngest },
      newsletterMediaBytes: {
        used: (await assetUsage(reader, account.number)).bytes,
        limit: plan.newsletterMediaBytes,
      },
      newsletterContentBytes: {
        used: (await contentUsage(reader, account.number)).octets,
        limit: limits.newsletterContentBytes,
      },
      teamMembers: { used: 0, limit: plan.teamMembers },
      storageBytes: {
        used: await usedBytesOf(reader, account.number),
        limitPerMailbox: limits.mailboxStorageBytes === 0 ? null : limits.mailboxStorageBytes,
      },
    }
  })
})
