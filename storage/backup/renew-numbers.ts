/**
 * After a restore: what was given out after the backup must not be given out again with another meaning, and clients must not go on from
 * states that this installation does not have. So all counters jump ahead, and no state from before can be gone on from (promise D6).
 */
import type Database from 'better-sqlite3'
import { RESTORE_ACCOUNT_JUMP, RESTORE_NUMBER_JUMP } from '../../server/base/storage-limits.ts'
import { ALL_TYPES } from '../change-log.ts'

/** @returns how many messages of the queue are held now: they may have left since the backup */
export function renewNumbers(database: Database.Database): number {
  return database.transaction(() => {
    database
      .prepare('update account set seq = seq + ?, next_object = next_object + ?')
      .run(RESTORE_NUMBER_JUMP, RESTORE_NUMBER_JUMP)
    database.prepare('delete from change').run()
    database.prepare('delete from change_floor').run()
    database.prepare('insert into change_floor (account, type, floor) select id, ?, seq from account').run(ALL_TYPES)
    database
      .prepare(`update installation set value = cast(cast(value as integer) + ? as text) where name = 'newest_account'`)
      .run(RESTORE_ACCOUNT_JUMP)
    pauseNewsletters(database)
    const held = database
      .prepare('select count(*) from (select distinct account, submission from outgoing)')
      .pluck()
      .get()
    database.prepare('update outgoing set held = 1, lease = null').run()
    return Number(held)
  })()
}

/** Messages in the queue may have left, and newsletters may have been sent to the end: nobody gets one twice. */
function pauseNewsletters(database: Database.Database): void {
  database.prepare(`delete from outgoing where newsletter is not null`).run()
  database
    .prepare(`update newsletter_recipient set status = 'skipped', reason = 'restored' where status = 'queued'`)
    .run()
  database
    .prepare(
      'update newsletter_run set skipped = skipped + queued, queued = 0, due_at = null, lease = null, lease_until = 0',
    )
    .run()
  database
    .prepare(
      `update newsletter set status = 'paused', settings = json_set(settings, '$.pausedReason', 'restored')
        where status in ('scheduled', 'sending')`,
    )
    .run()
}
