/** Fetches an image that a user names by its URL. What it is, is judged by who decodes it. */
import type { FetchImage } from '../../jmap/type/host-ports.ts'
import { errorMessage } from '../base/errors.ts'
import { IMAGE_FETCH_MAX_BYTES, IMAGE_FETCH_MS, IMAGE_FETCH_REDIRECTS } from '../base/image-limits.ts'
import type { EgressRequest, SafeFetch } from './safe-fetch.ts'

/** @param protocols allowed schemes; by default only https */
export function createImageFetcher(fetch: SafeFetch, protocols: EgressRequest['protocols'] = ['https:']): FetchImage {
  return async (url) => {
    try {
      const { status, body } = await fetch(url, {
        headers: { accept: 'image/webp,image/png,image/jpeg,image/gif' },
        protocols,
        redirects: IMAGE_FETCH_REDIRECTS,
        timeoutMs: IMAGE_FETCH_MS,
        maxBytes: IMAGE_FETCH_MAX_BYTES,
      })
      return status === 200 ? { bytes: body } : { fault: `its server answered ${status}` }
    } catch (error) {
      return { fault: errorMessage(error) }
    }
  }
}
