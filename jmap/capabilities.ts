/** URNs of the capabilities (RFC 8620 9.4 registry), and ours. */
export const CORE = 'urn:ietf:params:jmap:core'
export const MAIL = 'urn:ietf:params:jmap:mail'
export const SUBMISSION = 'urn:ietf:params:jmap:submission'
/** What REST needs and JMAP lacks: organizations, domains, mailbox accounts, keys. */
export const SERVICE = 'urn:posthouse:params:jmap:service'
