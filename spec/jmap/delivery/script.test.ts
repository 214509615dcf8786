import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { mail, octets } from '../mails.ts'
import { deliver, eventsIn, outgoing, placeOf, rule, setRules, textOf } from './support.ts'

const DAY = 86_400_000

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  await hearEvents(core)
  const { clock } = core
  const withScript = async (name: string, script: string): Promise<TestMailbox> => {
    const box = await core.mailbox(name)
    const { blobId } = (await core.core.upload(box.principal, box.accountId, 'application/sieve', octets(script)))!
    const create = { s: { name: 'main', blobId } }
    const set = await box.call('SieveScript/set', { create, onSuccessActivateScript: '#s' })
    if (!set.created?.s) throw new Error(JSON.stringify(set))
    return box
  }

  t.test('the active script files the message with flags, and the log has its steps', async (t) => {
    const box = await withScript(
      'files',
      'require ["fileinto", "imap4flags"];\nif header :contains "subject" "invoice" {\n  fileinto :flags "\\\\Flagged" "Archive";\n}\n',
    )
    const [filed] = await deliver(core, [box], mail({ subject: 'Invoice 7' }))
    const [kept] = await deliver(core, [box], mail({ subject: 'Lunch' }))
    const place = await placeOf(box, filed.emailId)
    t.match(place, { roles: ['archive'], keywords: { $flagged: true } })
    t.ok(place.deliveryTrace.some(({ by, name }: Record<string, string>) => by === 'script' && name === 'main'))
    t.same((await placeOf(box, kept.emailId)).roles, ['inbox'])
  })

  t.test('a mailbox that a script creates exists afterwards, with its parents (RFC 5490 3.2)', async (t) => {
    const box = await withScript('makes', 'require ["fileinto", "mailbox"];\nfileinto :create "Work/2026/Bills";\n')
    const [first] = await deliver(core, [box], mail())
    const [second] = await deliver(core, [box], mail())
    const { list } = await box.call('Mailbox/get', { ids: null, properties: ['name', 'parentId', 'totalEmails'] })
    const bills = list.find(({ name }: { name: string }) => name === 'Bills')
    t.equal(bills.totalEmails, 2)
    t.equal(list.filter(({ name }: { name: string }) => ['Work', '2026', 'Bills'].includes(name)).length, 3)
    for (const { emailId } of [first, second]) t.same((await placeOf(box, emailId)).mailboxIds, { [bills.id]: true })
  })

  t.test('a message filed into a missing folder is in the inbox, and the log says why (RFC 5228 4.1)', async (t) => {
    const box = await withScript('lost', 'require ["fileinto"];\nfileinto "Nowhere";\n')
    const [{ emailId }] = await deliver(core, [box], mail())
    const place = await placeOf(box, emailId)
    t.same(place.roles, ['inbox'])
    t.match(place.words.join('\n'), /There is no mailbox "Nowhere"/)
  })

  t.test('a discarded message is accepted and stored nowhere (RFC 5228 4.4)', async (t) => {
    const box = await withScript('discards', 'if header :contains "subject" "casino" { discard; }\n')
    t.same(await deliver(core, [box], mail({ subject: 'Casino' })), [{ status: 'discarded' }])
    t.match(await deliver(core, [box], mail({ subject: 'Lunch' })), [{ status: 'stored' }])
    t.equal((await box.call('Email/query', { calculateTotal: true })).total, 1)
    t.equal((await eventsIn(core)).filter(({ account }) => account === box.account).length, 1)
  })

  t.test('a redirected message is kept and not sent, so that two servers cannot loop (promise S8)', async (t) => {
    const box = await withScript('forwards', 'redirect "bob@example.org";\n')
    const [{ emailId }] = await deliver(core, [box], mail())
    t.same(await outgoing(core), [])
    const place = await placeOf(box, emailId)
    t.same(place.roles, ['inbox'])
    t.match(place.words.join('\n'), /Not redirected to bob@example\.org/)
  })

  t.test(
    "a message that all scripts reject is refused with the script's reason; if only one rejects, it is kept (RFC 5429)",
    async (t) => {
      const script = 'require ["reject"];\nreject "Not here, please.";\n'
      const [one, two] = [await withScript('refuses', script), await withScript('refuses-too', script)]
      const other = await core.mailbox('takes')
      const refused = { status: 'rejected', reason: 'Not here, please.' }
      t.same(await deliver(core, [one], mail()), [refused])
      t.same(await deliver(core, [one, two], mail()), [refused, refused])
      t.equal((await one.call('Email/query', { calculateTotal: true })).total, 0)
      const [kept, taken] = await deliver(core, [one, other], mail())
      t.equal(taken.status, 'stored')
      t.match((await placeOf(one, kept.emailId)).words.at(-1), /^delivery: Kept though the script refuses it/)
    },
  )

  t.test('after a run-time error of a script the message is in the inbox, and the log says why', async (t) => {
    const box = await withScript(
      'fails',
      'require ["fileinto", "variables"];\nset "path" "";\nfileinto "$'.concat('{path}/x";\n'),
    )
    const [{ emailId }] = await deliver(core, [box], mail())
    const place = await placeOf(box, emailId)
    t.same(place.roles, ['inbox'])
    t.match(place.words.join('\n'), /^script: /)
  })

  t.test('spam that a script keeps is junk, and spam that it files elsewhere is not', async (t) => {
    const box = await withScript(
      'judges',
      'require ["fileinto"];\nif header :contains "subject" "known" { fileinto "Archive"; }\n',
    )
    const junk = { verdict: { quarantine: 'the policy of the domain' } }
    const [kept] = await deliver(core, [box], mail({ subject: 'Any' }), junk)
    const [filed] = await deliver(core, [box], mail({ subject: 'Known' }), junk)
    t.match(await placeOf(box, kept.emailId), { roles: ['junk'], keywords: { $junk: true } })
    t.match(await placeOf(box, filed.emailId), { roles: ['archive'] })
    t.notOk((await placeOf(box, filed.emailId)).keywords.$junk)
  })

  t.test("the script runs before the rules, and the rules' move counts", async (t) => {
    const box = await withScript('order', 'require ["fileinto"];\nfileinto "Archive";\n')
    const toTrash = { type: 'move', target: { kind: 'system', role: 'trash' } } as const
    await setRules(box, [rule([{ type: 'subject_contains', value: 'old' }], [toTrash])])
    const [old] = await deliver(core, [box], mail({ subject: 'Old news' }))
    const [fresh] = await deliver(core, [box], mail({ subject: 'News' }))
    t.same((await placeOf(box, old.emailId)).roles, ['trash'])
    t.same((await placeOf(box, fresh.emailId)).roles, ['archive'])
    const by = (await placeOf(box, old.emailId)).deliveryTrace.map((note: { by: string }) => note.by)
    t.ok(by.indexOf('script') < by.indexOf('rule'))
  })

  t.test('vacation replies once in its days, with the checks of every automatic reply (RFC 5230)', async (t) => {
    const box = await withScript(
      'vacation',
      'require ["vacation"];\nvacation :days 2 :subject "Away" "Back in May.";\n',
    )
    const answers = async (more: object = {}, headers: string[] = []) => {
      await deliver(core, [box], mail({ to: box.address, headers }), more)
      return outgoing(core)
    }
    const [first] = await answers()
    t.equal(first!.mailFrom, '')
    t.match(textOf(first!).header, /^Subject: Away$/m)
    t.match(textOf(first!).body, 'Back in May.')
    t.same(await answers(), [])
    t.same(await answers({ mailFrom: 'eve@example.org' }, ['List-Id: <list.example.org>']), [])
    clock.advance(2 * DAY)
    t.equal((await answers()).length, 1)
  })

  t.test('a vacation action of the script replaces the VacationResponse', async (t) => {
    const box = await withScript('both', 'require ["vacation"];\nvacation "Said by the script.";\n')
    await box.call('VacationResponse/set', {
      update: { singleton: { isEnabled: true, textBody: 'Said by the record.' } },
    })
    await deliver(core, [box], mail({ to: box.address }))
    const sent = await outgoing(core)
    t.equal(sent.length, 1)
    t.match(textOf(sent[0]!).body, 'Said by the script.')
  })

  t.test('a duplicate is found by its Message-ID for the time that the script gives (RFC 7352)', async (t) => {
    const box = await withScript('twice', 'require ["duplicate"];\nif duplicate :seconds 3600 { discard; }\n')
    const status = async (id: string) => (await deliver(core, [box], mail({ id })))[0].status
    t.equal(await status('a@example.org'), 'stored')
    t.equal(await status('a@example.org'), 'discarded')
    t.equal(await status('b@example.org'), 'stored')
    clock.advance(3_600_000)
    t.equal(await status('a@example.org'), 'stored')
  })
})
