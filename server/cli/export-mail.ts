/** `posthouse export`: the mail of a mailbox as a Maildir, as mbox files or as a zip of .eml files. */
import { systemClock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import { TRANSFER_CONCURRENCY } from '../base/transfer-limits.ts'
import { type Command, type Invocation, required, UsageError } from './command.ts'
import { EmlZipExport } from './transfer/eml-zip-export.ts'
import { pathsOf } from './transfer/folder-tree.ts'
import { HttpRefusal } from './transfer/http.ts'
import { inParallel } from './transfer/in-parallel.ts'
import { JmapAccount, type JmapMailbox } from './transfer/jmap-account.ts'
import type { MailExport } from './transfer/mail-export.ts'
import { MaildirExport } from './transfer/maildir-export.ts'
import { MboxExport } from './transfer/mbox-export.ts'
import { Progress } from './transfer/progress.ts'
import { ACCESS_OPTIONS, withAccess } from './transfer/server-access.ts'
import { unlessStopped } from './unless-stopped.ts'

const FORMATS: { readonly [name: string]: (output: string) => Promise<MailExport> } = {
  maildir: (output) => MaildirExport.create(output),
  mbox: (output) => MboxExport.create(output),
  eml: (output) => EmlZipExport.create(output),
}

export const exportMail: Command = {
  name: 'export',
  summary: 'writes the mail of a mailbox as a Maildir, as mbox files or as a zip of .eml files',
  description: `A Maildir keeps everything: octets, folders, flags and times of arrival. An mbox holds the flags that its readers know. The
zip has one .eml file for each message, in folders. A message that is in several folders is written in each. The
server must be running. What is written is new: an output that exists is refused.`,
  options: {
    ...ACCESS_OPTIONS,
    format: {
      value: '<name>',
      help: 'maildir (a folder), mbox (a folder with a file for each folder) or eml (a zip file)',
    },
    output: { value: '<path>', help: 'the folder or file to write' },
  },
  async run(invocation) {
    const output = required(invocation, 'output')
    const format = FORMATS[required(invocation, 'format')]
    if (!format) throw new UsageError(`--format must be one of ${Object.keys(FORMATS).join(', ')}`)
    return withAccess(invocation, ['mailboxes:read', 'messages:read'], async ({ server, authorization, mailbox }) => {
      const account = await JmapAccount.open(server, authorization, mailbox)
      const target = await format(output).catch((error: Error) => {
        throw new Failure('configuration', `${output} cannot be written: ${error.message}`)
      })
      return copy(invocation, account, target)
    })
  },
}

async function copy({ terminal, settings }: Invocation, account: JmapAccount, target: MailExport): Promise<number> {
  const mailboxes = await account.mailboxes()
  const total = mailboxes.reduce((sum, { totalEmails }) => sum + totalEmails, 0)
  const progress = new Progress(terminal, systemClock, total)
  let exported = 0
  const writeAll = async () => {
    for (const [mailbox, path] of placesOf(mailboxes)) {
      await target.begin(path)
      for await (const emails of account.emails(mailbox.id)) {
        await inParallel(TRANSFER_CONCURRENCY, emails, async ({ blobId, keywords, receivedAt, id }) => {
          const octets = await account.download(blobId).catch(unlessGone)
          if (octets === null) return
          await target.add({ id, octets, keywords: Object.keys(keywords), receivedAt })
          exported++
          progress.add(1)
        })
      }
    }
    await target.end()
  }
  try {
    await unlessStopped(terminal, 'not all of the mail was written', writeAll)
  } catch (error) {
    await target.abandon?.()
    throw error
  } finally {
    progress.end()
  }
  terminal.print(settings['json'] === true ? `${JSON.stringify({ exported })}\n` : `${exported} messages exported\n`)
  return 0
}

/** A message may be deleted while others are read. */
function unlessGone(error: unknown): null {
  if (error instanceof HttpRefusal && error.status === 404) return null
  throw error
}

/** The inbox has the empty path. */
function placesOf(mailboxes: readonly JmapMailbox[]): [JmapMailbox, readonly string[]][] {
  const paths = pathsOf(mailboxes)
  return mailboxes.map((mailbox) => [mailbox, mailbox.role === 'inbox' ? [] : paths.get(mailbox.id)!])
}
