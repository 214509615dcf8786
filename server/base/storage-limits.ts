// Limits of disks, damage and backups: as in limits.ts, each with its unit and the reason.

// --- Room on the disk, and the write-ahead log ---
/** Of a disk, what new content leaves free: the smaller of a share and of octets, enough for deletions and checkpoints (promise D4). */
export const DISK_RESERVE_SHARE = 0.05
export const DISK_RESERVE_BYTES = 104_857_600
/** The free space is looked at again after this time, or once this share of the room has been given away: logs and indexes grow too. */
export const DISK_LOOK_MS = 100
export const DISK_LOOK_SHARE = 0.05
/**
 * Pages of 4 KiB in the write-ahead log after which it is checkpointed. More than SQLite's 1,000: fewer commits wait for its syncs. On a
 * small disk it is a quarter of the reserve, but no fewer than these.
 */
export const SQLITE_CHECKPOINT_PAGES = 4_000
export const SQLITE_CHECKPOINT_MIN_PAGES = 100
/** Milliseconds for which a start looks for malformed pages: promise D1 gives it 5 s in all. */
export const START_CHECK_MS = 2_000

// --- Backups (storage/backup) ---
/** Octets that are copied at a time. */
export const BACKUP_CHUNK_BYTES = 4_194_304
/** Octets of a file beside the database up to which it is taken along: keys, certificates and credentials have some kilobytes. */
export const BACKUP_FILE_MAX_BYTES = 1_048_576
/** Times a backup begins anew when a pack that it needs has been rewritten meanwhile. */
export const BACKUP_TRIES = 3
/** Backups that stay in a folder: a week of nightly ones. */
export const BACKUP_KEEP = 7
/** When backups are taken, where a folder for them is set: before the nightly maintenance rewrites packs. */
export const DEFAULT_BACKUP_SCHEDULE = '41 2 * * *'
/** By how much a restore moves states and numbers of objects on: more than an installation gives out between a backup and its loss. */
export const RESTORE_NUMBER_JUMP = 1_000_000_000
/** By how much it moves numbers of accounts on; ids have room for 10^12. */
export const RESTORE_ACCOUNT_JUMP = 1_000_000

/** Commits that go before a unit of work of the background while others wait: it goes on, at some per cent of the time. */
export const BACKGROUND_AFTER_COMMITS = 20
