/** The DNS interface of mailauth: records are values, failures are errors with the codes of node:dns. */
import type { DnsAnswer, DnsResolver } from '../../../dns/resolver.ts'

export type Lookup = (name: string, type: string) => Promise<string[][] | string[]>

/** The answer to one lookup as plain data, which can cross to another thread. */
export type LookupAnswer = { readonly records: unknown[] } | { readonly code: string }

const CODES = {
  nxdomain: 'ENOTFOUND',
  nodata: 'ENODATA',
  servfail: 'ESERVFAIL',
  timeout: 'ETIMEOUT',
  other: 'EREFUSED',
}

export async function answerLookup(dns: DnsResolver, name: string, type: string): Promise<LookupAnswer> {
  switch (type) {
    case 'TXT':
      return plain(await dns.txt(name), (text) => [text])
    case 'A':
      return plain(await dns.a(name))
    case 'AAAA':
      return plain(await dns.aaaa(name))
    case 'MX':
      return plain(await dns.mx(name), ({ preference, exchange }) => ({ priority: preference, exchange }))
    case 'PTR':
      return plain(await dns.ptr(name))
    default:
      return { code: CODES.nodata }
  }
}

export function createLookup(ask: (name: string, type: string) => Promise<LookupAnswer>): Lookup {
  return async (name, type) => {
    const answer = await ask(name, type)
    if ('code' in answer) throw lookupError(answer.code, name)
    // The type of mailauth has no MX records.
    return answer.records as string[][]
  }
}

/** Missing records are frequent, and a stack trace takes longer than the lookup: the error has none. */
function lookupError(code: string, name: string): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = Object.assign(new Error(`${code} ${name}`), { code })
  Error.stackTraceLimit = stackTraceLimit
  return error
}

function plain<T>(answer: DnsAnswer<T>, form: (record: T) => unknown = (record) => record): LookupAnswer {
  if (answer.status === 'found') return { records: answer.records.map(form) }
  return { code: CODES[answer.status === 'failed' ? answer.reason : answer.status] }
}
