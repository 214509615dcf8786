/** `posthouse keys create|list|revoke`: API keys of an organization. */
import { formatUTCDate, parseDate } from '../../jmap/protocol/primitives.ts'
import type { KeyLimits, KeyRef } from '../administration/administration.ts'
import { systemClock } from '../base/clock.ts'
import { type Command, type CommandOption, type Invocation, optional, required, UsageError } from './command.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const ORGANIZATION: CommandOption = {
  value: '<id or name>',
  help: 'the organization, if there are several',
}

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'creates an API key and prints it once',
  options: {
    organization: ORGANIZATION,
    name: { value: '<name>', help: 'what the key is for' },
    scopes: { value: '<scopes>', help: 'separated by commas, such as messages:read,messages:write (default: all)' },
    mailboxes: { value: '<ids>', help: 'separated by commas: the key may use only these mailboxes' },
    domains: { value: '<ids>', help: 'separated by commas: the key may use only these domains and their mailboxes' },
    'allowed-ips': {
      value: '<addresses>',
      help: 'separated by commas: addresses that may use the key, such as 192.0.2.0/24',
    },
    expires: { value: '<time>', help: 'time when the key expires, such as 2027-01-01T00:00:00Z' },
  },
  async run(invocation) {
    const name = required(invocation, 'name')
    const scopes = listed(invocation, 'scopes')
    const limits = readLimits(invocation)
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const { id, key } = await admin.createKey(organization, name, scopes, limits)
      invocation.terminal.print(json ? `${JSON.stringify({ id, name, key })}\n` : `${key}\n`)
    })
    return 0
  },
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'lists the API keys of an organization',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const keys = await admin.keys(organization)
      const lines = keys.map(({ id, prefix, createdAt, name }) => `${id}  ${prefix}...  ${createdAt}  ${name}\n`)
      invocation.terminal.print(json ? `${JSON.stringify(keys.map(toRow))}\n` : lines.join(''))
    })
    return 0
  },
}

/** As the REST API shows a key. */
function toRow(key: KeyRef) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    mailbox_ids: key.mailboxIds,
    domain_ids: key.domainIds,
    allowed_ips: key.allowedIps,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  }
}

function listed(invocation: Invocation, name: string): string[] | undefined {
  return optional(invocation, name)
    ?.split(',')
    .map((item) => item.trim())
}

/** @throws UsageError for an invalid or past time */
function readLimits(invocation: Invocation): KeyLimits {
  const [mailboxIds, domainIds, allowedIps] = ['mailboxes', 'domains', 'allowed-ips'].map((name) =>
    listed(invocation, name),
  )
  const expires = optional(invocation, 'expires')
  const time = expires === null ? null : parseDate(expires)
  if (expires !== null && (time === null || time <= systemClock.now()))
    throw new UsageError('--expires must be a future time, such as 2027-01-01T00:00:00Z')
  return {
    ...(mailboxIds && { mailboxIds }),
    ...(domainIds && { domainIds }),
    ...(allowedIps && { allowedIps }),
    ...(time !== null && { expiresAt: formatUTCDate(time) }),
  }
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revokes API keys immediately',
  positionals: '<id>...',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    if (invocation.positionals.length === 0) throw new UsageError('keys revoke needs the id of a key')
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      for (const id of invocation.positionals) await admin.revokeKey(organization, id)
      if (json) invocation.terminal.print(`${JSON.stringify({ revoked: invocation.positionals })}\n`)
    })
    return 0
  },
}
