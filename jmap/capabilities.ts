/** URNs of the capabilities (RFC 8620 2, the registry of IANA), and ours. */
export const CORE = 'urn:ietf:params:jmap:core'
export const MAIL = 'urn:ietf:params:jmap:mail'
export const SUBMISSION = 'urn:ietf:params:jmap:submission'
/** RFC 8621 1.3 */
export const VACATION_RESPONSE = 'urn:ietf:params:jmap:vacationresponse'
/** RFC 9661 */
export const SIEVE = 'urn:ietf:params:jmap:sieve'
/** RFC 9404 */
export const BLOB = 'urn:ietf:params:jmap:blob'
/** RFC 9425 */
export const QUOTA = 'urn:ietf:params:jmap:quota'
/** RFC 8887 */
export const WEBSOCKET = 'urn:ietf:params:jmap:websocket'
/** RFC 9749 */
export const WEBPUSH_VAPID = 'urn:ietf:params:jmap:webpush-vapid'
/** What REST needs and JMAP lacks: organizations, domains, mailbox accounts, keys. */
export const SERVICE = 'urn:posthouse:params:jmap:service'
