/** `posthouse domains rotate-dkim`: replaces the DKIM keys of a domain before their time. */
import { Failure } from '../base/errors.ts'
import { type Command, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const domainsRotateDkim: Command = {
  name: 'domains rotate-dkim',
  summary: 'creates new DKIM keys for a domain and prints the records to publish',
  description:
    'The old keys sign until a check has seen the new records. They are listed with the others of the domain.',
  positionals: '<domain>',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    const [name, more] = invocation.positionals
    if (name === undefined || more !== undefined) throw new UsageError('domains rotate-dkim needs one domain')
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const domain = await admin.findDomain(organization, name)
      if (!domain) throw new Failure('configuration', `there is no domain ${name}`)
      const records = await admin.rotateDkim(organization, domain.id)
      if (json) invocation.terminal.print(`${JSON.stringify({ records })}\n`)
      else for (const { host, type, value } of records) invocation.terminal.print(`${host} ${type} "${value}"\n`)
    })
    return 0
  },
}
