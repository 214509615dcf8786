/** `posthouse plan show|set`: what an organization may have and send (decision D27). */
import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import { systemClock } from '../base/clock.ts'
import { PLAN_NAMES, type PlanName, TRIAL_DAYS } from '../base/sending-limits.ts'
import { type Command, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { chooseOrganization, withCore } from './with-core.ts'

const DAY_MS = 86_400_000

export const planShow: Command = {
  name: 'plan show',
  summary: "shows an organization's plan and its use",
  options: { organization: ORGANIZATION },
  async run(invocation) {
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const { plan, trialEndsAt, periodStart, periodEnd, sends, mailboxes, aliases } = await admin.usage(organization)
      const shown = {
        plan,
        trial_ends_at: trialEndsAt,
        period_start: periodStart,
        period_end: periodEnd,
        sends,
        mailboxes,
        aliases,
      }
      const part = ({ used, limit }: typeof sends) => (limit === null ? `${used}` : `${used} of ${limit}`)
      const trial = trialEndsAt ? `, until ${trialEndsAt}` : ''
      const line = `${plan}${trial}: ${part(mailboxes)} mailboxes, ${part(aliases)} aliases, ${part(sends)} sends until ${periodEnd}\n`
      invocation.terminal.print(json ? `${JSON.stringify(shown)}\n` : line)
    })
    return 0
  },
}

export const planSet: Command = {
  name: 'plan set',
  summary: `subscribes an organization to a plan: ${PLAN_NAMES.join(', ')}, or none for the server's default`,
  positionals: '<plan>',
  options: {
    organization: ORGANIZATION,
    trial: { value: '<days>', help: `begin with a trial of this many days, such as ${TRIAL_DAYS}` },
  },
  async run(invocation) {
    const [name, ...more] = invocation.positionals
    if (name === undefined || more.length > 0 || !isChoice(name))
      throw new UsageError(`plan set needs a plan: ${[...PLAN_NAMES, 'none'].join(', ')}`)
    const days = optional(invocation, 'trial')
    if (days !== null && !/^[1-9]\d{0,2}$/.test(days)) throw new UsageError('--trial must be a number of days')
    const plan = name === 'none' ? null : name
    const trialEndsAt = days === null ? null : formatUTCDate(systemClock.now() + Number(days) * DAY_MS)
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      await admin.subscribe(organization, plan, trialEndsAt)
      const done = { organization, plan, trial_ends_at: trialEndsAt }
      const trial = trialEndsAt === null ? '' : `, with a trial until ${trialEndsAt}`
      const line = `${organization}: ${plan ?? "the server's default plan"}${trial}\n`
      invocation.terminal.print(json ? `${JSON.stringify(done)}\n` : line)
    })
    return 0
  },
}

function isChoice(name: string): name is PlanName | 'none' {
  return name === 'none' || (PLAN_NAMES as readonly string[]).includes(name)
}
