import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import {
  findSubmission,
  insertSubmission,
  type NewSubmission,
  submissionOfEmail,
} from '../../../storage/repos/submissions.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

/** Puts submissions into the account; their numbers. */
async function queue(store: Store, account: number, dueAt: readonly (number | null)[]): Promise<number[]> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const numbers: number[] = []
    for (const due_at of dueAt) {
      const id = unit.nextObject()
      const row: NewSubmission = {
        account,
        id,
        identity: 1,
        email: 1,
        thread: 1,
        blob: 1,
        mail_from: 'a@example.test',
        parameters: 'null',
        send_at: due_at ?? 0,
        undo_status: 'pending',
        due_at,
        created_at: unit.now,
        message_id: null,
      }
      await insertSubmission(unit, row, [])
      numbers.push(id)
    }
    return numbers
  })
}

await forEachEngine(t, async (t, engine) => {
  t.test('of several submissions of an email the newest one is found', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const [, second] = await queue(store, account, [clock.now(), clock.now()])
    t.match(await store.read((reader) => submissionOfEmail(reader, account, 1)), { id: second })
    t.equal(await store.read((reader) => submissionOfEmail(reader, account, 2)), null)
    t.equal(await store.read((reader) => findSubmission(reader, account + 1, second!)), null)
  })
})
