/** Before a query of emails: what it reads is brought up to date. */
import { hasSortKeys } from '../../../storage/repos/email-sort-keys.ts'
import { isIndexPending } from '../../../storage/repos/unindexed.ts'
import type { MethodContext } from '../../type/context.ts'
import type { QueryRequest } from '../../type/handlers.ts'
import { asksIndex, toSort } from './conditions.ts'
import type { Email } from './email.type.ts'
import { lacksSortKeys } from './sort-keys.ts'

export async function prepareQuery(method: MethodContext, { filter, sort }: QueryRequest<typeof Email>): Promise<void> {
  const { services, account, request } = method
  // What has arrived is always found.
  if (asksIndex(filter) && (await method.read((reader) => isIndexPending(reader, account.number)))) {
    await services.drainIndex(account.number)
    await request.reads.end()
  }
  const [first] = sort.map(toSort)
  if (!first || !('column' in first) || !hasSortKeys(first.column)) return
  const { column } = first
  // This query does not wait for them.
  if (await method.read((reader) => lacksSortKeys(reader, account.number, column)))
    await services.prepareSort(account.number, column)
}
