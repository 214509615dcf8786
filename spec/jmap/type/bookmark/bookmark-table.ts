import type { Migration } from '../../../../storage/migrations/migration.ts'
import { int, type RowOf, table, text } from '../../../../storage/schema/table.ts'

export const bookmark = table({
  name: 'bookmark',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Bookmark',
  columns: { account: int, id: int, url: text, title: text },
})
export type BookmarkRow = RowOf<typeof bookmark>

export const bookmarkMigration: Migration = {
  number: 1_000,
  name: 'bookmarks',
  statements: ['create table bookmark (account int, id int, url text, title text, primary key (account, id))'],
}
