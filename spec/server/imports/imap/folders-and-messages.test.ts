/** What an import sees of an account on a plain IMAP server: folders, flags, dates, octets; and where it goes on after an interruption. */
import t from 'tap'
import type { SourceItem } from '../../../../server/imports/import-source.ts'
import type { ServedMessage } from '../../../support/imap-server.ts'
import { foldersOf, mail, openSource, readFolder, shortly } from '../../../support/imap-source.ts'

const messages = (count: number, octets?: number): ServedMessage[] =>
  Array.from({ length: count }, (_, i) => ({ uid: 10 * (i + 1), raw: mail(`number ${i}`, octets) }))

t.test('folders have their Unicode names, depth, roles and counts', async (t) => {
  const { source } = await openSource(t, {
    delimiter: '.',
    namespace: '(("INBOX." ".")) (("user." ".")) (("shared." "."))',
    folders: [
      { path: 'INBOX', messages: messages(3), uidValidity: 7 },
      { path: 'INBOX.Gesendet', attributes: ['\\Sent'] },
      { path: 'INBOX.Trash' },
      { path: 'INBOX.Projekte', attributes: ['\\Noselect'] },
      { path: 'INBOX.Projekte.B&APw-cher &- mehr' },
      { path: 'INBOX.&ZeVnLIqe-' },
      { path: 'user.bob' },
      { path: 'shared.all' },
    ],
  })
  const found = (await foldersOf(source)).map(({ path, role, total, generation }) => [path, role, total, generation])
  t.same(found[0], [['INBOX'], 'inbox', 3, '7'], 'the inbox is first')
  t.same(found.at(-1), [['Trash'], 'trash', 0, '1'], 'known by its name')
  t.same(
    found.slice(1, -1).toSorted(),
    [
      [['Gesendet'], 'sent', 0, '1'],
      [['Projekte', 'Bücher & mehr'], null, 0, '1'],
      [['日本語'], null, 0, '1'],
    ].toSorted(),
  )
})

t.test('messages keep octets, flags, keywords and dates, in the order of their UIDs', async (t) => {
  const raw = mail('hello')
  const { source, server } = await openSource(t, {
    security: 'starttls',
    folders: [
      {
        path: 'INBOX',
        messages: [
          {
            uid: 3,
            raw,
            flags: ['\\Seen', '\\Answered', '$Forwarded', 'Work', '\\Recent'],
            internalDate: ' 1-Feb-2003 04:05:06 +0200',
          },
          { uid: 4, raw, flags: ['\\Flagged', '\\Draft'], internalDate: 'no date' },
          { uid: 9, raw, flags: ['\\Deleted'] },
          { uid: 12, raw: Buffer.from('Subject: bare\n\nline\n') },
        ],
      },
    ],
  })
  const [inbox] = await foldersOf(source)
  const { items, fault } = await readFolder(source, inbox!)
  t.equal(fault, null)
  t.same(
    items.map(shortly),
    ['3 message', '4 message', '9 skipped', '12 message'],
    'JMAP does not show deleted messages',
  )
  const [first, second, , last] = items as Extract<SourceItem, { kind: 'message' }>[]
  t.ok(first!.raw.equals(raw))
  t.same(first!.keywords, ['$seen', '$answered', '$forwarded', 'work'])
  t.equal(first!.receivedAt, Date.UTC(2003, 1, 1, 2, 5, 6))
  t.same(second!.keywords, ['$flagged', '$draft'])
  t.equal(second!.receivedAt, null)
  t.equal(last!.raw.toString(), 'Subject: bare\r\n\r\nline\r\n')
  t.ok(server.commands.indexOf('STARTTLS') < server.commands.indexOf('AUTHENTICATE'), 'no password before TLS')
  t.notOk(server.commands.includes('SELECT'), 'the account is not changed')
})

t.test('reading goes on after a position, whatever was removed at the server', async (t) => {
  const all = messages(620)
  const { source } = await openSource(t, { folders: [{ path: 'INBOX', messages: all }] })
  const [inbox] = await foldersOf(source)
  const positions = (items: readonly SourceItem[]) => items.map(({ position }) => Number(position))
  const wants = () => false
  const whole = await readFolder(source, inbox!, { wants })
  t.same(
    positions(whole.items),
    all.map(({ uid }) => uid),
    'several windows',
  )
  for (const after of [10, 4_567, 6_190, 6_200, 99_999]) {
    const { items } = await readFolder(source, inbox!, { wants, after: String(after) })
    t.same(
      positions(items),
      all.map(({ uid }) => uid).filter((uid) => uid > after),
      `after ${after}`,
    )
  }
})

t.test('only messages that are wanted are read, and none that is too large', async (t) => {
  const asked: string[] = []
  const { source } = await openSource(t, {
    folders: [
      {
        path: 'INBOX',
        messages: [
          { uid: 1, raw: mail('old'), internalDate: '01-Jan-2001 00:00:00 +0000' },
          { uid: 2, raw: mail('large', 5_000) },
          { uid: 3, raw: mail('new') },
        ],
      },
    ],
    reply: ({ name, args }) => {
      if (args.includes('BODY')) asked.push(`${name} ${args.split(' ')[0]}`)
      return null
    },
  })
  const [inbox] = await foldersOf(source)
  const wants = ({ receivedAt }: { receivedAt: number | null }) => receivedAt! > Date.UTC(2010)
  const { items } = await readFolder(source, inbox!, { wants, maxOctets: 4_000 })
  t.same(items.map(shortly), ['1 skipped', '2 too_large', '3 message'])
  t.same(asked, ['UID FETCH 3'])
})

t.test('a connection that is cut is a fault, and the next call connects again and goes on', async (t) => {
  const all = messages(200)
  let cuts = 0
  const { source, server } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: all }],
    reply: ({ name, args }) =>
      name === 'UID FETCH' && args.includes('BODY') && cuts++ % 2 === 1
        ? { cut: '* 65 FETCH (UID 650 BODY[] {100}\r\nSub' }
        : null,
  })
  const [inbox] = await foldersOf(source)
  const read: string[] = []
  let faults = 0
  for (let tries = 0; tries < 20; tries++) {
    const { items, fault } = await readFolder(source, inbox!, { after: read.at(-1) ?? null })
    read.push(...items.map(({ position }) => position))
    if (!fault) break
    faults++
    t.equal(fault.fault, 'cut')
  }
  t.ok(faults > 1)
  t.same(
    read,
    all.map(({ uid }) => String(uid)),
    'each once',
  )
  t.equal(server.connections, faults + 1)
})

t.test('positions are not used for a folder whose UIDs are new', async (t) => {
  const folders = [{ path: 'INBOX', messages: messages(2), uidValidity: 1 }]
  const { source } = await openSource(t, { folders })
  const [inbox] = await foldersOf(source)
  folders[0]!.uidValidity = 2
  const { items, fault } = await readFolder(source, inbox!)
  t.same(items, [])
  t.equal(fault?.fault, 'cut')
  const [anew] = await foldersOf(source)
  t.equal(anew!.generation, '2')
  t.equal((await readFolder(source, anew!)).items.length, 2, 'control')
})

t.test('a folder that the server does not open is reported, and others are read', async (t) => {
  const { source } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: messages(1) }, { path: 'Locked' }],
    reply: ({ tag, name, args }) =>
      name === 'EXAMINE' && args.includes('Locked') ? `${tag} NO [NOPERM] no\r\n` : null,
  })
  const [inbox, locked] = await foldersOf(source)
  t.same((await readFolder(source, locked!)).items.map(shortly), ['0 source_refused'])
  t.same((await readFolder(source, inbox!)).items.map(shortly), ['10 message'])
})

t.test('an import that is cancelled stops at once', async (t) => {
  const { source } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: messages(1) }],
    // It never answers.
    reply: ({ args }) => (args.includes('BODY') ? '' : null),
  })
  const [inbox] = await foldersOf(source)
  const abort = new AbortController()
  const reading = readFolder(source, inbox!, { signal: abort.signal })
  abort.abort(new Error('cancelled'))
  t.match((await reading).fault, { message: 'cancelled' })
})
