/** Adding a JMAP type with a table needs its own files, and one line each in the lists of types, of tables and of migrations. */
// Own process: adds a table and a migration to the lists of this process.
import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import type { Core } from '../../../jmap/services.ts'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import { objectTypes, registration } from '../../../jmap/type/registry.ts'
import { MAILBOX_RETENTION_MS } from '../../../server/base/limits.ts'
import type { Principal } from '../../../server/base/principal.ts'
import { faultsOf } from '../../../storage/check/check-store.ts'
import { MIGRATIONS } from '../../../storage/migrations/migrate.ts'
import type { Migration } from '../../../storage/migrations/migration.ts'
import type { Store } from '../../../storage/ports.ts'
import { rawQuery } from '../../../storage/raw-query.ts'
import { TABLES } from '../../../storage/schema/database.ts'
import type { Table } from '../../../storage/schema/table.ts'
import { type Result, startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { bookmarkHandlers } from './bookmark/bookmark.handlers.ts'
import { BOOKMARKS, Bookmark } from './bookmark/bookmark.type.ts'
import { type BookmarkRow, bookmark, bookmarkMigration } from './bookmark/bookmark-table.ts'

// The three lines.
const registry = createStandardRegistry([registration(Bookmark, bookmarkHandlers)])
;(TABLES as Table[]).push(bookmark)
;(MIGRATIONS as Migration[]).push(bookmarkMigration)

function callerOf(core: Core, { accountId, principal }: TestMailbox) {
  return async (name: string, args: object = {}, by: Principal = principal): Promise<Result> => {
    const request = { using: [BOOKMARKS.urn], methodCalls: [[name, { accountId, ...args }, '0'] as const] }
    const response: Result = await core.process(by, JSON.parse(JSON.stringify(request)))
    return response.methodResponses[0][1]
  }
}

function rowsOf(store: Store, account: number): Promise<BookmarkRow[]> {
  return store.read(({ sql: connection }) =>
    rawQuery(connection, sql<BookmarkRow>`select * from bookmark where account = ${account}`),
  )
}

await forEachEngine(t, async (t, engine) => {
  const { core, store, clock, mailbox, organization, key, request } = await startCore(t, engine, {}, { registry })

  t.test('its objects are created, read, changed, found and destroyed, with their changes', async (t) => {
    const call = callerOf(core, await mailbox('methods'))
    const { state } = await call('Bookmark/get')
    const { queryState } = await call('Bookmark/query', { filter: { title: 'a' } })
    const made = await call('Bookmark/set', {
      create: { one: { url: 'https://a.example', title: 'ab' }, two: { url: 'x' } },
    })
    const [one, two] = [made.created.one.id, made.created.two.id]
    t.match(one, /^bmk_/)
    t.equal((await call('Bookmark/get', { ids: [two] })).list[0].title, '', 'the default')
    t.match(await call('Bookmark/set', { update: { [two]: { title: 'abc' } } }), { updated: { [two]: null } })
    t.same((await call('Bookmark/get', { ids: [two, 'bmk_none'] })).list, [{ id: two, url: 'x', title: 'abc' }])
    t.same((await call('Bookmark/query', { filter: { title: 'b' }, sort: [{ property: 'title' }] })).ids, [one, two])
    t.match(await call('Bookmark/queryChanges', { filter: { title: 'a' }, sinceQueryState: queryState }), {
      added: [
        { id: one, index: 0 },
        { id: two, index: 1 },
      ],
    })
    t.match(await call('Bookmark/set', { destroy: [one] }), { destroyed: [one] })
    t.match(await call('Bookmark/changes', { sinceState: state }), { created: [two], updated: [], destroyed: [] })
  })

  t.test('arguments are checked against the declaration', async (t) => {
    const call = callerOf(core, await mailbox('checks'))
    const wrong = {
      a: { title: 'no URL' },
      b: { url: '' },
      c: { url: 'x', id: 'bmk_1' },
      d: { url: 'x', colour: 'red' },
    }
    const { created, notCreated } = await call('Bookmark/set', { create: { ...wrong, right: { url: 'x' } } })
    t.match(notCreated, {
      a: { properties: ['url'] },
      b: { properties: ['url'] },
      c: { properties: ['id'] },
      d: { properties: ['colour'] },
    })
    const { id } = created.right
    t.match(await call('Bookmark/set', { update: { [id]: { url: 'y' } } }), {
      notUpdated: { [id]: { properties: ['url'] } },
    })
    t.match(await call('Bookmark/get', { properties: ['colour'] }), { type: 'invalidArguments' })
    t.match(await call('Bookmark/query', { filter: { colour: 'red' } }), { type: 'unsupportedFilter' })
    t.match(await call('Bookmark/query', { sort: [{ property: 'url' }] }), { type: 'unsupportedSort' })
  })

  t.test('a key needs its scopes, which can be granted; the session and push follow them', async (t) => {
    const box = await mailbox('scopes')
    const call = callerOf(core, box)
    const [reading, other] = [await key({ scopes: ['bookmarks:read'] }), await key({ scopes: ['messages:read'] })]
    t.match(await call('Bookmark/get', {}, reading.principal), { list: [] })
    t.match(await call('Bookmark/set', { destroy: [] }, reading.principal), { type: 'accountReadOnly' })
    t.match(await call('Bookmark/get', {}, other.principal), { type: 'forbidden' })
    const shownTo = async (principal: Principal) => {
      const session: Result = await core.session(principal, 'http://host.example')
      return session.accounts[box.accountId].accountCapabilities[BOOKMARKS.urn]
    }
    t.same(await shownTo(box.principal), { maxBookmarks: 100 })
    t.same(await shownTo(reading.principal), { maxBookmarks: 100 })
    t.equal(await shownTo(other.principal), undefined)
    const before = await core.push.snapshot(box.principal, { since: null, types: null, only: null })
    const { newState } = await call('Bookmark/set', { create: { a: { url: 'x' } } })
    const toldTo = async (principal: Principal) =>
      (await core.push.snapshot(principal, { since: before.position, types: ['Bookmark'], only: [box.account] }))
        .changed
    t.same(await toldTo(box.principal), { [box.accountId]: { Bookmark: newState } })
    t.same(await toldTo(reading.principal), { [box.accountId]: { Bookmark: newState } })
    t.same(await toldTo(other.principal), {})
  })

  t.test('a mailbox does not see what another one has', async (t) => {
    const [own, other] = [callerOf(core, await mailbox('own')), callerOf(core, await mailbox('foreign'))]
    const { created } = await own('Bookmark/set', { create: { a: { url: 'x' } } })
    const { id } = created.a
    t.same((await own('Bookmark/get', { ids: [id] })).notFound, [], 'control')
    t.same((await other('Bookmark/get', { ids: [id] })).notFound, [id])
    t.match(await other('Bookmark/set', { destroy: [id] }), { notDestroyed: { [id]: { type: 'notFound' } } })
  })

  t.test('its rows are erased with the account, and no others', async (t) => {
    const [brief, other] = [await mailbox('brief'), await mailbox('lasting')]
    for (const box of [brief, other]) await callerOf(core, box)('Bookmark/set', { create: { a: { url: 'x' } } })
    await request([['MailAccount/set', { accountId: organization.accountId, destroy: [brief.accountId] }]])
    t.equal((await rowsOf(store, brief.account)).length, 1, 'not before its time')
    clock.advance(MAILBOX_RETENTION_MS + 1)
    await core.maintenance.run()
    t.same(await rowsOf(store, brief.account), [])
    t.equal((await rowsOf(store, other.account)).length, 1)
  })

  t.test('the consistency check compares its rows with the change log, the counter and the accounts', async (t) => {
    const box = await mailbox('check')
    await callerOf(core, box)('Bookmark/set', { create: { a: { url: 'x' } } })
    const [row] = await rowsOf(store, box.account)
    const { account, id } = row!
    t.same(await faultsOf(store, objectTypes(registry)), [], 'control')
    const run = (query: RawBuilder<unknown>) => store.write([account], (unit) => rawQuery(unit.sql, query))
    await run(sql`delete from bookmark where account = ${account} and id = ${id}`)
    t.same(await faultsOf(store, objectTypes(registry)), [
      `account ${account}: change-log: Bookmark ${id} is in the log, but does not exist`,
    ])
    await run(
      sql`insert into bookmark values (${account}, ${id}, 'x', ''), (${account}, 1000000, 'x', ''), (99, 1, 'x', '')`,
    )
    t.same((await faultsOf(store, objectTypes(registry))).sort(), [
      'account 99: orphan: bookmark has rows, but the account does not exist',
      `account ${account}: account: bookmark 1000000 is not below the counter of objects, ${id + 1}`,
      `account ${account}: change-log: Bookmark 1000000 exists, but is not in the log`,
    ])
    await run(sql`delete from bookmark where id = 1000000 or account = 99`)
  })
})
