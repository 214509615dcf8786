/** Usage/get: what an organization has and has sent, beside what its plan allows (api/decisions.md D27). */
import { listObjects } from '../../storage/repos/objects.ts'
import { sendsOf } from '../../storage/repos/sending-usage.ts'
import { SERVICE } from '../capabilities.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { defineMethod } from '../type/method.ts'
import { periodOf } from './plan.ts'

export const usageMethod = defineMethod({
  name: 'Usage/get',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'usage:read',
  writes: false,
  args: {},
  async run(method) {
    const { services, account } = method
    const { plan } = services.limits
    const start = new Date(`${periodOf(services.clock.now())}-01T00:00:00Z`)
    const end = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
    return method.read(async (reader) => {
      const count = async (type: string) => (await listObjects(reader, account.number, type)).length
      const sends = await sendsOf(reader, account.number, periodOf(start.getTime()))
      return {
        accountId: account.id,
        plan: plan.name,
        periodStart: formatUTCDate(start.getTime()),
        periodEnd: formatUTCDate(end),
        sends: { used: sends, limit: plan.sends },
        mailboxes: { used: await count('MailAccount'), limit: plan.mailboxes },
        aliases: { used: await count('Alias'), limit: plan.aliases },
      }
    })
  },
})
