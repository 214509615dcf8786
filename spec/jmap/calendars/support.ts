import type { TestMailbox } from '../../support/core.ts'

/** The id of the account's first calendar. */
export async function calendarOf(box: TestMailbox): Promise<string> {
  return (await box.call('Calendar/get', { ids: null })).list[0].id
}
