/** Capabilities that several rooms share. The capability of a single type is declared beside the type. */

import { URL_TOKEN_SECONDS } from '../../server/base/login-limits.ts'
import type { Capability } from './capability.ts'
import { COLLATIONS } from './methods/query.ts'

/** RFC 8620 2 */
export const CORE: Capability = {
  urn: 'urn:ietf:params:jmap:core',
  accounts: null,
  server: ({ services: { limits } }) => ({
    maxSizeUpload: limits.maxSizeUpload,
    maxConcurrentUpload: limits.maxConcurrentUpload,
    maxSizeRequest: limits.maxSizeRequest,
    maxConcurrentRequests: limits.maxConcurrentRequests,
    maxCallsInRequest: limits.maxCallsInRequest,
    maxObjectsInGet: limits.maxObjectsInGet,
    maxObjectsInSet: limits.maxObjectsInSet,
    collationAlgorithms: [...COLLATIONS],
  }),
}

/** RFC 8621 1.3 */
export const MAIL: Capability = { urn: 'urn:ietf:params:jmap:mail', accounts: 'mailbox' }

/** RFC 8621 1.3 */
export const SUBMISSION: Capability = { urn: 'urn:ietf:params:jmap:submission', accounts: 'mailbox' }

/** RFC 8887 3 */
export const WEBSOCKET: Capability = {
  urn: 'urn:ietf:params:jmap:websocket',
  accounts: null,
  server: ({ baseUrl }) => ({ url: `${baseUrl.replace(/^http/, 'ws')}/jmap/ws`, supportsPush: true }),
}

/** RFC 9749 3 */
export const WEBPUSH_VAPID: Capability = {
  urn: 'urn:ietf:params:jmap:webpush-vapid',
  accounts: null,
  server: ({ services }) => ({ applicationServerKey: services.vapidKeys.publicKey }),
}

/** Vendor: what REST needs and JMAP does not have. */
export const SERVICE: Capability = {
  urn: 'urn:posthouse:params:jmap:service',
  accounts: 'organization',
  /** Seconds that the tokens in downloadUrl and eventSourceUrl live from when the session was fetched. */
  server: () => ({ urlTokenSeconds: { ...URL_TOKEN_SECONDS } }),
}
