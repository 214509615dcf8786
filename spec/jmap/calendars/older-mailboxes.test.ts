import t from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { startCore, USING } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { store, clock, mailbox } = await startCore(t, engine)
  const [old, another] = [await mailbox('old'), await mailbox('another')]

  t.test('a mailbox from before there were calendars has its default calendar at the first read', async (t) => {
    const [kept] = (await another.call('Calendar/get', { ids: null })).list
    // As an older version left them.
    await store.write([old.account], async ({ sql }) => {
      for (const table of ['object', 'change'] as const)
        await sql.query((db) =>
          db
            .deleteFrom(table)
            .where('account', '=', old.account)
            .where('type', 'in', ['Calendar', 'ParticipantIdentity']),
        )
      await sql.query((db) => db.deleteFrom('installation').where('name', '=', 'older_mailboxes_have_calendars'))
    })
    t.same((await old.call('Calendar/get', { ids: null })).list, [], 'control')
    const started = await createCore({ store, clock, logger: silentLogger })
    const read = async (name: string) => {
      const request = { using: USING, methodCalls: [[name, { accountId: old.accountId, ids: null }, '0']] as never }
      const answer = await started.process(old.principal, request)
      return (answer as unknown as { methodResponses: [string, { list: object[]; state: string }][] })
        .methodResponses[0]![1]
    }
    const { list, state } = await read('Calendar/get')
    t.match(list, [{ name: 'Calendar', isDefault: true, isSubscribed: true }])
    t.match((await read('ParticipantIdentity/get')).list, [
      { calendarAddress: `mailto:${old.address}`, isDefault: true },
    ])
    t.same((await another.call('Calendar/get', { ids: null })).list, [kept], 'others keep what they have')
    await createCore({ store, clock, logger: silentLogger })
    t.equal((await read('Calendar/get')).state, state, 'a later start makes none')
  })
})
