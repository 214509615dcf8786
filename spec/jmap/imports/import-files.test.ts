// Decisions D12 and D33
import t from 'tap'
import { IMPORT_FOLDERS_MAX } from '../../../server/base/import-limits.ts'
import { mboxEntry } from '../../../server/cli/transfer/mbox-writer.ts'
import { type ImportSource, SourceError } from '../../../server/imports/import-source.ts'
import { startCore, type TestCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { contentOf, importsOfTest } from '../../support/imports.ts'
import { mail } from '../mails.ts'

const FROM = 'From a@example.org Mon Mar 02 10:00:00 +0000 2015\n'
const DAY_MS = 86_400_000

function mbox(messages: readonly string[]): string {
  return messages.map((message) => `${FROM}${message}\n`).join('')
}

const numbered = (count: number, more: (n: number) => Parameters<typeof mail>[0] = () => ({})) =>
  Array.from({ length: count }, (_, n) => mail({ id: `m${n}@example.org`, subject: `Mail ${n}`, ...more(n) }))

/** The emails of a mailbox by subject, with the names of their folders. */
async function emails(box: TestMailbox) {
  const { list: folders } = await box.call('Mailbox/get', { ids: null })
  const names = new Map(folders.map(({ id, name }: { id: string; name: string }) => [id, name]))
  const { ids } = await box.call('Email/query', {})
  const properties = ['subject', 'mailboxIds', 'keywords', 'receivedAt', 'threadId']
  const { list } = await box.call('Email/get', { ids, properties })
  return new Map<string, { in: string[]; keywords: string[]; receivedAt: string; threadId: string }>(
    list.map((one: { subject: string; mailboxIds: object; keywords: object; receivedAt: string; threadId: string }) => [
      one.subject,
      {
        in: Object.keys(one.mailboxIds)
          .map((id) => String(names.get(id)))
          .sort(),
        keywords: Object.keys(one.keywords).sort(),
        receivedAt: one.receivedAt,
        threadId: one.threadId,
      },
    ]),
  )
}

/** A source that ends after some items, as when its connection is cut. */
function cutAfter(source: ImportSource, left: { items: number }): ImportSource {
  return {
    folders: (signal) => source.folders(signal),
    close: () => source.close(),
    async *read(folder, options) {
      for await (const item of source.read(folder, options)) {
        if (left.items-- <= 0) throw new SourceError('cut', 'The connection ended.')
        yield item
      }
    },
  }
}

await forEachEngine(t, async (t, engine) => {
  const test: TestCore = await startCore(t, engine)
  const { clock } = test

  t.test(
    'an mbox is imported with folders, keywords, dates and threads, and a second import finds it all',
    async (t) => {
      const box = await test.mailbox('first')
      const { start, finish } = importsOfTest(test)
      const before = mail({ id: 'old@example.org', subject: 'Old' })
      await box.receive(before)
      const file = mbox([
        before,
        `Status: RO\nX-Status: F\n${mail({ id: 'a@example.org', subject: 'Plain', date: 'Thu, 1 Jan 2015 08:00:00 +0000' })}`,
        `X-Gmail-Labels: Inbox,Work/2026,Unread\n${mail({ id: 'b@example.org', subject: 'Labels', headers: ['Received: by x; Fri, 2 Jan 2015 08:00:00 +0000'] })}`,
        mail({ id: 'c@example.org', inReplyTo: 'a@example.org', subject: 'Re: Plain' }),
        'no header at all\n',
        mail({ id: 'd@example.org', subject: 'Same id' }),
        mail({ id: 'd@example.org', subject: 'Same id', body: 'Another text' }),
        mail({ id: 'd@example.org', subject: 'Same id' }),
        mail({ subject: 'No id' }),
        mail({ subject: 'No id' }),
      ])
      const done = await finish(box, await start(box, { 'Archive 2015.mbox': file }))
      t.match(done, {
        status: 'completed',
        fileNames: ['Archive 2015.mbox'],
        counters: { total: 10, processed: 10, imported: 6, duplicates: 3, skipped: 0, failed: 1 },
        failureReasons: { malformed: 1 },
        failures: [{ folder: 'Archive 2015', reason: 'malformed' }],
        error: null,
      })
      t.match(
        done.report.map(({ name, total, status }: { name: string; total: number; status: string }) => [
          name,
          total,
          status,
        ]),
        [
          ['Archive 2015', 9, 'done'],
          ['Inbox', 1, 'done'],
          ['Work/2026', 0, 'done'],
        ],
      )
      const found = await emails(box)
      t.match(found.get('Plain'), {
        in: ['Archive 2015'],
        keywords: ['$flagged', '$seen'],
        receivedAt: '2015-01-01T08:00:00Z',
      })
      t.match(found.get('Labels'), { in: ['2026', 'Inbox'], keywords: [], receivedAt: '2015-01-02T08:00:00Z' })
      t.match(found.get('No id'), { receivedAt: '2015-03-02T10:00:00Z' }, 'the date of the From_ line')
      t.equal(found.get('Re: Plain')?.threadId, found.get('Plain')?.threadId, 'threads are made')
      const again = await finish(box, await start(box, { 'Archive 2015.mbox': file }))
      t.match(again.counters, { total: 10, imported: 0, duplicates: 9, failed: 1 })
    },
  )

  t.test('exported messages that differ in their transport stay two, and are found again', async (t) => {
    const variants = ['a', 'b', 'b'].map(
      (by) => `Received: by ${by}.example.org\r\n${mail({ id: 'same@example.org' })}`,
    )
    const exported = variants.map((text) =>
      mboxEntry({ octets: Buffer.from(text), keywords: [], receivedAt: '2020-01-01T00:00:00Z' }),
    )
    const box = await test.mailbox('variants')
    const { start, finish } = importsOfTest(test)
    const run = async (to: TestMailbox, file: Buffer | string) =>
      (await finish(to, await start(to, { 'Old.mbox': file }))).counters
    t.match(await run(box, Buffer.concat(exported)), { imported: 2, duplicates: 1 })
    t.match(await run(box, Buffer.concat(exported)), { imported: 0, duplicates: 3 })
    const received = await test.mailbox('received')
    await received.receive(`Received: by c.example.org\r\n${mail({ id: 'same@example.org' })}`)
    t.match(await run(received, Buffer.concat(exported)), { imported: 0, duplicates: 3 }, 'what arrived counts')
    const plain = await test.mailbox('plain')
    t.match(await run(plain, mbox(variants)), { imported: 1, duplicates: 2 }, 'control: files of others')
  })

  t.test('after a cut the import goes on where it was, and undo leaves the mailbox as before', async (t) => {
    const box = await test.mailbox('cut')
    const left = { items: 13 }
    const { start, finish, get } = importsOfTest(test, (source) => cutAfter(source, left))
    const keep = await box.receive(mail({ id: 'm3@example.org', subject: 'Mail 3' }))
    const before = await contentOf(test, box.account)
    const folders = (await box.call('Mailbox/get', { ids: null })).list
    const id = await start(box, { 'Moved in.mbox': mbox(numbered(50)) })
    const cut = await finish(box, id)
    t.match(cut, { status: 'running', error: { code: 'source_unreachable' } })
    t.match(cut.counters, { processed: 13 }, 'what came before stays')
    left.items = Number.POSITIVE_INFINITY
    await clock.advance(5_000)
    const done = await finish(box, id)
    t.match(done, { status: 'completed', counters: { total: 50, imported: 49, duplicates: 1 } })
    t.equal((await emails(box)).size, 50)
    const { ids } = await box.call('Email/query', { filter: { subject: 'Mail 7' } })
    const update = { [ids[0]]: { mailboxIds: { [box.roles['trash']!]: true } } }
    await box.call('Email/set', { update })
    t.same(await box.call('Import/undo', { importId: id }), { accountId: box.accountId, queued: true })
    t.match(await finish(box, id), { status: 'undone', counters: { undone: 49 } })
    t.same(await contentOf(test, box.account), before, 'also what was moved is gone')
    t.same((await box.call('Mailbox/get', { ids: null })).list, folders, 'and the folder that was made')
    t.same((await box.call('Email/get', { ids: [keep], properties: ['subject'] })).list[0].subject, 'Mail 3')
    t.equal((await box.call('Import/undo', { importId: id })).queued, false, 'it is undone once')
    t.match((await get(box, id)).report[0], { name: 'Moved in' })
  })

  t.test('a cancelled import keeps its mail, and its folder stays if a rule names it when it is undone', async (t) => {
    const box = await test.mailbox('cancelled')
    const left = { items: 9 }
    const { start, finish } = importsOfTest(test, (source) => cutAfter(source, left))
    const id = await start(box, { 'Kept.mbox': mbox(numbered(30)) })
    await finish(box, id)
    const create = { i: { sourceType: 'imap', provider: 'imap', email: 'a@example.org', password: 'x' } }
    t.match((await box.call('Import/set', { create })).notCreated.i, { type: 'alreadyExists', existingId: id })
    t.equal((await box.call('Import/undo', { importId: id })).queued, false, 'an import that runs is not undone')
    t.equal((await box.call('Import/cancel', { importId: id })).cancelled, true)
    t.equal((await box.call('Import/cancel', { importId: id })).cancelled, false)
    t.match(await finish(box, id), { status: 'cancelled', counters: { imported: 9 } })
    const { list } = await box.call('Mailbox/get', { ids: null })
    const mailboxId = list.find(({ name }: { name: string }) => name === 'Kept').id
    const rule = {
      id: '00000000-0000-4000-8000-000000000000',
      name: 'Keeps it',
      isEnabled: true,
      matchMode: 'all',
      stop: false,
      conditions: [{ type: 'all_messages', value: true }],
      actions: [{ type: 'move', target: { kind: 'custom', mailboxId } }],
    }
    await box.call('InboxRules/set', { update: { singleton: { rules: [rule] } } })
    left.items = Number.POSITIVE_INFINITY
    const rest = await start(box, { 'Kept.mbox': mbox(numbered(30)) })
    t.match(await finish(box, rest), { status: 'completed', counters: { imported: 21, duplicates: 9 } })
    await box.call('Import/undo', { importId: id })
    t.match(await finish(box, id), { status: 'undone', counters: { undone: 9 } })
    t.equal((await emails(box)).size, 21, 'mail of the other import stays')
    await clock.advance(31 * DAY_MS)
    t.equal((await box.call('Import/undo', { importId: rest })).queued, false, 'not after 30 days')
  })

  t.test('options leave out folders, spam, trash and old mail, and put all below a folder', async (t) => {
    const box = await test.mailbox('options')
    const { start, finish } = importsOfTest(test)
    const labelled = (labels: string, subject: string, date = clock.now()) =>
      `X-Gmail-Labels: ${labels}\n${mail({ id: `${subject}@x`, subject, date: new Date(date).toUTCString() })}`
    const file = mbox([
      labelled('Spam', 'spam'),
      labelled('Trash', 'trash'),
      labelled('Work/Deep,Other', 'work'),
      labelled('Other', 'other'),
      labelled('Work', 'old', clock.now() - 40 * DAY_MS),
    ])
    const { created } = await box.call('Mailbox/set', { create: { m: { name: 'Below' } } })
    const options = { range: '1m', folders: ['Work', 'Spam'], includeTrash: true, targetMailboxId: created.m.id }
    const done = await finish(box, await start(box, { 'All.mbox': file }, options))
    t.match(done.counters, { total: 5, processed: 5, imported: 1, skipped: 4 })
    t.same(
      [...(await emails(box))].map(([subject, one]) => [subject, one.in]),
      [['work', ['Deep']]],
    )
    const { list } = await box.call('Mailbox/get', { ids: null })
    const byName = new Map(list.map((one: { name: string }) => [one.name, one]))
    const parentOf = (name: string) => (byName.get(name) as { parentId: string }).parentId
    t.equal(parentOf('Work'), created.m.id)
    t.match(
      (
        await box.call('Import/set', {
          create: { i: { sourceType: 'files', provider: 'generic', fileIds: [], range: '0m' } },
        })
      ).notCreated.i,
      { type: 'invalidProperties' },
    )
  })

  t.test('names that a mailbox cannot have are changed so that folders stay apart', async (t) => {
    const box = await test.mailbox('names')
    const { start, finish } = importsOfTest(test)
    const long = 'ä'.repeat(200)
    const deep = Array.from({ length: 14 }, (_, n) => `L${n}`).join('/')
    const file = mbox(
      [`${long}1`, `${long}2`, deep].map(
        (label, n) => `X-Gmail-Labels: "${label}"\n${mail({ id: `${n}@x`, subject: `Mail ${n}` })}`,
      ),
    )
    const done = await finish(box, await start(box, { 'a.mbox': file }))
    t.match(done.counters, { imported: 3, failed: 0 })
    const { list } = await box.call('Mailbox/get', { ids: null })
    const names = list.map(({ name }: { name: string }) => name) as string[]
    t.equal(names.filter((name) => name.startsWith('ääää') && Buffer.byteLength(name) <= 255).length, 2)
    t.ok(names.includes('L9 / L10 / L11 / L12 / L13'), 'levels that are too deep are one name')
  })

  t.test('times that are none are those of the message', async (t) => {
    const box = await test.mailbox('times')
    const times = [Date.UTC(12_345, 0, 1), -1, Number.NaN, Date.UTC(2020, 0, 1)]
    const { start, finish } = importsOfTest(test, (source) => ({
      folders: (signal) => source.folders(signal),
      close: () => source.close(),
      async *read(folder, options) {
        let n = 0
        for await (const item of source.read(folder, options))
          yield item.kind === 'message' ? { ...item, receivedAt: times[n++]! } : item
      },
    }))
    const date = 'Thu, 1 Jan 2015 08:00:00 +0000'
    await finish(box, await start(box, { 'a.mbox': mbox(numbered(times.length, () => ({ date }))) }))
    const found = [...(await emails(box)).values()].map(({ receivedAt }) => receivedAt.slice(0, 10))
    t.same(found.sort(), ['2015-01-01', '2015-01-01', '2015-01-01', '2020-01-01'])
  })

  t.test('a source with more folders than a report has fails, unless options leave out the rest', async (t) => {
    const box = await test.mailbox('many')
    const { start, finish } = importsOfTest(test, (source) => ({
      close: () => source.close(),
      read: (folder, options) => source.read({ ...folder, key: '0' }, options),
      async folders(signal) {
        const [one] = await source.folders(signal)
        return Array.from({ length: IMPORT_FOLDERS_MAX + 1 }, (_, n) => ({
          ...one!,
          key: `${n}`,
          path: [`F${n}`],
          namesPlaces: false,
        }))
      },
    }))
    const file = { 'a.mbox': mbox(numbered(1)) }
    const all = await finish(box, await start(box, file))
    t.match(all, {
      status: 'failed',
      error: { code: 'source_unusable', message: /more than 2000 folders/ },
      report: [],
    })
    const some = await finish(box, await start(box, file, { folders: ['F2000'] }))
    t.match(some, { status: 'completed', counters: { imported: 1 }, report: [{ name: 'F2000', status: 'done' }] })
  })

  t.test('a label that is too long for a report is the folder that is read', async (t) => {
    const box = await test.mailbox('long')
    const { start, finish } = importsOfTest(test)
    const labelled = (labels: string, subject: string) => `X-Gmail-Labels: ${labels}\n${mail({ id: subject, subject })}`
    const file = mbox([labelled('x'.repeat(10_000), 'Long'), labelled('Work', 'Short'), labelled('Inbox', 'In')])
    const done = await finish(box, await start(box, { 'All.mbox': file }))
    t.match(done.counters, { imported: 3, failed: 0 })
    t.same(done.report.map(({ name }: { name: string }) => name).sort(), ['All', 'Inbox', 'Work'])
    const found = await emails(box)
    t.match(
      [found.get('Long'), found.get('Short'), found.get('In')],
      [{ in: ['All'] }, { in: ['Work'] }, { in: ['Inbox'] }],
    )
  })

  t.test('those of organizations that have none under way are taken first, then who has waited longest', async (t) => {
    const other = await test.organizationWith(`${engine}.test`)
    const boxes = [...(await Promise.all(['one', 'two', 'three'].map(test.mailbox))), await other.mailbox('guest')]
    const { start, finish } = importsOfTest(test)
    const ids: string[] = []
    for (const box of boxes) {
      ids.push(await start(box, { 'a.mbox': mbox(numbered(1)) }))
      clock.advance(1)
    }
    const { imports } = test.core
    const claim = async () => (await imports.claim('w', 1, 60_000))[0]!
    const [one, two, three, guest] = boxes.map(({ account }) => account)
    const first = await claim()
    t.same([first.account, (await claim()).account], [one, guest])
    await imports.giveWay(first)
    clock.advance(1)
    t.same([(await claim()).account, (await claim()).account, (await claim()).account], [two, three, one])
    t.equal((await imports.claim('w', 1, 60_000)).length, 0)
    clock.advance(60_000)
    for (const [n, box] of boxes.entries()) t.match(await finish(box, ids[n]!), { status: 'completed' })
  })
})

t.test('a full mailbox pauses the import until there is room, for 14 days', async (t) => {
  const test = await startCore(t, 'sqlite', { mailboxStorageBytes: 20_000 })
  const box = await test.mailbox('full')
  const { start, finish } = importsOfTest(test)
  const other = await box.receive(mail({ subject: 'Large', body: 'x'.repeat(15_000) }))
  const file = mbox([...numbered(3), ...numbered(1, () => ({ id: 'l@x', subject: 'Long', body: 'y'.repeat(12_000) }))])
  const id = await start(box, { 'a.mbox': file })
  t.match(await finish(box, id), { status: 'paused_quota', error: { code: 'mailbox_full' }, counters: { imported: 3 } })
  await test.clock.advance(3_600_000)
  t.match(await finish(box, id), { status: 'paused_quota' }, 'an hour later')
  await box.call('Email/set', { destroy: [other] })
  await test.clock.advance(3_600_000)
  t.match(await finish(box, id), { status: 'completed', resumeAt: null, counters: { imported: 4 } })
  const later = await start(box, { 'b.mbox': mbox(numbered(1, () => ({ id: 'z@x', body: 'z'.repeat(9_000) }))) })
  t.match(await finish(box, later), { status: 'paused_quota' })
  await test.clock.advance(15 * DAY_MS)
  t.match(await finish(box, later), { status: 'failed', error: { code: 'mailbox_full' } })
})

t.test('rules, events of received mail and spam training do not run on imported mail', async (t) => {
  const test = await startCore(t)
  const box = await test.mailbox('quiet')
  const { start, finish } = importsOfTest(test)
  const rule = {
    id: '00000000-0000-4000-8000-000000000000',
    name: 'All',
    isEnabled: true,
    matchMode: 'all',
    stop: false,
    conditions: [{ type: 'all_messages', value: true }],
    actions: [{ type: 'move', target: { kind: 'system', role: 'archive' } }],
  }
  await box.call('InboxRules/set', { update: { singleton: { rules: [rule] } } })
  const file = mbox([`X-Gmail-Labels: Spam\n${mail({ id: '1@x', subject: 'Spam' })}`])
  const done = await finish(box, await start(box, { 'a.mbox': file }, { includeSpam: true }))
  t.match(done.counters, { imported: 1 })
  t.match((await emails(box)).get('Spam'), { in: ['Junk'] })
  const types = async () =>
    ((await test.store.read(({ sql }) => sql.raw('select type from event'))) as { type: string }[]).map(
      ({ type }) => type,
    )
  t.notOk((await types()).includes('message.received'))
  t.ok((await types()).includes('import.completed'))
  t.same(await test.store.read(({ sql }) => sql.raw('select * from spam_mark')), [])
  await box.receive(mail({ id: '2@x', subject: 'Arrived' }))
  t.match((await emails(box)).get('Arrived'), { in: ['Archive'] }, 'control: the rule runs on mail that arrives')
  t.ok((await types()).includes('message.received'), 'control')
})
