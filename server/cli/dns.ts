/** `posthouse dns apply`: writes the records of a domain at its DNS provider (decision D33). */
import { type DnsChanges, DomainPurchases } from '../administration/domain-purchases.ts'
import { Failure } from '../base/errors.ts'
import { confirmed } from './buy-domains.ts'
import { type Command, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const dnsApply: Command = {
  name: 'dns apply',
  summary: "writes a domain's records at its DNS provider, and shows before what changes",
  positionals: '<domain>',
  description:
    'For domains with credentials of a DNS provider, and those that were bought here. Records of others stay, except that an\nSPF record gets the mechanism of this server.',
  options: {
    organization: ORGANIZATION,
    'dry-run': { help: 'only show what would change' },
    yes: { help: 'do not ask' },
  },
  async run(invocation) {
    const [given, more] = invocation.positionals
    if (given === undefined || more !== undefined) throw new UsageError('dns apply needs one domain')
    const { terminal, options } = invocation
    return withCore(invocation, async ({ admin, core, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const domain = await admin.findDomain(organization, given)
      if (!domain) throw new Failure('configuration', `there is no domain ${given}`)
      const dns = new DomainPurchases(core, organization)
      const planned = await dns.applyDns(domain.id, true)
      const isDry = options['dry-run'] === true
      const isWanted = !isDry && !isEmpty(planned)
      // Before the question; the result comes after it.
      if (isWanted && options['yes'] !== true) {
        terminal.printError(linesOf(planned))
        if (!(await confirmed(terminal, `Write this to the zone of ${domain.name}? Type yes: `, 'yes'))) return 1
      }
      const changes = isWanted ? await dns.applyDns(domain.id, false) : planned
      const done = changes.applied ? 'Written.\n' : isDry ? 'Nothing was written.\n' : 'Nothing to write.\n'
      terminal.print(json ? `${JSON.stringify(changes)}\n` : `${linesOf(changes)}${done}`)
      return 0
    })
  },
}

type Shown = DnsChanges['create'][number]

function isEmpty({ create, update, delete: removed }: DnsChanges): boolean {
  return create.length + update.length + removed.length === 0
}

/** As in a diff: `+` and `-`; `!` before records of others that are in the way. */
function linesOf({ create, update, delete: removed, conflicts }: DnsChanges): string {
  const lines = [
    ...removed.map((record) => `- ${textOf(record)}`),
    ...update.flatMap(({ before, after }) => [`- ${textOf(before)}`, `+ ${textOf(after)}`]),
    ...create.map((record) => `+ ${textOf(record)}`),
    ...conflicts.flatMap(({ wanted, found }) => [
      `! not written: ${textOf(wanted)}`,
      ...found.map((record) => `!   because of: ${textOf(record)}`),
    ]),
  ]
  // What others have written must not move the cursor.
  return lines.map((line) => `${line.replaceAll(/\p{Cc}/gu, '?')}\n`).join('')
}

function textOf({ name, type, value, priority }: Shown): string {
  const text = type === 'TXT' ? JSON.stringify(value) : value
  return `${name} ${type} ${priority === null ? '' : `${priority} `}${text}`
}
