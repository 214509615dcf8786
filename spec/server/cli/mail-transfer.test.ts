/** `posthouse import maildir|jmap` and `posthouse export`, with a running server. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FolderTree, pathsOf } from '../../../server/cli/transfer/folder-tree.ts'
import { JmapAccount } from '../../../server/cli/transfer/jmap-account.ts'
import { mboxEntry } from '../../../server/cli/transfer/mbox-writer.ts'
import { runCommand, serve, startCommand } from '../../support/command-line.ts'
import { startImapServer } from '../../support/imap-server.ts'
import { PASSWORD } from '../../support/imap-source.ts'
import { type Ready, temporaryFolder } from '../../support/posthouse.ts'

const sha = (octets: Uint8Array) => createHash('sha256').update(octets).digest('hex').slice(0, 16)

interface Given {
  readonly folder: readonly string[]
  readonly octets: Buffer
  readonly keywords: readonly string[]
  readonly receivedAt: string
}

const mail = (subject: string, body: string) => Buffer.from(`From: a@example.net\r\nSubject: ${subject}\r\n\r\n${body}`)
const twice = mail('in two folders', 'text\r\n')

const GIVEN: readonly Given[] = [
  {
    folder: [],
    octets: mail('plain', 'text\r\n'),
    keywords: ['$seen', '$flagged'],
    receivedAt: '2020-01-02T03:04:05Z',
  },
  { folder: [], octets: mail('no end', 'From me\r\n>From you'), keywords: [], receivedAt: '2021-01-02T03:04:05Z' },
  { folder: [], octets: twice, keywords: ['$answered'], receivedAt: '2022-01-02T03:04:05Z' },
  { folder: ['Work', 'v1.2 & Bücher'], octets: twice, keywords: ['$answered'], receivedAt: '2022-01-02T03:04:05Z' },
  {
    folder: ['Work', 'v1.2 & Bücher'],
    octets: mail('mixed', 'a\nb\r\n\0'),
    keywords: ['$forwarded', 'important'],
    receivedAt: '1999-12-31T23:59:59Z',
  },
  {
    folder: ['Sent'],
    octets: mail('sent', 'text\r\n'),
    keywords: ['$seen', '$draft'],
    receivedAt: '2023-01-02T03:04:05Z',
  },
]

/** Path, octets, keywords and time of each message in each of its folders. */
async function contents(account: JmapAccount): Promise<string[]> {
  const mailboxes = await account.mailboxes()
  const paths = pathsOf(mailboxes)
  const lines: string[] = []
  for (const { id, role } of mailboxes)
    for await (const emails of account.emails(id))
      for (const { blobId, keywords, receivedAt } of emails) {
        const path = role === 'inbox' ? '' : paths.get(id)!.join('/')
        lines.push(lineOf(path, await account.download(blobId), Object.keys(keywords), receivedAt))
      }
  return lines.sort()
}

function lineOf(path: string, octets: Uint8Array, keywords: readonly string[], receivedAt: string): string {
  return [path, sha(octets), keywords.toSorted().join(','), receivedAt].join(' | ')
}

async function fill(account: JmapAccount): Promise<void> {
  const folders = await FolderTree.read(account, [])
  for (const { folder, octets, keywords, receivedAt } of GIVEN) {
    if (octets === twice && folder.length > 0) continue
    const ids = [await folders.find(folder, null)]
    if (octets === twice) ids.push(await folders.find(['Work', 'v1.2 & Bücher'], null))
    const set = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true as const]))
    const email = { blobId: await account.upload(octets), mailboxIds: set(ids), keywords: set(keywords), receivedAt }
    const [answer] = await account.importEmails([email])
    if (!answer || 'reason' in answer) throw new Error(answer?.reason)
  }
}

async function newMailbox({ http, api_key, domain }: Ready, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ address: name, domain_id: domain.id })
  const answer = await fetch(`${http}/api/v1/mailboxes`, { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(await answer.text())
  return ((await answer.json()) as { address: string }).address
}

async function world(t: Test) {
  const data = temporaryFolder(t)
  const folders = [{ path: 'INBOX', messages: [{ uid: 1, raw: mail('by IMAP', 'text\r\n'), flags: ['\\Seen'] }] }]
  const imap = await startImapServer(t, { password: PASSWORD, folders })
  const ca = join(temporaryFolder(t), 'ca.pem')
  writeFileSync(ca, imap.ca)
  const { ready } = await serve(t, data, [`--import-tls-ca=${ca}`])
  const open = (name: string) => JmapAccount.open(ready.http, `Bearer ${ready.api_key}`, name)
  const source = await open(ready.mailbox.address)
  await fill(source)
  const command = (args: readonly string[], input = '') =>
    runCommand([...args, `--server=${ready.http}`, `--data=${data}`], { input })
  /** Of a command that runs until the server has done its work: what it prints. */
  const watched = async (args: readonly string[], input = '') => {
    const all = [...args, '--json', `--server=${ready.http}`, `--data=${data}`]
    const { line, stop } = startCommand(t, all, { input })
    const answer = JSON.parse(await line())
    await stop()
    return answer
  }
  return { ready, open, source, command, watched, files: temporaryFolder(t), imap }
}

t.test('mail leaves and comes back with the same octets, folders, keywords and times', async (t) => {
  const { ready, open, source, command, watched, files, imap } = await world(t)
  const before = await contents(source)
  t.same(
    before,
    GIVEN.map(({ folder, octets, keywords, receivedAt }) =>
      lineOf(folder.join('/'), octets, keywords, receivedAt),
    ).sort(),
  )
  const from = `--mailbox=${ready.mailbox.address}`

  const maildir = join(files, 'Maildir')
  t.match(await command(['export', from, '--format=maildir', `--output=${maildir}`]), {
    code: 0,
    stdout: '6 messages exported\n',
  })
  t.ok(readdirSync(maildir).includes('.Work.v1\\2e2 &- B&APw-cher'), 'Maildir++')
  const moved = await newMailbox(ready, 'moved')
  const imported = await command(['import', 'maildir', maildir, `--mailbox=${moved}`])
  t.match(imported, { code: 0, stdout: '5 imported, 1 already there, 0 failed\n' })
  t.same(await contents(await open(moved)), before)
  const again = await command(['import', 'maildir', maildir, `--mailbox=${moved}`, '--json'])
  t.match(JSON.parse(again.stdout), { imported: 0, duplicates: 6, failed: 0 }, 'it can be repeated')
  t.same(await contents(await open(moved)), before)

  const copied = await newMailbox(ready, 'copied')
  const login = [`--username=${ready.mailbox.address}`, '--password-stdin']
  const jmap = await command(
    ['import', 'jmap', ready.http, `--mailbox=${copied}`, ...login],
    `${ready.mailbox.password}\n`,
  )
  t.match(jmap, { code: 0, stdout: '5 imported, 1 already there, 0 failed\n' })
  t.same(await contents(await open(copied)), before)
  const below = await command(['import', 'maildir', maildir, `--mailbox=${copied}`, '--into=Old/2020'])
  t.match(below, { code: 0, stdout: '0 imported, 6 already there, 0 failed\n' })
  t.ok((await contents(await open(copied))).some((line) => line.startsWith('Old/2020/Work/v1.2 & Bücher | ')))

  const mbox = join(files, 'mbox')
  t.match(await command(['export', from, '--format=mbox', `--output=${mbox}`]), { code: 0 })
  const inbox = readFileSync(join(mbox, 'Inbox.mbox'), 'latin1')
  t.match(
    inbox,
    /^From MAILER-DAEMON Thu Jan {2}2 03:04:05 2020\r\nStatus: RO\r\nX-Status: F\r\nPosthouse-Octets: \d+ [\w-]{43}\r\nFrom: a@/,
  )
  t.match(inbox, /\r\n\r\n>From me\r\n>>From you\r\n\r\n/)
  t.same(readdirSync(join(mbox, 'Work')), ['v1.2 & Bücher.mbox'])

  const zip = join(files, 'mail.zip')
  t.match(await command(['export', from, '--format=eml', `--output=${zip}`]), { code: 0 })
  const octets = readFileSync(zip)
  t.equal(octets.subarray(0, 2).toString(), 'PK')
  t.ok(octets.includes('Work/v1.2 & Bücher/19991231T235959Z_'), 'folders are directories')
  for (const format of ['maildir', 'mbox', 'eml'])
    t.match(await command(['export', from, `--format=${format}`, `--output=${format === 'eml' ? zip : mbox}`]), {
      code: 1,
      stderr: /cannot be written/,
    })

  const stored = await newMailbox(ready, 'stored')
  const folder = join(mbox, 'Sent.mbox')
  t.match(await watched(['import', 'mbox', folder, `--mailbox=${stored}`]), { id: /^imp_/, imported: 1, failed: 0 })
  const sent = GIVEN.find((one) => one.folder[0] === 'Sent')!
  t.match((await contents(await open(stored)))[0], `Sent | ${sha(sent.octets)} | $draft,$seen | `)
  const account = ['--email=ada@example.org', '--host=127.0.0.1', `--port=${imap.port}`, '--password-stdin']
  const byImap = ['import', 'imap', `--mailbox=${stored}`, ...account]
  t.match(await command(byImap, 'wrong\n'), { code: 1, stderr: /does not accept this user name and password/ })
  t.match(await watched(byImap, `${PASSWORD}\n`), { status: 'completed', imported: 1, failed: 0 })
  t.match(await command(['import', 'mbox', join(files, 'none.mbox'), `--mailbox=${stored}`]), {
    code: 1,
    stderr: /cannot be read/,
  })

  const keys = await command(['keys', 'list', '--json'])
  t.notMatch(keys.stdout, /import or export/, 'no key is left behind')
})

t.test('a Maildir of another server is read: folders in directories, line ends, deleted mail, no flags', async (t) => {
  const { ready, open, command, files } = await world(t)
  const place = (folder: string, state: string, name: string, text: string) => {
    for (const one of ['cur', 'new', 'tmp']) mkdirSync(join(files, folder, one), { recursive: true })
    writeFileSync(join(files, folder, state, name), text)
    utimesSync(join(files, folder, state, name), 1_000_000, 1_000_000)
  }
  place('', 'new', '1.host', 'Subject: new\n\ntext\n')
  place('', 'cur', '2.host:2,ST', 'Subject: deleted\n\ntext\n')
  place('Papierkorb/Alt', 'cur', '3.host:2,PRSa', 'Subject: below\r\n\r\ntext\r\n')
  writeFileSync(join(files, 'Papierkorb/Alt/dovecot-keywords'), '0 $Label1\n')
  place('.Spam', 'cur', '4.host:2,', 'Subject: spam\n\ntext\n')
  const address = await newMailbox(ready, 'dovecot')
  t.match(await command(['import', 'maildir', files, `--mailbox=${address}`]), { code: 0, stdout: /^3 imported/ })
  const at = '1970-01-12T13:46:40Z'
  const account = await open(address)
  t.same(
    await contents(account),
    [
      lineOf('', Buffer.from('Subject: new\r\n\r\ntext\r\n'), [], at),
      lineOf(
        'Papierkorb/Alt',
        Buffer.from('Subject: below\r\n\r\ntext\r\n'),
        ['$answered', '$forwarded', '$label1', '$seen'],
        at,
      ),
      lineOf(
        (await account.mailboxes()).find(({ role }) => role === 'junk')!.name,
        Buffer.from('Subject: spam\r\n\r\ntext\r\n'),
        [],
        at,
      ),
    ].sort(),
  )
  t.match(await command(['import', 'maildir', join(files, 'cur'), `--mailbox=${address}`]), {
    code: 1,
    stderr: /is no Maildir/,
  })
  t.match(await command(['import', 'maildir', files, '--mailbox=nobody@example.test']), {
    code: 1,
    stderr: /has no account nobody@example\.test/,
  })
  t.match(await command(['export', '--format=pst', '--output=x', `--mailbox=${address}`]), { code: 2 })
})

t.test('lines of an mbox that look like separators get one more mark', async (t) => {
  const octets = Buffer.from('Subject: x\r\n\r\nFrom a\r\n>From b\r\n> From c\r\nfrom From d\r\n')
  const entry = mboxEntry({ octets, keywords: [], receivedAt: '2024-02-29T00:00:00Z' }).toString()
  const field = `Posthouse-Octets: ${octets.length} ${createHash('sha256').update(octets).digest('base64url')}`
  t.equal(
    entry,
    `From MAILER-DAEMON Thu Feb 29 00:00:00 2024\r\nStatus: O\r\n${field}\r\nSubject: x\r\n\r\n>From a\r\n>>From b\r\n> From c\r\nfrom From d\r\n\r\n`,
  )
})
