import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 0, 1)

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const [inbox, archive, trash] = ['inbox', 'archive', 'trash'].map((role) => hello.roles[role]!) as [
    string,
    string,
    string,
  ]

  const attached = `From: Zoe <zoe@example.org>
To: hello@example.test
Subject: [list] Re: apples
Message-ID: <b@x>
In-Reply-To: <a@x>
Date: Thu, 1 Jan 2026 09:00:00 +0000
X-Priority: =?utf-8?q?h=C3=B6chste?=
MIME-Version: 1.0
Content-Type: application/pdf; name=a.pdf
Content-Disposition: attachment; filename=a.pdf

x
`
  /** Names of the emails by their ids. */
  const names = new Map<string, string>()
  const add = async (name: string, raw: string, hour: number) => {
    const id = await hello.receive(raw, START + hour * HOUR)
    names.set(id, name)
    return id
  }
  const a = await add(
    'a',
    mail({ id: 'a@x', from: 'Mia <mia@example.org>', subject: 'Apples', date: 'Thu, 1 Jan 2026 12:00:00 +0000' }),
    1,
  )
  const b = await add('b', attached, 2)
  const c = await add(
    'c',
    mail({
      id: 'c@x',
      from: 'adam@example.org',
      to: 'Yan <yan@example.test>',
      subject: 'Re: Cherries',
      body: 'long '.repeat(100),
    }),
    3,
  )
  const d = await add(
    'd',
    mail({ id: 'd@x', from: 'Mia <mia@example.org>', subject: 'bananas', date: 'Wed, 31 Dec 2025 12:00:00 +0000' }),
    4,
  )
  await hello.call('Email/set', {
    update: {
      [a]: { keywords: { $seen: true } },
      [b]: { keywords: { $flagged: true }, [`mailboxIds/${archive}`]: true },
      [c]: { mailboxIds: { [archive]: true } },
      [d]: { mailboxIds: { [trash]: true }, keywords: { $seen: true, $flagged: true } },
    },
  })

  /** Names in order. */
  const found = async (args: object, box: TestMailbox = hello): Promise<string> => {
    const answer = await box.call('Email/query', { ...args })
    return answer.ids ? answer.ids.map((id: string) => names.get(id)).join('') : answer.type
  }
  const filtered = (filter: object) => found({ filter, sort: [{ property: 'receivedAt' }] })
  const sorted = (...sort: object[]) => found({ sort })

  t.test('without a sort the newest come first', async (t) => {
    t.equal(await found({}), 'dcba')
  })

  t.test('filters by mailbox (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({ inMailbox: inbox }), 'ab')
    t.equal(await filtered({ inMailbox: archive }), 'bc')
    t.equal(await filtered({ inMailbox: 'x' }), '')
    t.equal(await filtered({ inMailbox: (await mailbox('other')).roles['inbox']! }), '')
  })

  t.test('inMailboxOtherThan needs a mailbox that is not in the list (pitfall 14)', async (t) => {
    t.equal(await filtered({ inMailboxOtherThan: [trash] }), 'abc')
    t.equal(await filtered({ inMailboxOtherThan: [inbox, trash] }), 'bc')
    t.equal(await filtered({ inMailboxOtherThan: [inbox, trash, archive] }), '')
    t.equal(await filtered({ inMailboxOtherThan: [] }), 'abcd')
    t.equal(await filtered({ inMailboxOtherThan: ['x'] }), 'abcd')
  })

  t.test('before is earlier, after is the same or later (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({ before: '2026-01-01T02:00:00Z' }), 'a')
    t.equal(await filtered({ after: '2026-01-01T03:00:00Z' }), 'cd')
    t.equal(await filtered({ after: '2026-01-01T02:00:00Z', before: '2026-01-01T04:00:00Z' }), 'bc')
  })

  t.test('minSize is at least, maxSize is less than (RFC 8621 4.4.1)', async (t) => {
    const { size } = (await hello.call('Email/get', { ids: [c], properties: ['size'] })).list[0]
    t.equal(await filtered({ minSize: size }), 'c')
    t.equal(await filtered({ minSize: size + 1 }), '')
    t.equal(await filtered({ maxSize: size }), 'abd')
    t.equal(await filtered({ maxSize: size + 1 }), 'abcd')
  })

  t.test('filters by keyword, regardless of case (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({ hasKeyword: '$seen' }), 'ad')
    t.equal(await filtered({ hasKeyword: '$SEEN' }), 'ad')
    t.equal(await filtered({ notKeyword: '$seen' }), 'bc')
    t.equal(await filtered({ hasKeyword: 'none' }), '')
    t.equal(await found({ filter: { hasKeyword: 'no keyword' } }), 'invalidArguments')
  })

  t.test('filters by keywords of the thread (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({ someInThreadHaveKeyword: '$flagged' }), 'abd')
    t.equal(await filtered({ allInThreadHaveKeyword: '$flagged' }), 'd')
    t.equal(await filtered({ noneInThreadHaveKeyword: '$flagged' }), 'c')
    t.equal(await filtered({ allInThreadHaveKeyword: '$seen' }), 'd')
  })

  t.test('filters by attachment (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({ hasAttachment: true }), 'b')
    t.equal(await filtered({ hasAttachment: false }), 'acd')
  })

  t.test('filters by any header field, by its name alone or its text (pitfall 14)', async (t) => {
    t.equal(await filtered({ header: ['X-Priority'] }), 'b')
    t.equal(await filtered({ header: ['x-priority', 'HÖCHSTE'] }), 'b')
    t.equal(await filtered({ header: ['x-priority', 'lowest'] }), '')
    t.equal(await filtered({ header: ['X-None'] }), '')
    t.equal(await filtered({ header: ['Message-ID', 'c@x'] }), 'c')
    t.equal(await filtered({ header: ['Subject', ''] }), 'abcd')
  })

  t.test('a field at the end of a large header is found', async (t) => {
    const box = await mailbox('header')
    const headers = [...Array.from({ length: 900 }, (_, i) => `X-Filler-${i}: ${'y'.repeat(80)}`), 'X-Last: here']
    const id = await box.receive(mail({ headers }))
    t.same((await box.call('Email/query', { filter: { header: ['X-Last', 'here'] } })).ids, [id])
  })

  t.test('several conditions in one object must all hold (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({ inMailbox: inbox, hasKeyword: '$seen' }), 'a')
    t.equal(await filtered({ inMailbox: archive, hasAttachment: true, notKeyword: '$seen', minSize: 1 }), 'b')
  })

  t.test('a condition without properties holds for every email (RFC 8621 4.4.1)', async (t) => {
    t.equal(await filtered({}), 'abcd')
    t.equal(await filtered({ operator: 'NOT', conditions: [{}] }), '')
    t.equal(await filtered({ operator: 'AND', conditions: [{}, { hasKeyword: '$seen' }] }), 'ad')
  })

  t.test('an email without names, subject and date sorts as if they were empty (RFC 8621 4.4.2)', async (t) => {
    const box = await mailbox('empty')
    const bare = await box.receive('X-Bare: yes\n\nbody\n', START)
    const empty = await box.receive(
      'From: "" <zoe@x.test>\nTo: undisclosed-recipients:;\nSubject: Re: \n\nbody\n',
      START + HOUR,
    )
    const full = await box.receive(
      mail({ from: 'Ann <z@x.test>', subject: 'Re: a', date: 'Thu, 1 Jan 1970 00:00:00 +0000' }),
      START,
    )
    const by = async (property: string) => (await box.call('Email/query', { sort: [{ property }] })).ids
    t.same(await by('from'), [bare, full, empty], 'an empty name counts as none')
    t.same((await by('to')).slice(0, 2), [bare, empty])
    t.same((await by('subject')).slice(0, 2), [bare, empty])
    t.same(await by('sentAt'), [full, bare, empty], 'received counts where nothing was said')
  })

  t.test('sorts by each property, both ways (RFC 8621 4.4.2)', async (t) => {
    const both = async (property: string, expected: string, more: object = {}) => {
      t.equal(await sorted({ property, ...more }, { property: 'receivedAt' }), expected, property)
      const reversed = [
        { property, isAscending: false, ...more },
        { property: 'receivedAt', isAscending: false },
      ]
      t.equal(await sorted(...reversed), [...expected].reverse().join(''), `${property} descending`)
    }
    await both('receivedAt', 'abcd')
    await both('sentAt', 'dcba')
    await both('from', 'cadb')
    await both('to', 'abdc')
    await both('subject', 'abdc')
    await both('hasKeyword', 'acbd', { keyword: '$flagged' })
    await both('allInThreadHaveKeyword', 'abcd', { keyword: '$flagged' })
    await both('someInThreadHaveKeyword', 'cabd', { keyword: '$flagged' })
    t.match(await sorted({ property: 'size' }), /c$/)
  })

  t.test('a keyword sort without a keyword is invalidArguments (RFC 8621 4.4.2)', async (t) => {
    t.equal(await sorted({ property: 'hasKeyword' }), 'invalidArguments')
    t.equal(await sorted({ property: 'hasKeyword', keyword: 'a b' }), 'invalidArguments')
  })

  t.test('later comparators decide what earlier ones leave equal (RFC 8620 5.5)', async (t) => {
    t.equal(await sorted({ property: 'from' }, { property: 'receivedAt', isAscending: false }), 'cdab')
    t.equal(await sorted({ property: 'from' }, { property: 'receivedAt' }), 'cadb')
  })

  t.test('collapseThreads keeps the first of each thread, after filter and sort (RFC 8621 4.4.3)', async (t) => {
    t.equal(await found({ collapseThreads: true }), 'dcb')
    t.equal(await found({ collapseThreads: true, sort: [{ property: 'receivedAt' }] }), 'acd')
    t.equal(await found({ collapseThreads: true, filter: { hasKeyword: '$seen' } }), 'da')
  })

  t.test('the total of a collapsed list counts threads (pitfall 14)', async (t) => {
    const total = async (args: object) => (await hello.call('Email/query', { ...args, calculateTotal: true })).total
    t.equal(await total({ collapseThreads: true }), 3)
    t.equal(await total({}), 4)
    t.equal(await total({ filter: { inMailbox: inbox } }), 2)
    t.equal(await total({ filter: { inMailbox: inbox }, collapseThreads: true }), 1)
    t.equal(await total({ filter: { hasKeyword: '$seen' }, collapseThreads: true }), 2)
  })

  t.test('a collapsed list is paged like any other', async (t) => {
    const page = async (args: object) => {
      const { ids, position } = await hello.call('Email/query', { collapseThreads: true, ...args })
      return [ids.map((id: string) => names.get(id)).join(''), position]
    }
    t.same(await page({ position: 1, limit: 1 }), ['c', 1])
    t.same(await page({ position: -1 }), ['b', 2])
    t.same(await page({ anchor: c, anchorOffset: 1, limit: 5 }), ['b', 2])
    t.equal(await found({ collapseThreads: true, anchor: a }), 'anchorNotFound', 'it is not shown')
    t.same(await page({ position: 3 }), ['', 3])
  })

  t.test('the total of a mailbox is its count (pitfall 14)', async (t) => {
    for (const id of [inbox, archive, trash]) {
      const { list } = await hello.call('Mailbox/get', { ids: [id] })
      for (const [collapseThreads, count] of [
        [false, list[0].totalEmails],
        [true, list[0].totalThreads],
      ]) {
        const args = { filter: { inMailbox: id }, collapseThreads, calculateTotal: true, limit: 0 }
        t.equal((await hello.call('Email/query', args)).total, count)
      }
    }
  })

  t.test('messages of the same time keep one order', async (t) => {
    const box = await mailbox('ties')
    for (let i = 0; i < 5; i++) await box.receive(mail({ id: `${i}@y` }), START)
    const up = (await box.call('Email/query', { sort: [{ property: 'receivedAt' }] })).ids
    const down = (await box.call('Email/query', { sort: [{ property: 'receivedAt', isAscending: false }] })).ids
    t.same(down, up.toReversed())
    t.same((await box.call('Email/query', { filter: { inMailbox: box.roles['inbox']! } })).ids, down)
  })
})
