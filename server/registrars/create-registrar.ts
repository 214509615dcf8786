/** The registrar of the configuration. */
import type { Registrar } from '../../jmap/type/registrar-port.ts'
import type { Clock } from '../base/clock.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { createDnsimple } from './dnsimple.ts'
import { createFakeRegistrar } from './fake.ts'
import { createPorkbun } from './porkbun.ts'

export interface RegistrarPlan {
  readonly kind: 'none' | 'fake' | 'porkbun' | 'dnsimple'
  /** Porkbun: the API key; DNSimple: the number of the account. */
  readonly account: string
  readonly key: string
  /** Stands for the API in dev mode; null: the registrar's own. */
  readonly base: string | null
}

/** null: domains are not sold here. */
export function createRegistrar(plan: RegistrarPlan, fetch: SafeFetch, clock: Clock): Registrar | null {
  const { kind, account, key, base } = plan
  switch (kind) {
    case 'none':
      return null
    case 'fake':
      return createFakeRegistrar(clock)
    case 'porkbun':
      return createPorkbun({ base, apiKey: account, secretKey: key, fetch, clock })
    case 'dnsimple':
      return createDnsimple({ base, account, token: key, fetch, clock })
  }
}
