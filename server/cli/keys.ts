/** `posthouse keys create|list|revoke`: API keys of an organization. */
import { type Command, type CommandOption, optional, required, UsageError } from './command.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const ORGANIZATION: CommandOption = {
  value: '<id or name>',
  help: 'which organization, when there are several',
}

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'makes an API key and prints it once',
  options: {
    organization: ORGANIZATION,
    name: { value: '<name>', help: 'what the key is for' },
    scopes: { value: '<scopes>', help: 'with commas, such as messages:read,messages:write (default: all)' },
  },
  async run(invocation) {
    const name = required(invocation, 'name')
    const scopes = optional(invocation, 'scopes')
      ?.split(',')
      .map((scope) => scope.trim())
    await withCore(invocation, async ({ admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const { id, key } = await admin.createKey(organization, name, scopes)
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
      const keys = (await admin.keys(organization)).map(({ id, name, prefix, scopes, createdAt }) => ({
        id,
        name,
        prefix,
        scopes,
        created_at: createdAt,
      }))
      const lines = keys.map(({ id, prefix, created_at, name }) => `${id}  ${prefix}...  ${created_at}  ${name}\n`)
      invocation.terminal.print(json ? `${JSON.stringify(keys)}\n` : lines.join(''))
    })
    return 0
  },
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'revokes API keys, at once',
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
