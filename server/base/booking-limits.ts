/** Availability and booking pages (decisions D22, D23, D32). */

/** Minutes of a slot and between two candidates. */
export const SLOT_MIN_MINUTES = 5
export const SLOT_MAX_MINUTES = 1_440
export const SLOT_DEFAULT_MINUTES = 30
/** Minutes from midnight. */
export const WINDOW_DEFAULT_START = 540
export const WINDOW_DEFAULT_END = 1_020
export const WINDOW_MAX = 1_440
/** Monday to Friday; 0 is Sunday. */
export const WORKING_DAYS: readonly number[] = [1, 2, 3, 4, 5]
export const BUFFER_MAX_MINUTES = 240
/** Of availability: 30 days. */
export const NOTICE_MAX_MINUTES = 43_200
/** Days that one call of REST or of a public page covers, and that one call inside of the server covers. */
export const AVAILABILITY_MAX_DAYS = 62
export const AVAILABILITY_INTERNAL_MAX_DAYS = 366

/** Pages of one organization. They are read together: a public page finds its record by the slug. */
export const BOOKING_PAGES_MAX = 500
export const BOOKING_PAGE_DURATION_MAX = 480
export const BOOKING_PAGE_NOTICE_DEFAULT = 120
export const BOOKING_PAGE_ADVANCE_DEFAULT = 60
export const BOOKING_PAGE_ADVANCE_MAX = 730
export const BOOKING_PAGE_NAME_MAX_CHARS = 200
export const BOOKING_PAGE_DESCRIPTION_MAX_CHARS = 2_000
/** Sites that may embed one page. They are all named in a header field. */
export const EMBED_ORIGINS_MAX = 20
