import t from 'tap'
import { TABLES } from '../../../storage/schema/database.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { catalogOf, declaredCatalog } from './catalog.ts'

/** Items that are in only one of two lists. */
function difference(found: readonly string[], declared: readonly string[]): string[] {
  return [
    ...found.filter((line) => !declared.includes(line)).map((line) => `not declared: ${line}`),
    ...declared.filter((line) => !found.includes(line)).map((line) => `not in the catalog: ${line}`),
  ]
}

await forEachEngine(t, async (t, engine) => {
  t.test('the catalog has the declared tables, columns and keys, and no others', async (t) => {
    const { store } = await freshStore(t, engine)
    const found = await store.read(({ sql }) => catalogOf(sql, engine))
    t.same(difference(found, declaredCatalog(engine)), [])
    t.ok(found.includes('email.sent_at int or null'), 'control: the catalog was read')
    t.ok(found.includes('email key 2 id'))
  })

  t.test('a table or column that is not declared is found, and one that is missing', async (t) => {
    const { store } = await freshStore(t, engine)
    await store.write([], async ({ sql }) => {
      await sql.raw('create table undeclared (account integer not null)')
      await sql.raw('alter table mailbox add column undeclared text')
      await sql.raw('drop table sts_policy')
    })
    const differences = difference(await store.read(({ sql }) => catalogOf(sql, engine)), declaredCatalog(engine))
    for (const line of ['not declared: undeclared.account int', 'not declared: mailbox.undeclared text or null'])
      t.ok(differences.includes(line), line)
    t.ok(differences.includes('not in the catalog: sts_policy.domain text'))
  })
})

t.test('declared facts name columns and tables that exist', async (t) => {
  const names = TABLES.map(({ name }) => name)
  t.equal(new Set(names).size, names.length, 'each table is declared once')
  for (const { name, columns, owner, key, numbers = [], objectType, partOf, keepsBlob } of TABLES) {
    const whole = TABLES.find((table) => table.name === partOf)
    const named = [
      ...(owner === null ? [] : [owner]),
      ...key,
      ...numbers.flatMap(({ column, of }) => [column, of]),
      ...(objectType === undefined ? [] : ['id']),
      ...(partOf === undefined ? [] : ['account', partOf]),
      ...(keepsBlob === undefined ? [] : ['account', 'blob']),
      ...(typeof keepsBlob === 'object' ? [keepsBlob.whileSet] : []),
    ]
    t.same(
      named.filter((column) => !(column in columns)),
      [],
      name,
    )
    if (partOf !== undefined) t.same(whole?.key, ['account', 'id'], `${name} is part of ${partOf}`)
  }
})

t.test(
  'every table with the number of an account belongs to that account; the row of the account itself stays',
  async (t) => {
    const shared = TABLES.filter(({ owner }) => owner === null).map(({ name }) => name)
    t.same(shared.toSorted(), ['account', 'blob', 'installation', 'migration', 'sign_up_mail', 'sts_policy'])
    const wrong = TABLES.filter(
      ({ owner, columns }) => owner === null && ('account' in columns || 'organization' in columns),
    ).map(({ name }) => name)
    t.same(wrong, ['account'])
  },
)
