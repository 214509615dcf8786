import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import { selectSent } from '../../../storage/repos/sent-messages.ts'
import { selectSubmissions } from '../../../storage/repos/submission-query.ts'
import { sentAsMessage, submissionsOfMessages } from '../../../storage/repos/submission-reports.ts'
import {
  findSubmission,
  insertSubmission,
  type NewSubmission,
  submissionsOfEmails,
} from '../../../storage/repos/submissions.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'
import { explaining } from '../query-plans.ts'

/** Inserts submissions into the account. @returns their numbers */
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
  t.test('the newest of several submissions of an email is found', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const [, second] = await queue(store, account, [clock.now(), clock.now()])
    const found = await store.read((reader) => submissionsOfEmails(reader, account, [1, 2]))
    t.same(
      found.map(({ id }) => id),
      [second],
      'email 2 was never submitted',
    )
    t.equal(await store.read((reader) => findSubmission(reader, account + 1, second!)), null)
  })
})

t.test('submissions are found without scanning all of the account or the organization', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  await store.read(async (reader) => {
    const plans: string[] = []
    const watched = await explaining(reader, plans)
    const where = { kind: 'and', conditions: [{ kind: 'among', column: 'email', numbers: [1] }] } as const
    await submissionsOfEmails(watched, 1, [1])
    await selectSubmissions(watched, { account: 1, where, sort: [] }, 0, 10)
    await submissionsOfMessages(watched, { organization: 1, account: 1 }, ['a@b'], 10)
    await sentAsMessage(watched, 1, 'a@b', 10)
    const steps = plans.splice(0)
    t.ok(steps.length >= 6)
    t.notMatch(steps.join('\n'), /submission USING PRIMARY KEY \(account=\?\)/)
    const all = { accounts: null, undoStatus: null, tag: null, from: null, before: null, after: null }
    await selectSent(watched, { ...all, organization: 1, recipient: 'jane@example.net' }, 10)
    const [first, ...others] = plans
    t.match(first, /recipient USING COVERING INDEX submission_recipient_address \(organization=\? AND <expr>=\?\)/)
    t.notMatch(others.join('\n'), /TEMP B-TREE/, 'in the order of the index')
  })
})
