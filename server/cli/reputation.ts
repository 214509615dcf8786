/** `posthouse reputation show|release`: the sending reputation of an organization, and the early end of a suspension (decision D26). */
import { type Command, optional } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const reputationShow: Command = {
  name: 'reputation show',
  summary: "shows an organization's sending reputation and its status",
  options: { organization: ORGANIZATION },
  async run(invocation) {
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const { status, since, isReleased, recipients, bounceRate, complaintRate } = await admin.reputation(organization)
      const shown = {
        status,
        since,
        released: isReleased,
        recipients,
        bounce_rate: bounceRate,
        complaint_rate: complaintRate,
      }
      const percent = (rate: number | null) => (rate === null ? '-' : `${(rate * 100).toFixed(2)} %`)
      const line = `${status}${since ? ` since ${since}` : ''}: ${recipients} recipients, ${percent(bounceRate)} hard bounces, ${percent(complaintRate)} complaints\n`
      invocation.terminal.print(json ? `${JSON.stringify(shown)}\n` : line)
    })
    return 0
  },
}

export const reputationRelease: Command = {
  name: 'reputation release',
  summary: 'lets a suspension end once the rates have been good for a day',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      await admin.releaseSending(organization)
      if (json) invocation.terminal.print(`${JSON.stringify({ released: organization })}\n`)
    })
    return 0
  },
}
