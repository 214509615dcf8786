/** RFC 9404 3.1: what an account says of urn:ietf:params:jmap:blob. */
import { BLOB_MAX_DATA_SOURCES } from '../../../server/base/limits.ts'
import type { Limits } from '../../limits.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { DIGESTS } from './get.ts'
import { LOOKUP_TYPES } from './lookup.ts'

export function blobCapability(limits: Limits): JsonObject {
  return {
    maxSizeBlobSet: limits.maxSizeUpload,
    maxDataSources: BLOB_MAX_DATA_SOURCES,
    supportedTypeNames: LOOKUP_TYPES.map(({ type }) => type.name),
    supportedDigestAlgorithms: Object.keys(DIGESTS),
  }
}
