import { sql } from 'kysely'
import { setError } from '../../../../jmap/protocol/errors.ts'
import { passesFilter } from '../../../../jmap/type/filter.ts'
import type { Handlers } from '../../../../jmap/type/handlers.ts'
import { pick } from '../../../../jmap/type/methods/get.ts'
import { listResult } from '../../../../jmap/type/object-handlers.ts'
import type { Reader } from '../../../../storage/ports.ts'
import { rawQuery } from '../../../../storage/raw-query.ts'
import { Bookmark } from './bookmark.type.ts'
import type { BookmarkRow } from './bookmark-table.ts'

function listBookmarks(reader: Reader, account: number): Promise<BookmarkRow[]> {
  return rawQuery(reader.sql, sql<BookmarkRow>`select * from bookmark where account = ${account} order by title, id`)
}

export const bookmarkHandlers: Handlers<typeof Bookmark> = {
  async all({ method, reader }, limit) {
    return (await listBookmarks(reader, method.account.number)).map(({ id }) => id).slice(0, limit)
  },

  async load({ method, reader }, { numbers, properties }) {
    const rows = (await listBookmarks(reader, method.account.number)).filter(({ id }) => numbers.includes(id))
    return new Map(
      rows.map(({ id, url, title }) => [id, pick({ id: method.id(Bookmark, id), url, title }, properties)]),
    )
  },

  async query({ method, reader }, { filter }) {
    const rows = await listBookmarks(reader, method.account.number)
    const found = rows.filter((row) => passesFilter(filter, { title: (title) => row.title.includes(title) }))
    return listResult(found.map(({ id }) => id))
  },

  async create({ unit }, { url, title }) {
    const number = unit.nextObject()
    await rawQuery(unit.sql, sql`insert into bookmark values (${unit.account}, ${number}, ${url}, ${title})`)
    unit.change(Bookmark.name, number, 'c')
    return { created: { number, serverSet: {} } }
  },

  async update({ unit }, number, { next, changed }) {
    const { title } = next
    await rawQuery(
      unit.sql,
      sql`update bookmark set title = ${title} where account = ${unit.account} and id = ${number}`,
    )
    unit.change(Bookmark.name, number, 'u', changed)
    return { updated: null }
  },

  async destroy({ unit }, number) {
    const gone = await rawQuery(
      unit.sql,
      sql`delete from bookmark where account = ${unit.account} and id = ${number} returning id`,
    )
    if (gone.length === 0) return setError('notFound')
    unit.change(Bookmark.name, number, 'd')
    return null
  },
}
