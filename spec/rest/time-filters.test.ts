/** Filters of lists by time and by recipient. */
import t from 'tap'
import { forEachEngine } from '../support/engines.ts'
import { faults, mail, startApi } from '../support/rest-api.ts'

const MINUTE = 60_000

t.test('lists by time', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    const { ask, clock, mailbox } = await startApi(t, {}, engine)
    const alice = await mailbox('alice')
    const bob = await mailbox('bob')
    const start = clock.now()
    const at = (minutes: number) => encodeURIComponent(new Date(start + minutes * MINUTE).toISOString())
    const subjects = ({ data }: { data: { subject: string }[] }) => data.map(({ subject }) => subject)
    for (let i = 0; i < 5; i++) {
      const to = i % 2 === 0 ? 'Jane@Example.net' : 'joe@example.net'
      const body = { from: (i < 4 ? alice : bob).address, to, cc: 'all@example.net', subject: `Sent ${i}`, text: 'x' }
      const sent = await ask('POST', '/v1/messages', { body })
      if (sent.status !== 201) throw new Error(sent.text)
      await alice.receive(mail({ Subject: `Mail ${i}`, 'Message-ID': `<${i}@example.org>` }), clock.now())
      clock.advance(MINUTE)
    }
    const sent = async (query: string) => (await ask('GET', `/v1/messages?${query}`)).body
    const inbox = async (query: string) =>
      (await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages?folder_role=inbox&${query}`)).body

    await t.test('messages that were sent: created_after and created_before', async (t) => {
      t.same(subjects(await sent(`created_after=${at(1)}&created_before=${at(3)}`)), ['Sent 2', 'Sent 1'])
      t.same(subjects(await sent(`created_after=${at(4)}`)), ['Sent 4'], 'that time is in it')
      t.same(subjects(await sent(`created_before=${at(1)}`)), ['Sent 0'], 'that time is not in it')
      t.same(subjects(await sent(`created_after=${at(9)}`)), [])
    })

    await t.test('messages that were sent to an address, in any case', async (t) => {
      t.same(subjects(await sent('recipient=jane@example.NET')), ['Sent 4', 'Sent 2', 'Sent 0'])
      t.same(subjects(await sent(`recipient=jane@example.net&mailbox_id=${bob.accountId}`)), ['Sent 4'])
      t.same(subjects(await sent(`recipient=all@example.net&created_before=${at(2)}`)), ['Sent 1', 'Sent 0'])
      t.same(subjects(await sent('recipient=nobody@example.net')), [])
      const first = await sent('recipient=jane@example.net&limit=2')
      t.same(subjects(await sent(`cursor=${first.pagination.next_cursor}`)), ['Sent 0'], 'the cursor keeps it')
    })

    await t.test('messages of the inbox: received_after and received_before', async (t) => {
      const page = await inbox(`received_after=${at(1)}&received_before=${at(3)}`)
      t.same(subjects(page), ['Mail 2', 'Mail 1'])
      t.equal(page.pagination.total, 2)
      t.same(subjects(await inbox(`received_after=${at(4)}`)), ['Mail 4'])
      t.same(subjects(await inbox(`received_before=${at(1)}`)), ['Mail 0'])
    })

    await t.test('an invalid time or address is refused', async (t) => {
      const wrong = faults(await ask('GET', '/v1/messages?created_after=soon&recipient=jane'))
      t.same(wrong.map(([field]) => field).sort(), ['created_after', 'recipient'])
      const path = `/v1/mailboxes/${alice.accountId}/inbox/messages?received_before=1`
      t.same(faults(await ask('GET', path)), [['received_before', 'invalid_format']])
    })
  })
})

t.test('a message that names an address twice is listed once, and no other organization has it', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    const { ask, mailbox, clock, stranger } = await startApi(t, {}, engine)
    const alice = await mailbox('alice')
    const send = async (subject: string, more: object) => {
      const body = { from: alice.address, to: 'jane@example.net', subject, text: 'x', ...more }
      t.equal((await ask('POST', '/v1/messages', { body })).status, 201)
      clock.advance(1_000)
    }
    await send('twice', { to: ['Jane@example.net', 'joe@example.net'], cc: ['jane@example.net'] })
    await send('once', {})
    const subjects = async (key?: string) => {
      const answer = await ask('GET', '/v1/messages?recipient=jane@example.net', key === undefined ? {} : { key })
      return answer.body.data.map(({ subject }: { subject: string }) => subject)
    }
    t.same(await subjects(), ['once', 'twice'])
    t.same(await subjects((await stranger()).key), [])
  })
})
