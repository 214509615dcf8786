/** Fetches the MTA-STS policy of a domain over HTTPS, with a verified certificate and without redirects (RFC 8461 3.3). */
import { STS_FETCH_MS, STS_POLICY_MAX_BYTES } from '../base/outbound-limits.ts'
import type { SafeFetch } from './safe-fetch.ts'

/** @returns the text of a domain's policy; null: it cannot be fetched */
export function createPolicyFetcher(fetch: SafeFetch): (domain: string) => Promise<string | null> {
  return async (domain) => {
    const address = `https://mta-sts.${domain}/.well-known/mta-sts.txt`
    const request = { timeoutMs: STS_FETCH_MS, maxBytes: STS_POLICY_MAX_BYTES, redirects: 0 }
    const response = await fetch(address, request).catch(() => null)
    const type = response?.headers['content-type'] ?? ''
    if (response?.status !== 200 || !/^text\/plain\s*(;|$)/i.test(type)) return null
    return response.body.toString('utf8')
  }
}
