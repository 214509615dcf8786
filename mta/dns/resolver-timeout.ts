/**
 * Wraps a resolver for one task, such as the check of one message. When a question gets no answer in time, the resolver counts as
 * unreachable: later questions of the task fail at once. Answers that come in time, however many, are not limited.
 */
import type { Clock } from '../../server/base/clock.ts'
import type { DnsAnswer, DnsResolver } from './resolver.ts'

const TIMEOUT = { status: 'failed', reason: 'timeout' } as const

/** @param ms for each question */
export function withResolverTimeout(dns: DnsResolver, clock: Clock, ms: number): DnsResolver {
  let isUnreachable = false
  const ask = <T>(question: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> => {
    if (isUnreachable) return Promise.resolve(TIMEOUT)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        isUnreachable = true
        resolve(TIMEOUT)
      }
      const cancel = clock.after(ms, giveUp)
      question()
        .then((answer) => {
          if (answer.status === 'failed' && answer.reason === 'timeout') giveUp()
          else resolve(answer)
        }, reject)
        .finally(cancel)
    })
  }
  return {
    mx: (name) => ask(() => dns.mx(name)),
    a: (name) => ask(() => dns.a(name)),
    aaaa: (name) => ask(() => dns.aaaa(name)),
    txt: (name) => ask(() => dns.txt(name)),
    tlsa: (name) => ask(() => dns.tlsa(name)),
    ptr: (address) => ask(() => dns.ptr(address)),
  }
}
