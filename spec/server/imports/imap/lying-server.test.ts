/** A hostile server: what it sends is bounded in memory and time, costs only the messages that it lies about, and no other import. */
import t from 'tap'
import { ManualClock, systemClock } from '../../../../server/base/clock.ts'
import {
  IMAP_COMMAND_MS,
  IMAP_LINE_MAX_BYTES,
  IMAP_LIST_MAX_BYTES,
  IMAP_LITERAL_MAX_BYTES,
  IMAP_LOGIN_IDLE_MS,
} from '../../../../server/base/imap-limits.ts'
import { ImapThreads } from '../../../../server/threads/imap-threads.ts'
import { fetchAnswer, startImapServer } from '../../../support/imap-server.ts'
import {
  account,
  foldersOf,
  MAX_OCTETS,
  mail,
  openSource,
  PASSWORD,
  reachOf,
  readFolder,
  shortly,
} from '../../../support/imap-source.ts'
import { until } from '../../../support/until.ts'

const three = [1, 2, 3].map((uid) => ({ uid, raw: mail(`number ${uid}`) }))

t.test('a message that is larger than announced is left out, and the others are read', async (t) => {
  const lies = [
    ['a literal beyond all bounds', `BODY[] {${IMAP_LITERAL_MAX_BYTES + 1}}\r\n`],
    ['a literal of more digits than any number', `BODY[] {${'9'.repeat(30)}}\r\n`],
    ['a line without an end', 'x'.repeat(IMAP_LINE_MAX_BYTES + 1)],
  ] as const
  for (const [title, lie] of lies) {
    const { source } = await openSource(t, {
      folders: [{ path: 'INBOX', messages: three }],
      reply: ({ args }) => (args.includes('BODY') && /(^|,)2[ ,]/.test(args) ? `* 2 FETCH (UID 2 ${lie}` : null),
    })
    const [inbox] = await foldersOf(source)
    const { items, fault } = await readFolder(source, inbox!)
    t.same(items.map(shortly), ['1 message', '2 too_large', '3 message'], title)
    t.equal(fault, null)
  }
})

t.test('a size that is announced as small does not let a message exceed the limit', async (t) => {
  const large = { uid: 2, raw: mail('large', MAX_OCTETS + 10), size: 10 }
  const { source } = await openSource(t, { folders: [{ path: 'INBOX', messages: [three[0]!, large, three[2]!] }] })
  const [inbox] = await foldersOf(source)
  const { items } = await readFolder(source, inbox!)
  t.same(items.map(shortly), ['1 message', '2 too_large', '3 message'])
})

t.test('a server that breaks the protocol again and again is given up', async (t) => {
  const { source, server } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: Array.from({ length: 50 }, (_, i) => ({ uid: i + 1, raw: mail('x') })) }],
    reply: ({ args }) => (args.includes('BODY') ? `* 1 FETCH (UID 1 BODY[] {${IMAP_LITERAL_MAX_BYTES + 1}}\r\n` : null),
  })
  const [inbox] = await foldersOf(source)
  const { fault } = await readFolder(source, inbox!)
  t.equal(fault?.fault, 'unusable')
  t.ok(server.connections < 15)
})

t.test('messages that nobody asked for, wrong UIDs and missing messages do no harm', async (t) => {
  const stray = (uid: number) => fetchAnswer(1, { uid, raw: mail('stray') }, 'BODY.PEEK[]').toString()
  const { source } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: three }],
    reply: ({ tag, name, args }) => {
      if (name === 'FETCH')
        return [
          ...['UID 3', 'UID 1', 'UID 2', 'UID 1', 'UID 0', 'UID 99999999999', 'UID -4', 'UID x'].map(
            (uid, i) => `* ${i + 1} FETCH (${uid} FLAGS () RFC822.SIZE 100)\r\n`,
          ),
          '* 1 FETCH (FLAGS (\\Seen))\r\n',
          `${tag} OK done\r\n`,
        ].join('')
      if (!args.includes('BODY')) return null
      const [first, , third] = three
      return [
        stray(77),
        fetchAnswer(3, third!, args).toString(),
        '* 2 FETCH (UID 2 BODY[] NIL)\r\n',
        fetchAnswer(1, first!, args).toString(),
        stray(1),
        `${tag} OK done\r\n`,
      ].join('')
    },
  })
  const [inbox] = await foldersOf(source)
  const { items } = await readFolder(source, inbox!)
  t.same(items.map(shortly), ['1 message', '2 source_refused', '3 message'])
  t.ok(items[0]!.kind === 'message' && items[0]!.raw.equals(three[0]!.raw))
})

t.test('a list of folders without an end is given up', async (t) => {
  const folders = (count: number) =>
    Array.from({ length: count }, (_, n) => `* LIST () "/" "${n}${'x'.repeat(50_000)}"\r\n`).join('')
  const listOf = async (list: (tag: string) => string) => {
    const { source, clock } = await openSource(t, {
      folders: [{ path: 'INBOX', messages: three }],
      reply: ({ tag, name, args }) => (name === 'LIST' && args.includes('*') ? list(tag) : null),
    })
    let found: unknown
    void foldersOf(source).then(
      (listed) => {
        found = listed
      },
      (error: unknown) => {
        found = error
      },
    )
    // The time of a turn is far below that of a command.
    for (; found === undefined; clock.advance(1)) await new Promise((resolve) => setImmediate(resolve))
    return found
  }
  t.match(await listOf(() => folders(IMAP_LIST_MAX_BYTES / 50_000 + 1)), { fault: 'unusable' })
  t.same(
    await listOf((tag) => `${folders(2)}${tag} OK done\r\n`),
    [],
    'control: a name that is too long is no folder here',
  )
})

t.test('names that no folder has are left out, and others are names, whatever they would be on a disk', async (t) => {
  const paths = ['INBOX', 'a\0b', '..', '../../etc']
  const { source } = await openSource(t, { folders: paths.map((path) => ({ path, messages: three })) })
  t.same(
    (await foldersOf(source)).map(({ path }) => path),
    [['INBOX'], ['..'], ['..', '..', 'etc']],
  )
})

t.test('a server that claims more messages than it has is read to the end of what it has', async (t) => {
  const { source } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: three, exists: 4_000_000_000 }],
  })
  const [inbox] = await foldersOf(source)
  const { items, fault } = await readFolder(source, inbox!)
  t.same(items.map(shortly), ['1 message', '2 message', '3 message'])
  t.equal(fault?.fault, 'cut')
})

t.test('a server that sends a little now and then is given up in time', async (t) => {
  let asked = false
  const { source, clock } = await openSource(t, {
    folders: [{ path: 'INBOX', messages: three }],
    reply: ({ args }) => {
      if (!args.includes('BODY')) return null
      asked = true
      return '* 1 FETCH (UID 1 BODY[] {100}\r\nx'
    },
  })
  const [inbox] = await foldersOf(source)
  const reading = readFolder(source, inbox!)
  await until(() => {
    if (!asked) throw new Error('the message was not asked for')
  })
  clock.advance(IMAP_COMMAND_MS * 10)
  t.match((await reading).fault, { fault: 'cut', message: /too slow/ })
})

t.test('an account is read in a thread, and an answer that exhausts its memory ends only that thread', async (t) => {
  const threads = (ca: string) => {
    const made = new ImapThreads({ clock: systemClock, reach: reachOf(ca) })
    t.teardown(() => made.close())
    return made
  }
  const honest = await startImapServer(t, { password: PASSWORD, folders: [{ path: 'INBOX', messages: three }] })
  const bomb = `* 1 FETCH (UID 1 BODY[] (${'{1}\r\na '.repeat(1_200_000)}))\r\n`
  const hostile = await startImapServer(t, {
    password: PASSWORD,
    folders: [{ path: 'INBOX', messages: three }],
    reply: ({ args }) => (args.includes('BODY') ? bomb : null),
  })
  const good = threads(honest.ca).open(account(honest.port))
  const bad = threads(hostile.ca).open(account(hostile.port))
  const [inbox] = await foldersOf(good)
  const [trap] = await foldersOf(bad)
  const { items, fault } = await readFolder(bad, trap!)
  t.same(items, [])
  t.equal(fault?.fault, 'unusable')
  const read = await readFolder(good, inbox!)
  t.same(read.items.map(shortly), ['1 message', '2 message', '3 message'])
  t.ok(read.items.every((item, i) => item.kind === 'message' && item.raw.equals(three[i]!.raw)))
})

t.test('a login in a thread says the host, or the code of the contract', async (t) => {
  const server = await startImapServer(t, { password: PASSWORD, folders: [] })
  const threads = new ImapThreads({ clock: systemClock, reach: reachOf(server.ca) })
  t.teardown(() => threads.close())
  const wrong = account(server.port, { password: 'wrong' })
  const [right, refused] = await Promise.all([threads.login(account(server.port)), threads.login(wrong)])
  t.same(right, { host: '127.0.0.1', port: server.port, security: 'tls', username: 'ada@example.org' })
  t.match(refused, { code: 'source_authentication_failed', message: /user name and password/ })
  const blind = new ImapThreads({ clock: systemClock, reach: reachOf(null) })
  t.teardown(() => blind.close())
  t.match(await blind.login(account(server.port)), { code: 'source_tls_untrusted' })
  t.match(await blind.login(account(1)), { code: 'source_unreachable' })
})

t.test('a login that begins while the thread of earlier ones ends has a thread of its own', async (t) => {
  const server = await startImapServer(t, { password: PASSWORD, folders: [] })
  const clock = new ManualClock()
  const threads = new ImapThreads({ clock, reach: reachOf(server.ca) })
  t.teardown(() => threads.close())
  const right = { host: '127.0.0.1', port: server.port }
  t.match(await threads.login(account(server.port)), right)
  clock.advance(IMAP_LOGIN_IDLE_MS)
  t.match(await threads.login(account(server.port)), right)
})
