/** Meetings at conferencing providers (decisions D23 and D32). */

/** Characters of a URL template: links with a room in it stay well below what browsers and mail programs take. */
export const MEETING_TEMPLATE_MAX_CHARS = 500
/** Characters of each of Zoom's credentials. Zoom's own have 22 to 32. */
export const ZOOM_CREDENTIAL_MAX_CHARS = 200
/** Random octets in the name of a room: nobody guesses it. */
export const MEETING_ROOM_BYTES = 15

/** Characters of a topic: Zoom takes 200. */
export const MEETING_TOPIC_MAX_CHARS = 200
/** Characters that are kept of why a provider refused. */
export const MEETING_NOTE_MAX_CHARS = 300

/** Milliseconds for one request to a provider, and octets of its answer: a page of 300 meetings has some 300 KB. */
export const ZOOM_REQUEST_MS = 15_000
export const ZOOM_ANSWER_MAX_BYTES = 2_097_152
/** Pages of 300 meetings that are searched for one whose answer was lost. */
export const ZOOM_LIST_PAGES = 10
export const ZOOM_LIST_PAGE = 300
/** Milliseconds before its end when a token is renewed: requests under way may take that long. */
export const ZOOM_TOKEN_MARGIN_MS = 60_000
/** Tokens that are kept, one for each Zoom account. */
export const ZOOM_TOKENS_KEPT = 1_000

/** Milliseconds between the attempts at a meeting; the sixteen hours of all are longer than most outages of a provider. */
export const MEETING_RETRY_MS: readonly number[] = [
  5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000,
]
/** Milliseconds: the longest wait that a provider may demand. Zoom's daily limits end within a day. */
export const MEETING_RETRY_MAX_MS = 86_400_000

/** The worker: meetings at a time, the lease of one, and the waits between looks (server/workers/meetings). */
export const MEETING_CONCURRENCY = 8
export const MEETING_LEASE_MS = 60_000
export const MEETING_SWEEP_MS = 60_000
export const MEETING_BUSY_MS = 1_000
