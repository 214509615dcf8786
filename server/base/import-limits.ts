/** Limits of imports (decisions D12 and D33), and the times of their worker. */

/** Octets of a staged file. */
export const IMPORT_FILE_MAX_BYTES = 4_294_967_296

export const IMPORT_FILES_MAX = 50

/** Staged files of a mailbox that wait for an import, and their octets: more than one import takes is of no use. */
export const IMPORT_STAGED_MAX = 100
export const IMPORT_STAGED_MAX_BYTES = 107_374_182_400

/** A staged file that no import uses, and the URL of its upload, end. */
export const IMPORT_FILE_MS = 86_400_000

/** Decision D12: an import can be undone for 30 days. Then what it created is forgotten. */
export const IMPORT_UNDO_MS = 30 * 86_400_000

/** Imports that a mailbox keeps; the oldest end that has ended is forgotten first. */
export const IMPORTS_KEPT = 100

/** Folders and labels of one source; a mailbox with more cannot be used either. */
export const IMPORT_FOLDERS_MAX = 2_000

/** UTF-16 units of the path of a folder or label, as JSON: each commit reads those of all folders. Names of labels may have megabytes. */
export const IMPORT_PATH_MAX_CHARS = 4_000

/** Failures that are listed; the others are counted. */
export const IMPORT_FAILURES_LISTED = 100

/** Options `folders` and `exclude_folders`. */
export const IMPORT_OPTION_FOLDERS = 500
export const IMPORT_FOLDER_NAME_CHARS = 1_000

/** Messages of one commit while nothing else is written, and beside other writes, which wait for it some milliseconds. */
export const IMPORT_BATCH_ALONE = 32
export const IMPORT_BATCH_BESIDE = 3
/** Milliseconds after the last write of others for which an import is beside them: their pauses are shorter. */
export const IMPORT_ALONE_MS = 2_000
/** Octets of one commit. */
export const IMPORT_BATCH_BYTES = 1_048_576

/** Beside others an import waits so many times as long as its last commit took: it takes a quarter of the writer's time. */
export const IMPORT_WAIT_FACTOR = 3
/** At most so many milliseconds: what took longer waited for others already, and an import must go on where they never end. */
export const IMPORT_WAIT_MAX_MS = 300

/** Messages without search index whose texts may wait in memory, some 16 kB each; and turns of the event loop after which that counts no more. */
export const IMPORT_UNINDEXED_MAX = 100
export const IMPORT_UNINDEXED_TURNS = 200

/** Items that are only counted, such as skipped ones, cost nothing: a commit for each would. */
export const IMPORT_BATCH_COUNTED = 1_000

/** Messages that an undo deletes in one commit. */
export const IMPORT_UNDO_BATCH = 8

/** Rows of the index of message identities that are made in one commit for mail that was there before. */
export const IDENTITY_SLICE = 200

/** Candidates with the same Message-ID that are read and compared for one message; each is read once ever. */
export const IDENTITY_COMPARED_MAX = 50

export const IMPORT_CONCURRENCY = 2
/**
 * Milliseconds after which an import gives its place to one that waits: to go on it connects anew, or reads a compressed file from its beginning.
 * And those after which it does so in the middle of a message, or of anything else that a slow source draws out.
 */
export const IMPORT_TURN_MS = 180_000
export const IMPORT_TURN_MAX_MS = 600_000
export const IMPORT_LEASE_MS = 60_000
export const IMPORT_SWEEP_MS = 60_000
export const IMPORT_BUSY_MS = 5_000

/** A source that cannot be reached is tried again after these times, counted without progress; then the import has failed. */
export const IMPORT_RETRY_MS: readonly number[] = [5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000]

/** A source that throttles and does not say for how long. Gmail's limits last up to a day. */
export const IMPORT_THROTTLE_MS = 3_600_000

/** Decision D12: a full mailbox is looked at every hour for 14 days. */
export const IMPORT_QUOTA_MS = 3_600_000
export const IMPORT_QUOTA_MAX_MS = 14 * 86_400_000

/** Octets of a message; Gmail takes 50 MB. */
export const IMPORT_MESSAGE_MAX_BYTES = 78_643_200

/** Octets that are read from a file at a time. */
export const IMPORT_READ_BYTES = 262_144

/** Entries of a zip. Takeout makes a few files per label. */
export const IMPORT_ZIP_MAX_ENTRIES = 100_000

/** Promise P5: text compresses to a tenth, a bomb to a thousandth. */
export const IMPORT_MAX_RATIO = 100
/** Octets from which a ratio is judged: a few blank lines compress well. */
export const IMPORT_RATIO_FROM_BYTES = 10_485_760
/** Octets of all files of a zip, unpacked. */
export const IMPORT_UNPACKED_MAX_BYTES = 53_687_091_200

/** Parts of a multipart upload to S3: at least 5 MiB, at most 10,000 of them. */
export const IMPORT_PART_BYTES = 8_388_608

/** Uploads at a time, of all and of one mailbox: others have room while its client sends slowly. To S3, each has a part in memory. */
export const IMPORT_UPLOADS_MAX = 16
export const IMPORT_UPLOADS_PER_MAILBOX_MAX = 4

/** Milliseconds between two looks for staged files that may be deleted. */
export const IMPORT_STAGED_SWEEP_MS = 3_600_000

/** Octets whose lines are changed at once: ten milliseconds where each line is empty. */
export const LINES_TURN_BYTES = 262_144

/** Octets of passing messages after which young objects are looked through: each message is there in some six copies. */
export const PASSING_BYTES = 2_097_152
