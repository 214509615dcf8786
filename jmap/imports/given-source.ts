/** The source of an import as a client gives it: which properties go together. */
import { IMPORT_FILES_MAX } from '../../server/base/import-limits.ts'
import { invalidProperties, type SetError } from '../protocol/errors.ts'
import type { CreateOf } from '../type/derived.ts'
import { IMAP_PROVIDERS, type ImapAccount } from '../type/host-ports.ts'
import type { Import } from './import.type.ts'

type Given = CreateOf<typeof Import>

const OF_IMAP = ['email', 'password', 'host', 'port', 'security', 'username'] as const
const OF_OWN_SERVER = ['host', 'port', 'security', 'username'] as const

export function sourceFault(input: Given): SetError | null {
  return input.sourceType === 'imap' ? imapFault(input) : filesFault(input)
}

function isImapProvider(provider: string): provider is ImapAccount['provider'] {
  return (IMAP_PROVIDERS as readonly string[]).includes(provider)
}

function imapFault(input: Given): SetError | null {
  const { provider, email, password, fileIds } = input
  if (!isImapProvider(provider))
    return invalidProperties(['provider'], `An IMAP account has one of the providers ${IMAP_PROVIDERS.join(', ')}.`)
  if (email === null || !email.includes('@'))
    return invalidProperties(['email'], 'An IMAP account needs an email address.')
  if (password === undefined) return invalidProperties(['password'], 'An IMAP account needs a password.')
  if (fileIds.length > 0) return invalidProperties(['fileIds'], 'An IMAP account has no files.')
  const foreign = provider === 'imap' ? undefined : OF_OWN_SERVER.find((name) => input[name] !== null)
  return foreign ? invalidProperties([foreign], `Only the provider imap has ${foreign}.`) : null
}

function filesFault(input: Given): SetError | null {
  const { provider, fileIds } = input
  if (isImapProvider(provider))
    return invalidProperties(['provider'], 'Files have one of the providers takeout, generic.')
  if (fileIds.length === 0 || fileIds.length > IMPORT_FILES_MAX)
    return invalidProperties(['fileIds'], `An import has 1 to ${IMPORT_FILES_MAX} files.`)
  if (new Set(fileIds).size < fileIds.length) return invalidProperties(['fileIds'], 'Each file is named once.')
  const foreign = OF_IMAP.find((name) => (input[name] ?? null) !== null)
  return foreign ? invalidProperties([foreign], `Files have no ${foreign}.`) : null
}

/** Of a source without fault. */
export function imapAccountOf(input: Given): ImapAccount {
  const { provider, email, password = '', host, port, security, username } = input
  return {
    provider: isImapProvider(provider) ? provider : 'imap',
    email: email ?? '',
    password,
    host,
    port,
    security,
    username,
  }
}
