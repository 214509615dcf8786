import t from 'tap'
import { CHANGE_LOG_LIFETIME_MS } from '../../../../server/base/limits.ts'
import { type Result, startCore, USING } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { matchWhole } from '../../../support/match-whole.ts'
import { mail } from '../../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, clock, mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const stateOf = async (type: string) => (await hello.call(`${type}/get`, { ids: [] })).state as string
  const folder = async (name: string) => {
    const { created } = await hello.call('Mailbox/set', { create: { f: { name } } })
    return created.f.id as string
  }

  t.test('/changes accepts the state of /get, even if nothing ever changed (pitfall 10)', async (t) => {
    const quiet = await mailbox('quiet')
    for (const type of ['Mailbox', 'Thread', 'Email', 'Identity', 'EmailSubmission']) {
      const { state } = await quiet.call(`${type}/get`, { ids: [] })
      matchWhole(t, await quiet.call(`${type}/changes`, { sinceState: state }), {
        oldState: state,
        newState: state,
        hasMoreChanges: false,
        created: [],
        updated: [],
        destroyed: [],
      })
    }
  })

  t.test('created, updated and destroyed ids are returned (RFC 8620 5.2)', async (t) => {
    const [kept, gone] = [await folder('Kept'), await folder('Gone')]
    const sinceState = await stateOf('Mailbox')
    const made = await folder('Made')
    await hello.call('Mailbox/set', { update: { [kept]: { name: 'Kept on' } }, destroy: [gone] })
    const changes = await hello.call('Mailbox/changes', { sinceState })
    t.match(changes, { oldState: sinceState, hasMoreChanges: false, newState: await stateOf('Mailbox') })
    t.same([changes.created, changes.updated, changes.destroyed], [[made], [kept], [gone]])
  })

  t.test('several changes of one object are one (RFC 8620 5.2)', async (t) => {
    const old = await folder('Old')
    const sinceState = await stateOf('Mailbox')
    const made = await folder('New')
    await hello.call('Mailbox/set', { update: { [made]: { name: 'Newer' }, [old]: { name: 'Older' } } })
    const brief = await folder('Brief')
    await hello.call('Mailbox/set', { destroy: [brief, old] })
    const { created, updated, destroyed } = await hello.call('Mailbox/changes', { sinceState })
    t.same([created, updated, destroyed], [[made], [], [old]], 'created and destroyed between: never heard of')
  })

  t.test('maxChanges is never exceeded, and paging reaches the present state (RFC 8620 5.2)', async (t) => {
    const first = await stateOf('Mailbox')
    const ids = [await folder('One'), await folder('Two'), await folder('Three')]
    await hello.call('Mailbox/set', { update: { [ids[0]!]: { name: 'Uno' } }, destroy: [ids[1]!] })
    const seen = new Set<string>()
    let sinceState = first
    for (let more = true; more; ) {
      const page = await hello.call('Mailbox/changes', { sinceState, maxChanges: 1 })
      t.ok(page.created.length + page.updated.length + page.destroyed.length <= 1)
      t.equal(page.oldState, sinceState)
      for (const id of page.created) seen.add(id)
      for (const id of page.destroyed) seen.delete(id)
      sinceState = page.newState
      more = page.hasMoreChanges
    }
    t.same([...seen], [ids[0], ids[2]])
    t.equal(sinceState, await stateOf('Mailbox'))
  })

  t.test('maxChanges of zero is invalidArguments (RFC 8620 5.2)', async (t) => {
    const sinceState = await stateOf('Mailbox')
    t.match(await hello.call('Mailbox/changes', { sinceState, maxChanges: 0 }), { type: 'invalidArguments' })
    t.match(await hello.call('Mailbox/changes', { sinceState, maxChanges: null }), { hasMoreChanges: false })
  })

  t.test('a state that the server never returned is cannotCalculateChanges (RFC 8620 5.2)', async (t) => {
    for (const sinceState of ['', 'nonsense', '-1', '01', '1.5', '999999999', '1e3'])
      t.same(await hello.call('Mailbox/changes', { sinceState }), { type: 'cannotCalculateChanges' }, sinceState)
  })

  t.test('changes of one account are not returned in another', async (t) => {
    const other = await mailbox('other')
    const { state } = await other.call('Mailbox/get', { ids: [] })
    await folder('Mine')
    matchWhole(t, await other.call('Mailbox/changes', { sinceState: state }), {
      created: [],
      updated: [],
      newState: state,
    })
  })

  t.test('if only counts changed, updatedProperties names them (RFC 8621 2.2)', async (t) => {
    const sinceState = await stateOf('Mailbox')
    await hello.receive(mail({ subject: 'Counted' }))
    const { updated, updatedProperties } = await hello.call('Mailbox/changes', { sinceState })
    t.same(updated, [hello.roles['inbox']])
    t.same([...updatedProperties].sort(), ['totalEmails', 'totalThreads', 'unreadEmails', 'unreadThreads'])
  })

  t.test('updatedProperties can be the properties of the next call, whatever changed (RFC 8621 2.2)', async (t) => {
    const follow = async (sinceState: string) => {
      const { accountId, principal } = hello
      const reference = (path: string) => ({ resultOf: 'c', name: 'Mailbox/changes', path })
      const methodCalls = [
        ['Mailbox/changes', { accountId, sinceState }, 'c'],
        [
          'Mailbox/get',
          { accountId, '#ids': reference('/updated'), '#properties': reference('/updatedProperties') },
          'g',
        ],
      ]
      const answer = (await core.process(principal, { using: USING, methodCalls } as never)) as Result
      return answer.methodResponses[1][1].list
    }
    const id = await hello.receive(mail({ subject: 'To be read' }))
    const before = await stateOf('Mailbox')
    await hello.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } })
    const [inbox] = await follow(before)
    t.same(Object.keys(inbox).sort(), ['id', 'unreadEmails', 'unreadThreads'], 'only what reading changes')
    const state = await stateOf('Mailbox')
    await hello.call('Mailbox/set', { update: { [hello.roles['junk']!]: { sortOrder: 98 } } })
    t.ok('name' in (await follow(state))[0], 'null is all of them')
    t.same(await follow(await stateOf('Mailbox')), [], 'nothing changed')
  })

  t.test('if more than counts changed, updatedProperties is null (RFC 8621 2.2)', async (t) => {
    const sinceState = await stateOf('Mailbox')
    await hello.receive(mail({ subject: 'Counted too' }))
    await hello.call('Mailbox/set', { update: { [hello.roles['junk']!]: { sortOrder: 99 } } })
    t.equal((await hello.call('Mailbox/changes', { sinceState })).updatedProperties, null)
  })

  t.test('a state before the trimmed log is cannotCalculateChanges; later changes are returned', async (t) => {
    const aged = await mailbox('aged')
    const old = (await aged.call('Mailbox/get', { ids: [] })).state
    await aged.call('Mailbox/set', { create: { a: { name: 'Old news' } } })
    const middle = (await aged.call('Mailbox/get', { ids: [] })).state
    clock.advance(CHANGE_LOG_LIFETIME_MS + 1)
    await aged.call('Mailbox/set', { create: { b: { name: 'Fresh news' } } })
    t.ok((await core.maintenance.run()).trimmedAccounts > 0)
    t.same(await aged.call('Mailbox/changes', { sinceState: old }), { type: 'cannotCalculateChanges' })
    t.equal((await aged.call('Mailbox/changes', { sinceState: middle })).created.length, 1)
    const identities = await aged.call('Identity/get', { ids: [] })
    matchWhole(
      t,
      await aged.call('Identity/changes', { sinceState: identities.state }),
      { created: [] },
      'a state of old is still one',
    )
  })
})
