import { BLOB_MAX_DATA_SOURCES } from '../../../server/base/limits.ts'
import type { Capability } from '../../type/capability.ts'
import { DIGESTS } from './digests.ts'

/** RFC 9404 3.1 */
export const BLOB: Capability = {
  urn: 'urn:ietf:params:jmap:blob',
  accounts: 'mailbox',
  account: ({ services: { limits }, blobTypes }) => ({
    maxSizeBlobSet: limits.maxSizeUpload,
    maxDataSources: BLOB_MAX_DATA_SOURCES,
    supportedTypeNames: blobTypes.map(({ name }) => name),
    supportedDigestAlgorithms: Object.keys(DIGESTS),
  }),
}
