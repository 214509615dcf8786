/** The DNS as mailauth asks for it: records as values, failures as errors with the codes of node:dns. */
import type { DnsAnswer, DnsResolver } from '../../../dns/resolver.ts'

export type Lookup = (name: string, type: string) => Promise<string[][] | string[]>

/** What is asked in one call, so that it may cross to another thread. */
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
    // mailauth's type knows no MX.
    return answer.records as string[][]
  }
}

/** Most names have not all records: where in the program that was found out is of no use, and takes longer than the question. */
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
