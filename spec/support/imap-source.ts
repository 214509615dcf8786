/** IMAP accounts as sources, read from a server of spec/support/imap-server.ts. */
import type { Test } from 'tap'
import type { ImapAccount } from '../../jmap/type/host-ports.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { ImapSource } from '../../server/imports/imap/imap-source.ts'
import { ImapSession } from '../../server/imports/imap/session.ts'
import type { ImapReach } from '../../server/imports/imap/session-port.ts'
import type {
  ImportSource,
  ReadOptions,
  SourceError,
  SourceFolder,
  SourceItem,
} from '../../server/imports/import-source.ts'
import { type ImapServer, type ImapServerOptions, startImapServer } from './imap-server.ts'

export const PASSWORD = 'a secret that no log shows'
export const MAX_OCTETS = 1_000_000

export function account(port: number, more: Partial<ImapAccount> = {}): ImapAccount {
  const login = { email: 'ada@example.org', password: PASSWORD, username: null }
  return { provider: 'imap', host: '127.0.0.1', port, security: 'tls', ...login, ...more }
}

export function reachOf(ca: string | null): ImapReach {
  return { reach: { allowLoopback: true }, ca, dns: null }
}

export interface OpenedSource {
  readonly server: ImapServer
  readonly source: ImportSource
  readonly clock: ManualClock
}

export async function openSource(t: Test, options: Omit<ImapServerOptions, 'password'>): Promise<OpenedSource> {
  const server = await startImapServer(t, { ...options, password: PASSWORD })
  const clock = new ManualClock()
  const security = options.security ?? 'tls'
  const plan = { account: account(server.port, { security }), reach: reachOf(server.ca) }
  const source = new ImapSource(new ImapSession(plan, clock))
  t.teardown(() => source.close())
  return { server, source, clock }
}

/** All items of a folder; in place of the last one the fault, if reading ends with one. */
export async function readFolder(
  source: ImportSource,
  folder: SourceFolder,
  more: Partial<ReadOptions> = {},
): Promise<{ items: SourceItem[]; fault: SourceError | null }> {
  const items: SourceItem[] = []
  const options = {
    after: null,
    wants: () => true,
    maxOctets: MAX_OCTETS,
    signal: new AbortController().signal,
    ...more,
  }
  try {
    for await (const item of source.read(folder, options)) items.push(item)
    return { items, fault: null }
  } catch (error) {
    return { items, fault: error as SourceError }
  }
}

export async function foldersOf(source: ImportSource): Promise<readonly SourceFolder[]> {
  return source.folders(new AbortController().signal)
}

/** A message of about so many octets. */
export function mail(subject: string, octets = 200): Buffer {
  const head = `From: bob@example.net\r\nSubject: ${subject}\r\n\r\n`
  return Buffer.from(`${head}${'x'.repeat(Math.max(0, octets - head.length - 2))}\r\n`)
}

/** Position and kind of an item, with the reason if it could not be read. */
export function shortly(item: SourceItem): string {
  return `${item.position} ${item.kind === 'unreadable' ? item.reason : item.kind}`
}
