import t from 'tap'
import { WORK_HERE } from '../../../jmap/type/message-work.ts'
import { PENDING_TEXT_MAX_CHARS } from '../../../server/base/limits.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'
import { CASES, EMAILS } from './search-cases.ts'

t.test('a large text is parsed for the index where large messages are', async (t) => {
  let parsed = 0
  const parseLent = (message: Uint8Array) => {
    parsed++
    return WORK_HERE.parseLent(message)
  }
  const { mailbox } = await startCore(t, 'sqlite', {}, { messageWork: { ...WORK_HERE, parseLent } })
  const box = await mailbox('large')
  await box.receive(mail({ body: `${'word '.repeat(PENDING_TEXT_MAX_CHARS)}needle` }))
  t.equal((await box.call('Email/query', { filter: { text: 'needle' } })).ids.length, 1)
  t.ok(parsed >= 2, 'when it was stored, and when it was indexed')
})

await forEachEngine(t, async (t, engine) => {
  const { mailbox, core } = await startCore(t, engine)
  const search = async (box: TestMailbox, filter: object) =>
    (await box.call('Email/query', { filter: { ...filter } })).ids
  /** Whether the only email of a mailbox is found. */
  const finds = async (box: TestMailbox, filter: object) => (await search(box, filter)).length === 1

  t.test('the same searches find the same emails on both engines (RFC 8621 4.4.1)', async (t) => {
    const box = await mailbox('cases')
    const names = new Map<string, string>()
    for (const [i, [name, raw]] of Object.entries(EMAILS).entries()) names.set(await box.receive(raw, i * 60_000), name)
    t.ok(CASES.length >= 80)
    for (const [filter, found] of CASES) {
      // Oldest first and newest first go different ways.
      for (const isAscending of [true, false]) {
        const sort = [{ property: 'receivedAt', isAscending }]
        const { ids, total } = await box.call('Email/query', { filter: { ...filter }, sort, calculateTotal: true })
        const shown = ids.map((id: string) => names.get(id))
        t.same(isAscending ? shown : shown.reverse(), found, JSON.stringify(filter))
        t.equal(total, found.length, `total of ${JSON.stringify(filter)}`)
      }
    }
  })

  t.test('text is searched in addresses, subject and body (RFC 8621 4.4.1)', async (t) => {
    const box = await mailbox('fields')
    await box.receive(
      mail({
        from: 'Frida From <from@senders.test>',
        to: 'Tom To <to@receivers.test>',
        subject: 'Subjective matters',
        headers: ['Cc: Carla Copy <cc@copies.test>', 'Bcc: Boris Blind <bcc@hidden.test>'],
        body: 'Bodies of text',
      }),
    )
    for (const text of ['Frida', 'senders', 'receivers.test', 'Carla', 'Blind', 'subjective', 'bodies'])
      t.ok(await finds(box, { text }), text)
    t.notOk(await finds(box, { text: 'absent' }))
  })

  t.test('each field filter searches its field only, in names and addresses (pitfall 14)', async (t) => {
    const box = await mailbox('each')
    await box.receive(
      mail({
        from: 'Frida <frida@one.test>',
        to: 'Tom <tom@two.test>',
        headers: ['Cc: Carla <carla@three.test>', 'Bcc: Boris <boris@four.test>'],
        subject: 'Subject',
        body: 'Body',
      }),
    )
    const words = { from: 'frida', to: 'tom', cc: 'carla', bcc: 'boris', subject: 'subject', body: 'body' }
    for (const field of Object.keys(words))
      for (const [other, word] of Object.entries(words))
        t.equal(await finds(box, { [field]: word }), field === other, `${field}: ${word}`)
    t.ok(await finds(box, { from: 'one.test' }))
    t.ok(await finds(box, { from: 'frida@one.test' }))
  })

  t.test('case and accents are ignored, in the index and in the query', async (t) => {
    const box = await mailbox('accents')
    await box.receive(
      mail({
        subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=',
        body: 'Crème BRÛLÉE, naïve façade',
        headers: ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8'],
      }),
    )
    for (const text of [
      'grüße',
      'GRUESSE'.replace('UE', 'U'),
      'köln',
      'koln',
      'KÖLN',
      'creme brulee',
      'CRÈME',
      'naive',
      'facade',
    ])
      t.ok(await finds(box, { text }), text)
    t.notOk(await finds(box, { text: 'gross' }))
  })

  t.test('Chinese, Japanese and Korean text is found by any part of it', async (t) => {
    const box = await mailbox('cjk')
    const headers = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8']
    await box.receive(mail({ headers, body: '会議は東京タワーで行います。회의는 서울에서 열립니다. 我们明天见。' }))
    for (const text of ['東京', '京タ', 'タワー', '会議', '서울', '明天', '我们明天见', '見'.replace('見', '见')])
      t.ok(await finds(box, { text }), text)
    for (const text of ['大阪', '京東', '부산', '昨天']) t.notOk(await finds(box, { text }), text)
  })

  t.test('Greek, Cyrillic and Arabic words are found regardless of case', async (t) => {
    const box = await mailbox('scripts')
    const headers = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8']
    await box.receive(mail({ headers, body: 'Οδυσσεύς Москва مرحبا' }))
    for (const text of ['οδυσσευς', 'ΟΔΥΣΣΕΥΣ', 'МОСКВА', 'москва', 'مرحبا']) t.ok(await finds(box, { text }), text)
  })

  t.test('all words are required, in any order (RFC 8621 4.4.1)', async (t) => {
    const box = await mailbox('words')
    await box.receive(mail({ subject: 'Quarterly figures', body: 'the numbers of spring' }))
    t.ok(await finds(box, { text: 'spring quarterly' }))
    t.ok(await finds(box, { text: '  numbers\tfigures ' }))
    t.notOk(await finds(box, { text: 'spring autumn' }))
    t.notOk(await finds(box, { subject: 'quarterly spring' }))
  })

  t.test('quotes require the exact sequence of words (RFC 8621 4.4.1)', async (t) => {
    const box = await mailbox('phrases')
    await box.receive(mail({ subject: 'red green blue', body: 'don\'t say "never" again' }))
    for (const text of ['"red green"', "'green blue'", '"RED  green"', '"red green" again', '"say \\"never\\" again"'])
      t.ok(await finds(box, { text }), text)
    for (const text of ['"green red"', '"red blue"', '"blue say"']) t.notOk(await finds(box, { text }), text)
  })

  t.test('whole words match, and prefixes with a star', async (t) => {
    const box = await mailbox('prefix')
    await box.receive(mail({ subject: 'Businesses' }))
    t.notOk(await finds(box, { text: 'bus' }))
    t.ok(await finds(box, { text: 'bus*' }))
    t.notOk(await finds(box, { text: 'nesses*' }))
    t.ok(await finds(box, { text: 'bu*' }))
    t.notOk(await finds(box, { text: 'b*' }), 'too many words begin so')
  })

  t.test('a text without a word is no condition (RFC 8621 4.4.1)', async (t) => {
    const box = await mailbox('nothing')
    await box.receive(mail({ subject: 'First' }))
    await box.receive(mail({ subject: 'Second' }))
    const found = async (filter: object) =>
      (await box.call('Email/query', { filter: { ...filter }, calculateTotal: true })).total
    for (const text of ['', ' ', '-', '"', "'", '*', '"" \'\'', '\\', '((', '\u0000', ':*', '!&|<->']) {
      for (const name of ['text', 'subject', 'from', 'body', 'attachmentName'])
        t.equal(await found({ [name]: text }), 2, `${name} ${JSON.stringify(text)}`)
      t.equal(await found({ text, subject: 'second' }), 1, 'the others count')
      t.equal(await found({ operator: 'NOT', conditions: [{ text }] }), 2, 'also under NOT')
    }
  })

  t.test('keywords of query languages are plain words', async (t) => {
    const box = await mailbox('languages')
    await box.receive(mail())
    for (const text of ['AND OR', "x' OR 1=1 --"]) t.notOk(await finds(box, { text }), text)
    t.ok(await finds(box, { text: 'noon' }), 'control')
  })

  t.test('html is searched by its visible text (RFC 8621 4.4.1)', async (t) => {
    const box = await mailbox('html')
    const headers = ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8']
    const body =
      '<head><title>hidden</title><style>.invisible{}</style></head><body class="attribute"><p>visi<b>ble</b> caf&eacute;</p><script>scripted()</script></body>'
    await box.receive(mail({ headers, body }))
    for (const text of ['visible', 'cafe']) t.ok(await finds(box, { text }), text)
    for (const text of ['invisible', 'attribute', 'scripted', 'body', 'hidden'])
      t.notOk(await finds(box, { text }), text)
  })

  t.test('attachments are found by their names, attached texts by their words', async (t) => {
    const box = await mailbox('attached')
    await box.receive(`From: Bob <bob@example.org>
Subject: Files
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

see below
--b
Content-Type: application/pdf; name="Invoice-2026.pdf"
Content-Disposition: attachment; filename="Invoice-2026.pdf"

x
--b
Content-Type: text/plain
Content-Disposition: attachment; filename=notes.txt

handwritten remarks
--b--
`)
    for (const filter of [
      { text: 'invoice' },
      { attachmentName: 'invoice' },
      { attachmentName: 'notes.txt' },
      { body: 'remarks' },
    ])
      t.ok(await finds(box, filter), JSON.stringify(filter))
    t.notOk(await finds(box, { attachmentName: 'files' }))
  })

  t.test('new mail is found at once, and destroyed mail no longer', async (t) => {
    const box = await mailbox('fresh')
    const ids: string[] = []
    for (let i = 0; i < 30; i++) ids.push(await box.receive(mail({ subject: `Batch ${i}`, body: 'common' })))
    t.equal((await search(box, { text: 'common' })).length, 30)
    await box.call('Email/set', { destroy: ids.slice(0, 10) })
    t.equal((await search(box, { text: 'common' })).length, 20)
    const gone = await box.receive(mail({ body: 'fleeting' }))
    await box.call('Email/set', { destroy: [gone] })
    t.same(await search(box, { text: 'fleeting' }), [])
  })

  t.test('a search finds only emails of its own account (promise J1)', async (t) => {
    const [one, two] = [await mailbox('one'), await mailbox('two')]
    await one.receive(mail({ body: 'confidential' }))
    t.ok(await finds(one, { text: 'confidential' }))
    t.notOk(await finds(two, { text: 'confidential' }))
  })

  t.test('a search combines with other conditions', async (t) => {
    const box = await mailbox('joined')
    const read = await box.receive(mail({ body: 'apple' }))
    const unread = await box.receive(mail({ body: 'apple' }))
    await box.receive(mail({ body: 'pear' }))
    await box.call('Email/set', { update: { [read]: { 'keywords/$seen': true } } })
    t.same(await search(box, { text: 'apple', notKeyword: '$seen' }), [unread])
    const not = { operator: 'NOT', conditions: [{ text: 'apple' }] }
    t.equal((await search(box, not)).length, 1)
  })

  t.test('drafts and imports are found like received mail', async (t) => {
    const box = await mailbox('drafts')
    const create = {
      d: {
        mailboxIds: { [box.roles['drafts']!]: true },
        subject: 'Unfinished symphony',
        bodyValues: { 1: { value: 'in b minor' } },
        textBody: [{ partId: '1' }],
      },
    }
    await box.call('Email/set', { create })
    t.ok(await finds(box, { text: 'symphony minor' }))
    await core.drainIndex(box.account)
    t.ok(await finds(box, { subject: 'unfinished' }))
  })
})
