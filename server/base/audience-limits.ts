/** Audiences and their subscribers (decision D18). */

/** Audiences of one organization. An address may be in all of them, and one unit of work moves it in all of them. */
export const AUDIENCES_MAX = 1_000
export const AUDIENCE_NAME_MAX_CHARS = 200
export const AUDIENCE_DESCRIPTION_MAX_CHARS = 1_000
export const CONSENT_SOURCE_MAX_CHARS = 500

/** Subscribers with the status `subscribed` of one audience (spec/contract.tsv, Other constants). */
export const SUBSCRIBED_MAX = 10_000
/** Rows of one call of Subscriber/add. */
export const SUBSCRIBERS_PER_CALL_MAX = 1_000
export const SUBSCRIBER_NAME_MAX_CHARS = 200

/** Entries of `mergeFields`, after the merge of a repeated add. */
export const MERGE_FIELDS_MAX = 50
export const MERGE_FIELD_NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_]{0,63}$'
export const MERGE_FIELD_MAX_CHARS = 1_000
