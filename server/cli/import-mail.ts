/**
 * `posthouse import maildir|jmap`: mail from files of another server, or from an account at another JMAP server, into a mailbox. Both are read
 * here and stored over JMAP.
 */
import { systemClock } from '../base/clock.ts'
import { type Command, type Invocation, optional, UsageError } from './command.ts'
import { FolderTree, pathsOf } from './transfer/folder-tree.ts'
import { JmapAccount } from './transfer/jmap-account.ts'
import { countMaildir, maildirFolders, readMaildir } from './transfer/maildir-reader.ts'
import { type FoundMessage, MessageTarget, type TransferResult } from './transfer/message-target.ts'
import { Progress } from './transfer/progress.ts'
import { ACCESS_OPTIONS, type ServerAccess, withAccess } from './transfer/server-access.ts'
import { unlessStopped } from './unless-stopped.ts'

const SCOPES = ['mailboxes:read', 'mailboxes:write', 'messages:read', 'messages:write']
const INTO = {
  value: '<folder>',
  help: 'put all folders below this one, such as Old/2024 (default: each where its name says)',
}

export const importMaildir: Command = {
  name: 'import maildir',
  summary: 'stores the mail of a Maildir in a mailbox',
  positionals: '<folder>',
  description: `Folders, flags and times of arrival are kept. Mail that the mailbox has already is not stored again, so an import can be
repeated. The Maildir is not changed. The server must be running.`,
  options: { ...ACCESS_OPTIONS, into: INTO },
  async run(invocation) {
    const [root, more] = invocation.positionals
    if (root === undefined || more !== undefined) throw new UsageError('import maildir needs one folder')
    const folders = await maildirFolders(root)
    const total = await countMaildir(folders)
    return withAccess(invocation, SCOPES, (access) => store(invocation, access, readMaildir(folders), total))
  },
}

export const importJmap: Command = {
  name: 'import jmap',
  summary: 'stores the mail of an account at another JMAP server in a mailbox',
  positionals: '<url>',
  description: `The URL is that of the other server, such as https://jmap.example.com. Its login is a user name and a password, or a
token: the password or token is read from standard input. Folders, keywords and times of arrival are kept. Mail that the
mailbox has already is not stored again, so an import can be repeated. The server must be running.`,
  options: {
    ...ACCESS_OPTIONS,
    username: { value: '<name>', help: 'the user name at the other server (default: standard input has a token)' },
    'password-stdin': { help: 'read the password or token from standard input, after the key if one is given' },
    into: INTO,
  },
  async run(invocation) {
    const [url, more] = invocation.positionals
    if (url === undefined || more !== undefined || !URL.canParse(url)) throw new UsageError('import jmap needs one URL')
    if (invocation.options['password-stdin'] !== true) throw new UsageError('--password-stdin is missing')
    return withAccess(invocation, SCOPES, async (access) => {
      const username = optional(invocation, 'username')
      const password = access.secret('password or token')
      const basic = Buffer.from(`${username}:${password}`).toString('base64')
      const authorization = username === null ? `Bearer ${password}` : `Basic ${basic}`
      const source = await JmapAccount.open(url.replace(/\/$/, ''), authorization, null)
      const total = (await source.mailboxes()).reduce((sum, { totalEmails }) => sum + totalEmails, 0)
      return store(invocation, access, readAccount(source), total)
    })
  },
}

/** A message in several mailboxes comes once for each, and is stored once. */
async function* readAccount(source: JmapAccount): AsyncGenerator<FoundMessage> {
  const mailboxes = await source.mailboxes()
  const paths = pathsOf(mailboxes)
  for (const { id, role } of mailboxes)
    for await (const emails of source.emails(id))
      for (const { blobId, keywords, receivedAt } of emails) {
        const path = role === 'inbox' ? [] : paths.get(id)!
        yield { path, role, keywords: Object.keys(keywords), receivedAt, read: () => source.download(blobId) }
      }
}

async function store(
  invocation: Invocation,
  { server, authorization, mailbox }: ServerAccess,
  messages: AsyncIterable<FoundMessage>,
  total: number,
): Promise<number> {
  const account = await JmapAccount.open(server, authorization, mailbox)
  const into = (optional(invocation, 'into') ?? '').split('/').filter((name) => name !== '')
  const target = new MessageTarget(account, await FolderTree.read(account, into))
  const progress = new Progress(invocation.terminal, systemClock, total)
  try {
    const words = 'what was stored stays, and the import can be repeated'
    const result = await unlessStopped(invocation.terminal, words, () =>
      target.take(messages, (count) => progress.add(count)),
    )
    progress.end()
    return report(invocation, result)
  } finally {
    progress.end()
  }
}

function report({ terminal, settings }: Invocation, result: TransferResult): number {
  const { imported, duplicates, failed, failures } = result
  if (settings['json'] === true) terminal.print(`${JSON.stringify(result)}\n`)
  else {
    terminal.print(`${imported} imported, ${duplicates} already there, ${failed} failed\n`)
    for (const failure of failures) terminal.printError(`${failure}\n`)
  }
  return failed > 0 ? 1 : 0
}
