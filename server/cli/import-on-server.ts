/** `posthouse import imap|mbox`: imports that the server runs (decision D12), which can be undone. The command starts one and shows how it goes. */
import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { constants, access as requireAccess, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../base/clock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { TRANSFER_POLL_MS } from '../base/transfer-limits.ts'
import { type Command, type Invocation, optional, required, UsageError } from './command.ts'
import { askJson } from './transfer/http.ts'
import { JmapAccount } from './transfer/jmap-account.ts'
import { Progress } from './transfer/progress.ts'
import { ACCESS_OPTIONS, type ServerAccess, withAccess } from './transfer/server-access.ts'
import { uploadFile } from './transfer/upload-file.ts'
import { unlessStopped } from './unless-stopped.ts'

const SCOPES = ['mailboxes:read', 'mailboxes:write']
const RANGE = { value: '<range>', help: 'only mail of this time until now, such as 6m or 2y (default: all)' }

export const importImap: Command = {
  name: 'import imap',
  summary: 'imports the mail of an IMAP account into a mailbox',
  description: `The server reads the account; the command shows how it goes. If it is stopped, the import goes on. Use an app password
where the provider has them. The password is read from standard input and deleted at the end of the import.`,
  options: {
    ...ACCESS_OPTIONS,
    provider: { value: '<name>', help: 'gmail, yahoo, aol, icloud, fastmail, zoho or imap (default: imap)' },
    email: { value: '<address>', help: 'the address of the account' },
    'password-stdin': { help: 'read its password from standard input, after the key if one is given' },
    host: { value: '<name>', help: 'with imap: its server (default: found by its domain)' },
    port: { value: '<port>', help: 'with imap: its port' },
    security: { value: '<kind>', help: 'with imap: tls or starttls' },
    username: { value: '<name>', help: 'with imap: the name to log in with (default: the address)' },
    range: RANGE,
    'include-spam': { help: 'import spam too' },
    'include-trash': { help: 'import deleted mail too' },
  },
  async run(invocation) {
    const email = required(invocation, 'email')
    if (invocation.options['password-stdin'] !== true) throw new UsageError('--password-stdin is missing')
    const port = optional(invocation, 'port')
    if (port !== null && !/^\d{1,5}$/.test(port)) throw new UsageError('--port must be a number')
    return withAccess(invocation, SCOPES, (access) => {
      const source: Record<string, string | number> = { type: 'imap', email, password: access.secret('password') }
      source['provider'] = optional(invocation, 'provider') ?? 'imap'
      for (const name of ['host', 'security', 'username']) {
        const value = optional(invocation, name)
        if (value !== null) source[name] = value
      }
      if (port !== null) source['port'] = Number(port)
      return runImport(invocation, access, async () => source)
    })
  },
}

export const importFiles: Command = {
  name: 'import mbox',
  summary: 'imports mbox, zip and .eml files into a mailbox',
  positionals: '<file>...',
  description: `The files are .mbox, .mbox.gz, .zip (also of Google Takeout, with --takeout) or .eml, up to 4 GB each. They are uploaded, and the
server imports them; the command shows how it goes. If it is stopped then, the import goes on.`,
  options: {
    ...ACCESS_OPTIONS,
    takeout: { help: 'the files are of Google Takeout: labels become folders' },
    range: RANGE,
    'include-spam': { help: 'import spam too' },
    'include-trash': { help: 'import deleted mail too' },
  },
  async run(invocation) {
    const files = invocation.positionals
    if (files.length === 0) throw new UsageError('import mbox needs a file')
    return withAccess(invocation, SCOPES, (access) =>
      runImport(invocation, access, async (imports) => {
        const ids: string[] = []
        for (const file of files) ids.push(...(await upload(access, imports, file)))
        return {
          type: 'files',
          provider: invocation.options['takeout'] === true ? 'takeout' : 'generic',
          file_ids: ids,
        }
      }),
    )
  },
}

interface View {
  readonly id: string
  readonly status: string
  readonly resume_at: string | null
  readonly error: { readonly message: string } | null
  readonly counters: {
    readonly [name in 'total' | 'processed' | 'imported' | 'duplicates' | 'skipped' | 'failed']: number
  }
  readonly failures: readonly { readonly folder: string; readonly detail: string }[]
}

/** @param sourceOf makes the source; `imports` is the URL of the mailbox's imports */
async function runImport(
  invocation: Invocation,
  access: ServerAccess,
  sourceOf: (imports: string) => Promise<object>,
): Promise<number> {
  const { terminal } = invocation
  const url = await unlessStopped(terminal, 'nothing was imported', () => start(invocation, access, sourceOf))
  return watch(invocation, access, url)
}

/** @returns URL of the import */
async function start(
  invocation: Invocation,
  access: ServerAccess,
  sourceOf: (imports: string) => Promise<object>,
): Promise<string> {
  const account = await JmapAccount.open(access.server, access.authorization, access.mailbox)
  const imports = `${access.server}/api/v1/mailboxes/${account.id}/imports`
  const { options } = invocation
  const range = optional(invocation, 'range')
  const wanted = {
    ...(range !== null && { range }),
    include_spam: options['include-spam'] === true,
    include_trash: options['include-trash'] === true,
  }
  const { id } = await json<View>(access, imports, { source: await sourceOf(imports), options: wanted })
  return `${imports}/${id}`
}

/** @returns no id for an empty file, such as the mbox of a folder without mail */
async function upload(access: ServerAccess, imports: string, file: string): Promise<string[]> {
  const size = await sizeOf(file)
  if (size === 0) return []
  const name = /\.(?:mbox|mbox\.gz|zip|eml)$/i.test(file) ? basename(file) : `${basename(file)}.mbox`
  const staged = { file_name: name, size_bytes: size }
  const { file_id, upload_url } = await json<{ file_id: string; upload_url: string }>(
    access,
    `${imports}/files`,
    staged,
  )
  const fault = await uploadFile(upload_url, await openAsBlob(file))
  if (fault !== null) throw new Failure('configuration', `${file} was not taken: ${fault}`)
  return [file_id]
}

/** @throws Failure `configuration` for what cannot be read, and what is no file */
async function sizeOf(file: string): Promise<number> {
  try {
    await requireAccess(file, constants.R_OK)
    const found = await stat(file)
    if (found.isFile()) return found.size
  } catch (error) {
    throw new Failure('configuration', `${file} cannot be read: ${errorMessage(error)}`)
  }
  throw new Failure('configuration', `${file} is not a file`)
}

/** Until the import has ended, or the command is stopped. */
async function watch({ terminal, settings }: Invocation, access: ServerAccess, url: string): Promise<number> {
  const progress = new Progress(terminal, systemClock, null)
  const stop = new AbortController()
  void terminal.stopRequested.then(() => stop.abort())
  let said = ''
  for (;;) {
    const view = await json<View>(access, url)
    const { status, counters, resume_at } = view
    progress.set(counters.processed, counters.total)
    if (status === 'completed' || status === 'failed' || status === 'cancelled') {
      progress.end()
      return report(view, terminal, settings['json'] === true)
    }
    if (status.startsWith('paused') && said !== status) {
      progress.end()
      const why =
        status === 'paused_quota' ? 'the mailbox is full' : `the limit of the source is reached until ${resume_at}`
      terminal.printError(`The import pauses: ${why}.\n`)
    }
    said = status
    if (stop.signal.aborted) {
      progress.end()
      terminal.printError('The import goes on without this command.\n')
      return 0
    }
    // A timer of the clock would not keep the process alive.
    await pause(TRANSFER_POLL_MS, undefined, { signal: stop.signal }).catch(() => {})
  }
}

function report(
  { id, status, counters, error, failures }: View,
  terminal: Invocation['terminal'],
  json: boolean,
): number {
  const { imported, duplicates, skipped, failed } = counters
  if (json) terminal.print(`${JSON.stringify({ id, status, imported, duplicates, skipped, failed })}\n`)
  else {
    terminal.print(`${imported} imported, ${duplicates} already there, ${skipped} left out, ${failed} failed (${id})\n`)
    for (const { folder, detail } of failures) terminal.printError(`${folder}: ${detail}\n`)
  }
  if (status === 'completed') return failed > 0 ? 1 : 0
  throw new Failure('configuration', error?.message ?? `the import is ${status}`)
}

function json<T>({ authorization }: ServerAccess, url: string, body?: object): Promise<T> {
  const headers = { authorization, 'content-type': 'application/json' }
  if (body === undefined) return askJson(url, { headers })
  // A request that is repeated because its answer was lost is done once.
  const once = { ...headers, 'idempotency-key': randomUUID() }
  return askJson(url, { method: 'POST', headers: once, body: JSON.stringify(body) })
}
