/**
 * Access of a command to a running server. On the server's own machine the command makes a key for itself and revokes it at the end; for
 * another server a key is given.
 */
import { formatUTCDate } from '../../../jmap/protocol/primitives.ts'
import { systemClock } from '../../base/clock.ts'
import { TRANSFER_KEY_MS } from '../../base/transfer-limits.ts'
import { readConfig } from '../../config/config.ts'
import { gatherSettings } from '../../config/env.ts'
import { type CommandOption, type Invocation, optional, required, UsageError, urlIn } from '../command.ts'
import { ORGANIZATION } from '../keys.ts'
import { chooseOrganization, withCore } from '../with-core.ts'

export const ACCESS_OPTIONS: { readonly [name: string]: CommandOption } = {
  mailbox: { value: '<address>', help: 'the mailbox' },
  organization: ORGANIZATION,
  server: {
    value: '<url>',
    help: 'another server, such as https://mail.example.com (default: the one on --http-port of this machine)',
  },
  'key-stdin': {
    help: 'read an API key from standard input, first line (default: a key is made for this run, in the data folder)',
  },
}

export interface ServerAccess {
  /** Base URL without a slash at the end. */
  readonly server: string
  /** Value of the field Authorization. */
  readonly authorization: string
  /** Address of the mailbox. */
  readonly mailbox: string
  /** The next line of standard input, for a password. @throws UsageError */
  secret(what: string): string
}

/** @param scopes of the key that is made */
export async function withAccess<T>(
  invocation: Invocation,
  scopes: readonly string[],
  use: (access: ServerAccess) => Promise<T>,
): Promise<T> {
  const { terminal, settings, options } = invocation
  const config = readConfig(gatherSettings(settings, terminal.environment))
  const mailbox = required(invocation, 'mailbox')
  const server = urlIn(invocation, 'server') ?? `http://127.0.0.1:${config.http.port}`
  const wantsInput = options['key-stdin'] === true || options['password-stdin'] === true
  const lines = wantsInput ? (await terminal.readInput()).split('\n') : []
  const secret = (what: string) => {
    const line = lines.shift()?.replace(/\r$/, '')
    if (!line) throw new UsageError(`standard input has no ${what}`)
    return line
  }
  if (options['key-stdin'] === true) {
    const key = secret('API key').trim()
    return use({ server, authorization: `Bearer ${key}`, mailbox, secret })
  }
  // From here on a signal does not end the process, and the key with its use.
  void terminal.stopRequested
  const made = await makeKey(invocation, scopes)
  try {
    return await use({ server, authorization: `Bearer ${made.key}`, mailbox, secret })
  } finally {
    await withCore(invocation, ({ admin }) => admin.revokeKey(made.organization, made.id))
  }
}

/** It expires by itself where the command is killed. */
function makeKey(invocation: Invocation, scopes: readonly string[]) {
  return withCore(invocation, async ({ admin }) => {
    const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
    const expiresAt = formatUTCDate(systemClock.now() + TRANSFER_KEY_MS)
    const { id, key } = await admin.createKey(organization, 'posthouse import or export', scopes, { expiresAt })
    return { organization, id, key }
  })
}
