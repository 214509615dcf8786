/** MTA-STS (RFC 8461): the policy of a domain that mail to it goes over verified TLS, to hosts that it names. */
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { STS_MAX_AGE_MS, STS_POLICIES_MAX, STS_RETRY_MS } from '../../server/base/outbound-limits.ts'
import type { DnsResolver } from '../dns/resolver.ts'

export interface StsPolicy {
  readonly mode: 'enforce' | 'testing' | 'none'
  /** Host names, or `*.` and a domain. */
  readonly mx: readonly string[]
  /** Milliseconds. */
  readonly maxAge: number
}

/** RFC 8461 3.2; null for what is no policy. */
export function parseStsPolicy(text: string): StsPolicy | null {
  const values = new Map<string, string[]>()
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const match = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,31})[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line)
    if (!match) return null
    values.set(match[1]!, [...(values.get(match[1]!) ?? []), match[2]!])
  }
  // RFC 8461 3.2: of several values of one name, but for mx, the first counts.
  const [version] = values.get('version') ?? []
  const [mode] = values.get('mode') ?? []
  const [age = ''] = values.get('max_age') ?? []
  const mx = (values.get('mx') ?? []).map((name) => name.toLowerCase())
  if (version !== 'STSv1' || !/^[0-9]{1,10}$/.test(age)) return null
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null
  if (mode !== 'none' && mx.length === 0) return null
  return { mode, mx, maxAge: Math.min(Number(age) * 1_000, STS_MAX_AGE_MS) }
}

/** RFC 8461 4.1: a wildcard stands for one label. */
export function allowsHost({ mx }: StsPolicy, host: string): boolean {
  const name = host.toLowerCase()
  return mx.some((pattern) =>
    pattern.startsWith('*.')
      ? name.slice(name.indexOf('.') + 1) === pattern.slice(2) && name.includes('.')
      : name === pattern,
  )
}

/** RFC 8461 3.1; null: the domain has no record, or none that counts. */
export function readStsRecord(records: readonly string[]): string | null {
  const own = records.filter((record) => /^v=STSv1[ \t]*;/.test(record))
  const id = own.length === 1 ? /;[ \t]*id[ \t]*=[ \t]*([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/.exec(own[0]!) : null
  return id?.[1] ?? null
}

interface Known {
  readonly policy: StsPolicy
  readonly id: string
  /** Epoch ms. */
  readonly until: number
}

export interface StsOptions {
  readonly dns: DnsResolver
  /** The text of the policy file over HTTPS with a verified certificate (RFC 8461 3.3); null: not to be had. */
  readonly fetchPolicy: (domain: string) => Promise<string | null>
  /** What was fetched before, by an earlier process or on another node. */
  readonly kept: Core['transportPolicies']
  readonly clock: Clock
}

/** What is known of the policies of domains, for as long as they say themselves. */
export class StsPolicies {
  readonly #options: StsOptions
  readonly #known = new Map<string, Known>()
  /** Domains without a policy that is kept, until that is looked up again. */
  readonly #without = new Map<string, number>()
  /** Domains whose policy could not be had, until they are asked again (RFC 8461 3.3). */
  readonly #failed = new Map<string, number>()

  constructor(options: StsOptions) {
    this.#options = options
  }

  /** null: the domain has none that is to be kept. Rejects when what is kept cannot be looked up: it may well be one. */
  async find(domain: string): Promise<StsPolicy | null> {
    const { dns, clock } = this.#options
    const now = clock.now()
    const known = await this.#recall(domain, now)
    const answer = await dns.txt(`_mta-sts.${domain}`)
    const id = answer.status === 'found' ? readStsRecord(answer.records) : null
    // RFC 8461 5.1: whoever takes the record away, or cuts it off, does not end a policy that is known.
    if (id === null) return known?.policy ?? null
    // One that is used is fetched again before it runs out, so that nobody can wait for a while without.
    const isFresh = known !== null && known.until - now > known.policy.maxAge / 2
    if ((id === known?.id && isFresh) || (this.#failed.get(domain) ?? 0) > now) return known?.policy ?? null
    return (await this.#fetch(domain, id, now)) ?? known?.policy ?? null
  }

  async #recall(domain: string, now: number): Promise<Known | null> {
    const known = this.#known.get(domain)
    if (known && known.until > now) return known
    if ((this.#without.get(domain) ?? 0) > now) return null
    const kept = await this.#options.kept.find(domain)
    const policy = kept && kept.until > now ? parseStsPolicy(kept.text) : null
    if (!kept || !policy) {
      remember(this.#without, domain, now + STS_RETRY_MS)
      return null
    }
    const found = { policy, id: kept.id, until: kept.until }
    remember(this.#known, domain, found)
    return found
  }

  async #fetch(domain: string, id: string, now: number): Promise<StsPolicy | null> {
    const text = await this.#options.fetchPolicy(domain).catch(() => null)
    const policy = text === null ? null : parseStsPolicy(text)
    if (text === null || policy === null) {
      remember(this.#failed, domain, now + STS_RETRY_MS)
      return null
    }
    const until = now + policy.maxAge
    await this.#options.kept.keep(domain, { id, text, until })
    remember(this.#known, domain, { policy, id, until })
    return policy
  }
}

function remember<V>(map: Map<string, V>, domain: string, value: V): void {
  map.delete(domain)
  map.set(domain, value)
  for (const oldest of map.keys()) {
    if (map.size <= STS_POLICIES_MAX) break
    map.delete(oldest)
  }
}
