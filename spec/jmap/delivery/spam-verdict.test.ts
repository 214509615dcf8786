import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail } from '../mails.ts'
import { deliver, placeOf } from './support.ts'

function scored(score: number) {
  const symbols = [{ name: 'TEST', score, description: 'A test says so.' }]
  return { verdict: { outside: { score, symbols, engine: 'rspamd' as const } } }
}

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  const threshold = (box: { accountId: string }, spamFilterThreshold: number) =>
    core.request([
      [
        'MailAccount/set',
        { accountId: core.organization.accountId, update: { [box.accountId]: { spamFilterThreshold } } },
      ],
    ])

  t.test('a message at or above the threshold, 6 by default, is junk; a message below is not', async (t) => {
    const box = await core.mailbox('first')
    const [below] = await deliver(core, [box], mail(), scored(5.99))
    const [at] = await deliver(core, [box], mail(), scored(6))
    t.match(await placeOf(box, below.emailId), { roles: ['inbox'], keywords: {} })
    const place = await placeOf(box, at.emailId)
    t.match(place, { roles: ['junk'], keywords: { $junk: true } })
    t.same(place.words, ['spam: Scored 6 points; the threshold of the mailbox is 6: it is junk.'])
  })

  t.test('a new threshold applies from the next message on, to its mailbox only', async (t) => {
    const [strict, other] = [await core.mailbox('strict'), await core.mailbox('other')]
    const places = async (score: number) => {
      const results = await deliver(core, [strict, other], mail(), scored(score))
      return [(await placeOf(strict, results[0].emailId)).roles[0], (await placeOf(other, results[1].emailId)).roles[0]]
    }
    t.same(await places(3), ['inbox', 'inbox'])
    await threshold(strict, 2)
    t.same(await places(3), ['junk', 'inbox'])
    await threshold(strict, 14)
    t.same(await places(13), ['inbox', 'junk'])
  })

  t.test('the verdict is stored with its reasons and the threshold, and returned on request', async (t) => {
    const box = await core.mailbox('why')
    const [{ emailId }] = await deliver(core, [box], mail(), scored(9))
    t.same((await placeOf(box, emailId)).spamVerdict, {
      score: 9,
      threshold: 6,
      engine: 'rspamd',
      symbols: [{ name: 'TEST', score: 9, description: 'A test says so.' }],
    })
    const [email] = (await box.call('Email/get', { ids: [emailId] })).list
    t.notOk('spamVerdict' in email || 'deliveryTrace' in email, 'not among the default properties')
  })

  t.test('a message that was not scored has no verdict, and a deleted message leaves none', async (t) => {
    const box = await core.mailbox('none')
    const [plain] = await deliver(core, [box], mail())
    matchWhole(t, await placeOf(box, plain.emailId), { spamVerdict: null, deliveryTrace: [], roles: ['inbox'] })
    const [judged] = await deliver(core, [box], mail(), scored(1))
    await box.call('Email/set', { destroy: [judged.emailId] })
    const rows = await core.store.read((reader) =>
      reader.sql.query((db) => db.selectFrom('email_delivery').select('email').where('account', '=', box.account)),
    )
    t.same(rows, [])
  })
})
