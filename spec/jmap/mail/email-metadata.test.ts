/** Metadata of a message, and the report of its changes: RFC 8621 4.1.1 and 4.3. */
import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

/** RFC 8621 4.1.1: %x21-7e without these. */
const FORBIDDEN = [...'(){]%*"\\']
const PRINTABLE = Array.from({ length: 0x7e - 0x21 + 1 }, (_, i) => String.fromCharCode(0x21 + i))
/** Keywords with the syntax of JSON Pointers (RFC 8620 5.3). */
const escaped = (keyword: string) => keyword.replaceAll('~', '~0').replaceAll('/', '~1')

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const update = (id: string, patch: object) => hello.call('Email/set', { update: { [id]: { ...patch } } })
  const keywordsOf = async (id: string): Promise<string[]> =>
    Object.keys((await hello.call('Email/get', { ids: [id], properties: ['keywords'] })).list[0].keywords)

  t.test(
    'a keyword may have every printable character except eight, and is returned in lower case (RFC 8621 4.1.1)',
    async (t) => {
      const id = await hello.receive(mail())
      const allowed = PRINTABLE.filter((char) => !FORBIDDEN.includes(char))
      t.equal(allowed.length, 86)
      const keyword = allowed.join('')
      t.match(await update(id, { [`keywords/${escaped(keyword)}`]: true }), { notUpdated: null })
      t.same(await keywordsOf(id), [keyword.toLowerCase()])
      await update(id, { keywords: Object.fromEntries(allowed.map((char) => [char, true])) })
      t.same((await keywordsOf(id)).sort(), [...new Set(allowed.map((char) => char.toLowerCase()))].sort())
    },
  )

  t.test('a keyword with any other character, or none, is refused (RFC 8621 4.1.1)', async (t) => {
    const id = await hello.receive(mail())
    for (const keyword of [...FORBIDDEN, ' ', '\t', '\u007f', '\u0000', '\u00e9', '\u{1f600}'].map(
      (char) => `a${char}b`,
    )) {
      const { notUpdated } = await update(id, { keywords: { [keyword]: true } })
      t.match(notUpdated?.[id], { type: 'invalidProperties', properties: ['keywords'] }, JSON.stringify(keyword))
    }
    t.match((await update(id, { keywords: { '': true } })).notUpdated[id], { type: 'invalidProperties' })
    t.same(await keywordsOf(id), [])
  })

  t.test('a keyword has 1 to 255 characters (RFC 8621 4.1.1)', async (t) => {
    const id = await hello.receive(mail())
    t.match(await update(id, { keywords: { ['k'.repeat(255)]: true } }), { notUpdated: null })
    const { notUpdated } = await update(id, { keywords: { ['k'.repeat(256)]: true } })
    t.match(notUpdated[id], { type: 'invalidProperties', properties: ['keywords'] })
    t.same(await keywordsOf(id), ['k'.repeat(255)])
  })

  t.test('in mailboxIds and keywords every value is true (RFC 8621 4.1.1)', async (t) => {
    const id = await hello.receive(mail())
    const inbox = hello.roles['inbox']!
    for (const value of [false, 1, 'true', {}]) {
      t.match((await update(id, { keywords: { a: value } })).notUpdated[id], { type: 'invalidProperties' })
      t.match((await update(id, { 'keywords/a': value })).notUpdated[id], { type: 'invalidProperties' })
      t.match((await update(id, { mailboxIds: { [inbox]: value } })).notUpdated[id], { type: 'invalidProperties' })
    }
    await update(id, { keywords: { a: true } })
    const [email] = (await hello.call('Email/get', { ids: [id], properties: ['mailboxIds', 'keywords'] })).list
    t.strictSame([email.mailboxIds, email.keywords], [{ [inbox]: true }, { a: true }])
  })

  t.test('keywords that differ in case only are the same (RFC 8621 4.1.1)', async (t) => {
    const id = await hello.receive(mail())
    await update(id, { keywords: { Work: true, WORK: true } })
    t.same(await keywordsOf(id), ['work'])
    const { ids } = await hello.call('Email/query', { filter: { hasKeyword: 'wORK' } })
    t.same(ids, [id])
  })

  t.test('size is the number of octets of the blob, which is the message itself (RFC 8621 4.1.1)', async (t) => {
    const bytes = Buffer.from('Subject: \u00e4\r\n\r\nbare\nline ends\r\n')
    const ids = [await hello.receive(bytes)]
    const [email] = (await hello.call('Email/get', { ids, properties: ['size', 'blobId'] })).list
    t.equal(email.size, bytes.length)
    const blob = await core.download(hello.principal, hello.accountId, email.blobId)
    t.ok(blob && Buffer.from(blob.bytes).equals(bytes))
  })

  t.test('receivedAt is the time of receipt, in UTC (RFC 8621 4.1.1)', async (t) => {
    const ids = [await hello.receive(mail({ date: '1 Jan 2020 00:00:00 +0100' }), Date.UTC(2026, 1, 3, 4, 5, 6))]
    const [email] = (await hello.call('Email/get', { ids, properties: ['receivedAt'] })).list
    t.equal(email.receivedAt, '2026-02-03T04:05:06Z')
  })

  t.test('every email is in a thread, alone or not (RFC 8621 3)', async (t) => {
    const box = await mailbox('threads')
    for (const fields of [{ id: 'a@x' }, { id: 'b@x', inReplyTo: 'a@x', subject: 'Re: Lunch' }, { subject: '' }])
      await box.receive(mail(fields))
    const { list } = await box.call('Email/get', { ids: null, properties: ['threadId'] })
    t.equal(list.length, 3)
    const threads = await box.call('Thread/get', { ids: list.map((email: { threadId: string }) => email.threadId) })
    t.same(threads.notFound, [])
    const inThreads = threads.list.flatMap((thread: { emailIds: string[] }) => thread.emailIds)
    t.same(inThreads.sort(), list.map((email: { id: string }) => email.id).sort())
  })

  const changesOf = async (box: TestMailbox, act: () => Promise<unknown>, type = 'Email') => {
    const { state } = await box.call(`${type}/get`, { ids: [] })
    await act()
    const { created, updated, destroyed } = await box.call(`${type}/changes`, { sinceState: state })
    return [created, updated, destroyed]
  }

  t.test('Email/changes returns created, changed and destroyed emails (RFC 8621 4.3)', async (t) => {
    const box = await mailbox('changes')
    const set = (args: object) => box.call('Email/set', { ...args })
    const id = await box.receive(mail())
    t.same(await changesOf(box, () => set({ update: { [id]: { 'keywords/$seen': true } } })), [[], [id], []])
    const move = { [`mailboxIds/${box.roles['archive']}`]: true }
    t.same(await changesOf(box, () => set({ update: { [id]: move } })), [[], [id], []])
    let second = ''
    const comeAndChange = async () => {
      second = await box.receive(mail({ id: 'b@x' }))
      await set({ update: { [second]: { 'keywords/$flagged': true } } })
    }
    t.same(await changesOf(box, comeAndChange), [[second], [], []], 'created alone')
    t.same(await changesOf(box, () => set({ destroy: [second] })), [[], [], [second]])
    const comeAndGo = async () => set({ destroy: [await box.receive(mail({ id: 'c@x' }))] })
    t.same(await changesOf(box, comeAndGo), [[], [], []])
  })

  t.test('reading an email any number of times changes nothing (RFC 8621 4.1.4, 4.3)', async (t) => {
    const box = await mailbox('reading')
    const ids = [await box.receive(mail())]
    const properties = ['preview', 'bodyValues', 'headers', 'textBody', 'hasAttachment']
    t.same(await changesOf(box, () => box.call('Email/get', { ids, properties, fetchAllBodyValues: true })), [
      [],
      [],
      [],
    ])
  })

  t.test('an email destroyed with its mailbox is a change, as are thread and mailboxes (RFC 8621 2.5)', async (t) => {
    const box = await mailbox('withbox')
    const { created } = await box.call('Mailbox/set', { create: { a: { name: 'A' } } })
    const [alone, both] = [await box.receive(mail({ id: 'a@x' })), await box.receive(mail({ id: 'b@x' }))]
    await box.call('Email/set', {
      update: { [alone]: { mailboxIds: { [created.a.id]: true } }, [both]: { [`mailboxIds/${created.a.id}`]: true } },
    })
    const threads = await box.call('Email/get', { ids: [alone], properties: ['threadId'] })
    const destroy = () => box.call('Mailbox/set', { destroy: [created.a.id], onDestroyRemoveEmails: true })
    const states = await Promise.all(['Thread', 'Mailbox'].map((type) => box.call(`${type}/get`, { ids: [] })))
    t.same(await changesOf(box, destroy), [[], [both], [alone]])
    const thread = await box.call('Thread/changes', { sinceState: states[0].state })
    t.same([thread.updated, thread.destroyed], [[], [threads.list[0].threadId]])
    t.same((await box.call('Mailbox/changes', { sinceState: states[1].state })).destroyed, [created.a.id])
  })
})
