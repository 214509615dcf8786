/**
 * A resolver for one piece of work that somebody waits for: when a question has had no answer for so long, the resolver counts as silent,
 * and what is asked after that is not known at once. What is answered, however slowly one after the other, is not cut off.
 */
import type { Clock } from '../../server/base/clock.ts'
import type { DnsAnswer, DnsResolver } from './resolver.ts'

const UNANSWERED = { status: 'failed', reason: 'timeout' } as const

/** @param ms for one question */
export function withPatience(dns: DnsResolver, clock: Clock, ms: number): DnsResolver {
  let isSilent = false
  const ask = <T>(question: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> => {
    if (isSilent) return Promise.resolve(UNANSWERED)
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        isSilent = true
        resolve(UNANSWERED)
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
