import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'
import { deliver, outgoing, placeOf, textOf } from './support.ts'

const DAY = 86_400_000
const AWAY = { isEnabled: true, subject: 'Away', textBody: 'Back in May.' }

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  const { clock } = core
  const away = async (name: string, patch: object = AWAY): Promise<TestMailbox> => {
    const box = await core.mailbox(name)
    const set = await box.call('VacationResponse/set', { update: { singleton: { ...patch } } })
    if (!set.updated) throw new Error(JSON.stringify(set))
    return box
  }
  const letter = (box: TestMailbox, fields: Parameters<typeof mail>[0] = {}) => mail({ to: box.address, ...fields })

  t.test('a message gets a reply in the form of RFC 3834: null sender, to the reverse-path, threaded', async (t) => {
    const box = await away('plain')
    await deliver(core, [box], letter(box, { id: 'lunch@example.org', references: ['first@example.org'] }), {
      mailFrom: 'bob-returns@example.org',
    })
    const [answer] = await outgoing(core)
    t.equal(answer!.mailFrom, '')
    t.match(answer!.recipients, [{ address: 'bob-returns@example.org', parameters: { NOTIFY: 'NEVER' } }])
    const { header, body } = textOf(answer!)
    for (const line of [
      'From: plain@example.test',
      'To: bob-returns@example.org',
      'Subject: Away',
      'Auto-Submitted: auto-replied',
      'In-Reply-To: <lunch@example.org>',
      'References: <first@example.org> <lunch@example.org>',
    ])
      t.ok(header.split('\r\n').includes(line), `${line}\n${header}`)
    t.match(header, /^Message-ID: <[^>]+@example\.test>$/m)
    t.match(body, 'Back in May.')
  })

  t.test('the reply is stored in no mailbox, and the message is in its own', async (t) => {
    const box = await away('tidy')
    const [{ emailId }] = await deliver(core, [box], letter(box))
    const { total } = await box.call('Email/query', { calculateTotal: true })
    t.equal(total, 1)
    const place = await placeOf(box, emailId)
    t.same(place.roles, ['inbox'])
    t.same(place.words, ['reply: An automatic reply goes to bob@example.org.'])
    t.equal((await outgoing(core)).length, 1)
  })

  t.test('without a subject the reply has "Auto: " and the message\'s subject (RFC 8621 8)', async (t) => {
    const box = await away('subjects', { isEnabled: true, textBody: 'Away.' })
    await deliver(core, [box], letter(box, { subject: 'Lunch on Monday' }))
    t.match(textOf((await outgoing(core))[0]!).header, /^Subject: Auto: Lunch on Monday$/m)
  })

  t.test("without a text the reply's text is made from the HTML, which is sent too (RFC 8621 8)", async (t) => {
    const box = await away('html', { isEnabled: true, htmlBody: '<p>Back in <b>May</b>.</p>' })
    await deliver(core, [box], letter(box))
    const { header, body } = textOf((await outgoing(core))[0]!)
    t.match(header, 'multipart/alternative')
    t.match(body, 'Back in May.')
    t.match(body, '<p>Back in <b>May</b>.</p>')
  })

  t.test('without any body the reply has a default text (RFC 8621 8)', async (t) => {
    const box = await away('wordless', { isEnabled: true })
    await deliver(core, [box], letter(box))
    t.match(textOf((await outgoing(core))[0]!).body, 'I am away at the moment')
  })

  t.test('a sender gets one reply in 7 days, and other senders get theirs (promise S8)', async (t) => {
    const box = await away('often')
    const answers = async (mailFrom: string) => {
      await deliver(core, [box], letter(box), { mailFrom })
      return (await outgoing(core)).length
    }
    t.equal(await answers('bob@example.org'), 1)
    for (let hour = 0; hour < 20; hour++) t.equal(await answers('Bob@Example.org'), 0)
    t.equal(await answers('eve@example.org'), 1)
    clock.advance(7 * DAY - 1)
    t.equal(await answers('bob@example.org'), 0)
    clock.advance(1)
    t.equal(await answers('bob@example.org'), 1)
  })

  t.test('a suppressed address gets no reply (decision D25)', async (t) => {
    const box = await away('suppressing')
    const { accountId } = core.organization
    const create = { s: { email: 'gone@example.org' } }
    const [made] = await core.request([['Suppression/set', { accountId, create }]])
    t.ok((made![1]['created'] as object | null) !== null)
    const [{ emailId }] = await deliver(core, [box], letter(box), { mailFrom: 'Gone@example.org' })
    t.same(await outgoing(core), [])
    t.match((await placeOf(box, emailId)).words, [
      'reply: No automatic reply: the address of the sender is suppressed.',
    ])
  })

  t.test('a delivery that runs again after a failed commit replies once and logs once', async (t) => {
    const box = await away('anew')
    const gate = Promise.withResolvers<void>()
    const turns = async () => {
      for (let i = 0; i < 100; i++) await turn()
    }
    // This commit is delayed; the delivery is in the next one, and the failing unit after it.
    const first = core.store.write([box.account], () => gate.promise)
    await turns()
    const delivered = deliver(core, [box], letter(box))
    await turns()
    const failing = core.store.write([box.account], () => Promise.reject(new Error('stop')))
    gate.resolve()
    await t.rejects(failing, { message: 'stop' })
    const [[{ emailId }]] = await Promise.all([delivered, first])
    t.same((await placeOf(box, emailId)).words, ['reply: An automatic reply goes to bob@example.org.'])
    t.equal((await outgoing(core)).length, 1)
  })

  t.test('a sender of many messages at once gets one reply', async (t) => {
    const box = await away('burst')
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => deliver(core, [box], letter(box, { subject: `Burst ${i}` }))),
    )
    t.equal((await outgoing(core)).length, 1)
  })

  t.test('replies are sent between the dates only', async (t) => {
    const now = clock.now()
    const at = (ms: number) => new Date(now + ms).toISOString().replace('.000Z', 'Z')
    const box = await away('dates', { ...AWAY, fromDate: at(DAY), toDate: at(2 * DAY) })
    const answers = async (mailFrom: string) => {
      await deliver(core, [box], letter(box), { mailFrom })
      return (await outgoing(core)).length
    }
    t.equal(await answers('a@example.org'), 0, 'before')
    clock.advance(DAY)
    t.equal(await answers('b@example.org'), 1, 'within')
    clock.advance(DAY)
    t.equal(await answers('c@example.org'), 0, 'after')
  })

  t.test('lists, bulk mail, programs and forged senders get no reply (RFC 3834 2, promise S8)', async (t) => {
    const box = await away('silent')
    const header = (line: string) => letter(box, { headers: [line] })
    const cases: [name: string, text: string, more?: object][] = [
      ['null sender', letter(box), { mailFrom: '' }],
      ['itself', letter(box), { mailFrom: box.address }],
      ['itself with a tag', letter(box), { mailFrom: 'silent+x@example.test' }],
      ['MAILER-DAEMON', letter(box), { mailFrom: 'MAILER-DAEMON@example.org' }],
      ['owner-', letter(box), { mailFrom: 'owner-list@example.org' }],
      ['-request', letter(box), { mailFrom: 'list-request@example.org' }],
      ['no-reply', letter(box), { mailFrom: 'no-reply@example.org' }],
      ['Auto-Submitted', header('Auto-Submitted: auto-generated')],
      ['Auto-Submitted with parameters', header('Auto-Submitted: auto-replied; owner-email="x"')],
      ['List-Id', header('List-Id: <list.example.org>')],
      ['List-Unsubscribe', header('List-Unsubscribe: <https://example.org/u>')],
      ['Precedence: bulk', header('Precedence: bulk')],
      ['Precedence: list', header('Precedence: LIST')],
      ['Precedence: junk', header('Precedence: junk')],
      ['X-Auto-Response-Suppress', header('X-Auto-Response-Suppress: OOF')],
      ['not in To or Cc', letter(box, { to: 'others@example.org' })],
      ['DMARC fails', letter(box), { verdict: { authentication: authentication('pass', 'fail') } }],
      ['SPF fails', letter(box), { verdict: { authentication: authentication('softfail', 'none') } }],
      ['put aside', letter(box), { verdict: { quarantine: 'the policy of the domain' } }],
    ]
    for (const [name, text, more] of cases) {
      const [{ emailId }] = await deliver(core, [box], text, more)
      t.equal((await outgoing(core)).length, 0, name)
      t.match((await placeOf(box, emailId)).words.at(-1), /^reply: No automatic reply: /, name)
    }
    await deliver(core, [box], letter(box, { headers: ['Auto-Submitted: no'] }))
    t.equal((await outgoing(core)).length, 1, 'the control')
  })

  t.test('a tagged address, Cc and Resent-To count as the address of the mailbox', async (t) => {
    const box = await away('named')
    for (const [i, fields] of [
      { to: 'named+shop@example.test' },
      { to: 'x@example.org', headers: ['Cc: Named <NAMED@example.test>'] },
      { to: 'x@example.org', headers: ['Resent-To: named@example.test'] },
    ].entries()) {
      await deliver(core, [box], letter(box, fields), { mailFrom: `sender${i}@example.org` })
      t.equal((await outgoing(core)).length, 1, JSON.stringify(fields))
    }
  })

  t.test('two absent users reply to each other once (promise S8)', async (t) => {
    const [ann, ben] = [await away('ann'), await away('ben')]
    await deliver(core, [ben], mail({ from: ann.address, to: ben.address }), { mailFrom: ann.address })
    const [answer] = await outgoing(core)
    t.equal(answer!.recipients[0]!.address, ann.address)
    await deliver(core, [ann], Buffer.from(answer!.bytes).toString('latin1'), { mailFrom: answer!.mailFrom })
    t.same(await outgoing(core), [])
  })

  t.test('a subject with a line break adds no field (promise S6)', async (t) => {
    const box = await away('breaks', { isEnabled: true, subject: null, textBody: 'Away.' })
    const subject = '=?utf-8?q?Hi=0D=0ABcc:_eve@example.org?='
    await deliver(core, [box], letter(box, { subject }))
    const { header } = textOf((await outgoing(core))[0]!)
    t.notMatch(header, /^Bcc/m)
    t.match(header, /^Subject: Auto: HiBcc: eve@example\.org$/m)
  })
})

function authentication(spf: string, dmarc: string) {
  const domain = 'example.org'
  return {
    spf: { result: spf, identity: 'mailfrom', domain },
    dkim: [],
    dmarc: { result: dmarc, domain, policy: null, disposition: 'none' },
    arc: { result: 'none', domain: null },
    iprev: { result: 'pass', name: 'mx.example.org' },
  }
}
