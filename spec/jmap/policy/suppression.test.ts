// Decision D25: addresses that an organization sends no mail to.
import t from 'tap'
import { suppress } from '../../../jmap/policy/suppression/suppress.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { sender } from '../../support/sending.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, store, organization, organizationWith, mailbox, request } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const send = await sender(core, hello)
  const call = async (name: string, args: JsonObject = {}, accountId = organization.accountId): Promise<Result> =>
    (await request([[name, { accountId, ...args }]]))[0]![1]
  const add = async (email: string): Promise<Result> => {
    const { created, notCreated } = await call('Suppression/set', { create: { s: { email } } })
    return created?.s ?? notCreated.s
  }

  t.test('a manually added address is stored trimmed, in lower case and with A-labels', async (t) => {
    const made = await add('  Ada@BÜCHER.example ')
    t.match(made, { id: /^sup_/, email: 'ada@xn--bcher-kva.example', reason: 'manual', smtpResponse: null })
    t.match(await add('ADA@bücher.example'), { type: 'alreadyExists', existingId: made.id })
    t.match(await add('nobody'), { type: 'invalidProperties', properties: ['email'] })
    const { list } = await call('Suppression/get', { ids: [made.id] })
    t.match(list, [{ id: made.id, email: 'ada@xn--bcher-kva.example', createdAt: /Z$/ }])
  })

  t.test('JMAP and SMTP refuse a suppressed recipient by name, and nothing is sent', async (t) => {
    const { id } = await add('gone@example.org')
    const refused = {
      type: 'invalidRecipients',
      invalidRecipients: ['Gone@example.org'],
      suppressed: ['Gone@example.org'],
    }
    t.match(await send.byJmap(['fine@example.org', 'Gone@example.org']), refused)
    const answer = await send.bySmtp(['fine@example.org', 'Gone@example.org'])
    t.match(answer, { status: 'refused', reason: 'forbiddenToSend', description: /Gone@example\.org/ })
    t.match(await send.byJmap(['fine@example.org']), { id: /^sbm_/ }, 'control')
    await call('Suppression/set', { destroy: [id] })
    t.match(await send.byJmap(['Gone@example.org']), { id: /^sbm_/ }, 'removed')
    t.match(await send.bySmtp(['Gone@example.org']), { status: 'queued' })
  })

  t.test('another organization may still send to it', async (t) => {
    const other = await organizationWith('elsewhere.test')
    const { created } = await call('Suppression/set', { create: { s: { email: 'bob@example.org' } } }, other.accountId)
    t.match(created.s.id, /^sup_/)
    t.match(await send.byJmap(['bob@example.org']), { id: /^sbm_/ })
    matchWhole(t, (await call('Suppression/query', { filter: { email: 'bob@example.org' } })).ids, [])
  })

  t.test('an address that the server suppresses is stored with its reason, once', async (t) => {
    const { account } = organization
    const cause = { reason: 'hard_bounce', sourceMessageId: 'msg_1', smtpResponse: '550 5.1.1 no such user' } as const
    const put = () =>
      store.write([account], (work) => suppress(work.account(account), core.ids, 'No.One@example.org', cause))
    t.type(await put(), 'number')
    t.equal(await put(), null)
    const { ids } = await call('Suppression/query', { filter: { reason: 'hard_bounce' } })
    const { list } = await call('Suppression/get', { ids })
    const expected = { email: 'no.one@example.org', reason: 'hard_bounce', sourceMessageId: 'msg_1' }
    t.match(list, [{ ...expected, smtpResponse: '550 5.1.1 no such user' }])
  })

  t.test('the list is sorted by time, filtered by address and by reason, and has changes', async (t) => {
    const before = (await call('Suppression/get', { ids: [] })).state
    const ids = []
    for (const name of ['a', 'b', 'c']) ids.push((await add(`${name}@list.example`)).id)
    t.same((await call('Suppression/query', { limit: 3 })).ids, [...ids].reverse(), 'newest first')
    const asked = { filter: { email: 'B@list.example' } }
    t.same((await call('Suppression/query', asked)).ids, [ids[1]])
    t.same((await call('Suppression/query', { filter: { beforeId: ids[1] }, limit: 1 })).ids, [ids[0]])
    const either = { operator: 'OR', conditions: [{ email: 'a@list.example' }, { email: 'c@list.example' }] }
    t.same((await call('Suppression/query', { filter: either })).ids, [ids[2], ids[0]])
    t.equal((await call('Suppression/query', { filter: { reason: 'manual' }, calculateTotal: true })).total >= 3, true)
    t.same((await call('Suppression/changes', { sinceState: before })).created.sort(), [...ids].sort())
    await call('Suppression/set', { destroy: [ids[0]] })
    t.match(await call('Suppression/set', { destroy: [ids[0]] }), { notDestroyed: { [ids[0]!]: { type: 'notFound' } } })
  })
})
