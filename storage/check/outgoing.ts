import type { Reader } from '../ports.ts'
import type { Fault } from './fault.ts'

/** The queue of outgoing mail has exactly the destinations of open recipients. */
export async function checkOutgoing(reader: Reader): Promise<Fault[]> {
  const open = await reader.sql.query((db) =>
    db
      .selectFrom('submission_recipient as r')
      .innerJoin('submission as s', (join) =>
        join.onRef('s.account', '=', 'r.account').onRef('s.id', '=', 'r.submission'),
      )
      .select(['r.account', 'r.submission', 'r.destination'])
      .distinct()
      .where('r.status', '=', 'open')
      .where('s.undo_status', '<>', 'canceled'),
  )
  const queued = await reader.sql.query((db) =>
    db.selectFrom('outgoing').select(['account', 'submission', 'destination']).where('newsletter', 'is', null),
  )
  const due = await reader.sql.query((db) =>
    db.selectFrom('submission').select(['account', 'id as submission']).where('due_at', 'is not', null),
  )
  type Row = { account: number; submission: number; destination?: string }
  const keyOf = ({ account, submission, destination }: Row) =>
    [account, submission, ...(destination === undefined ? [] : [destination])].join('/')
  const compare = (kind: string, wanted: readonly Row[], found: readonly Row[]): Fault[] => {
    const keys = new Set(found.map(keyOf))
    return wanted
      .filter((row) => !keys.has(keyOf(row)))
      .map((row) => ({ account: row.account, kind, detail: keyOf(row) }))
  }
  const submissions = queued.map(({ account, submission }) => ({ account, submission }))
  return [
    ...compare('recipient-forgotten', open, queued),
    ...compare('queued-without-recipient', queued, open),
    ...compare('submission-not-due', submissions, due),
    ...compare('submission-due-without-queue', due, submissions),
  ]
}
