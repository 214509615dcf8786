/** `posthouse setup`: creates an organization with its first domain, mailbox and key. */
import type { Domain } from '../../jmap/policy/domain/domain.type.ts'
import type { ObjectOf } from '../../jmap/type/derived.ts'
import { generatePassword } from '../administration/generate-password.ts'
import { Failure } from '../base/errors.ts'
import { type Command, optional, required, UsageError } from './command.ts'
import { readNewPassword } from './new-password.ts'
import { withCore } from './with-core.ts'

export const setup: Command = {
  name: 'setup',
  summary: 'creates an organization, its first domain, a mailbox and an API key, and prints them once',
  description: `The domain has its mailbox at once: the operator of the machine decides for which domains it receives mail. It is
pending until DNS has its records, which are printed too.`,
  options: {
    organization: { value: '<name>', help: 'name of the organization' },
    mailbox: { value: '<address>', help: 'first mailbox, such as office@example.com; its domain is the first domain' },
    'display-name': { value: '<name>', help: 'name of the mailbox, as recipients see it' },
    'password-stdin': { help: 'read the password from standard input instead of generating one' },
  },
  async run(invocation) {
    const name = required(invocation, 'organization')
    const address = required(invocation, 'mailbox')
    const at = address.lastIndexOf('@')
    if (at < 1 || at === address.length - 1) throw new UsageError(`--mailbox: "${address}" is not an address`)
    const given = await readNewPassword(invocation)
    const made = await withCore(
      invocation,
      async ({ admin, json }) => {
        const known = (await admin.organizations()).find((organization) => organization.name === name)
        // One without a mailbox is what a setup has left whose domain or mailbox was refused.
        if (known && (await admin.hasMailbox(known.id)))
          throw new Failure('configuration', `there is an organization "${name}" already`)
        const password = given ?? generatePassword()
        const organization = known ?? (await admin.createOrganization(name))
        const domainName = address.slice(at + 1)
        const domain =
          (await admin.findDomain(organization.id, domainName)) ??
          (await admin.createDomain(organization.id, domainName))
        const displayName = optional(invocation, 'display-name')
        const mailbox = await admin.createMailbox(
          organization.id,
          domain.id,
          address.slice(0, at),
          displayName,
          password,
        )
        const { key } = await admin.createKey(organization.id, 'setup')
        return {
          json,
          organization,
          domain,
          mailbox: { id: mailbox.id, address: mailbox.address, password },
          api_key: key,
          dns_records: toPublish(await admin.domainRecords(organization.id, domain.id)),
        }
      },
      { mayBegin: true },
    )
    const { json, ...result } = made
    invocation.terminal.print(json ? `${JSON.stringify(result)}\n` : describe(result))
    return 0
  },
}

function describe(made: {
  organization: { id: string; name: string }
  domain: { id: string; name: string }
  mailbox: { id: string; address: string; password: string }
  api_key: string
  dns_records: readonly DnsRecord[]
}): string {
  return `Organization  ${made.organization.name}  ${made.organization.id}
Domain        ${made.domain.name}  ${made.domain.id}
Mailbox       ${made.mailbox.address}  ${made.mailbox.id}
Password      ${made.mailbox.password}
API key       ${made.api_key}

Password and key are not stored in plain text and cannot be shown again.

Nothing is verified yet. Publish these records, then start \`posthouse serve\`, which checks them by itself:

${made.dns_records.map(recordLine).join('\n')}

\`GET /v1/domains/${made.domain.id}/dns-records?format=zone\` has them as lines of a zone file, and
\`POST /v1/domains/${made.domain.id}/verification\` checks them now.
`
}

interface DnsRecord {
  readonly type: string
  readonly host: string
  readonly value: string
  readonly priority?: number
}

/** Those that a domain must have to be verified. */
function toPublish(records: ObjectOf<typeof Domain>['dnsRecords']['records']): DnsRecord[] {
  return records.flatMap(({ type, host, value, priority, isRecommended }) =>
    isRecommended || value === null ? [] : [{ type, host, value, ...(priority !== null && { priority }) }],
  )
}

function recordLine({ type, host, value, priority }: DnsRecord): string {
  return `${type.padEnd(5)}  ${host}  ${priority === undefined ? '' : `${priority} `}${value}`
}
