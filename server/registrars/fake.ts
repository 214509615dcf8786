/** Registers nothing: for trials of integrators in dev mode (decision D31). Names that begin with `taken` or `broken` fail. */
import type { HeldRecord } from '../../jmap/type/dns-provider-port.ts'
import type { OwnedDomain, Registrar } from '../../jmap/type/registrar-port.ts'
import type { Clock } from '../base/clock.ts'
import { REGISTRATION_YEARS_MAX } from '../base/registration-limits.ts'
import { ENDINGS } from './endings.ts'
import { fakeZone } from './fake-zone.ts'

const YEAR_MS = 31_536_000_000
const PRICES = { purchasePrice: '11.08', renewalPrice: '12.50', currency: 'USD' } as const

const done = async <T>(value: T) => ({ kind: 'done', value }) as const

export function createFakeRegistrar(clock: Clock): Registrar {
  const owned = new Map<string, OwnedDomain>()
  const zones = new Map<string, HeldRecord[]>()
  const isFree = (name: string) => !name.startsWith('taken') && !owned.has(name)
  const expiryOf = (name: string) => owned.get(name)?.expiresAt ?? clock.now() + YEAR_MS
  return {
    label: 'fake',
    isFake: true,
    yearsMax: REGISTRATION_YEARS_MAX,
    endings: ENDINGS,
    offers: (names) =>
      done(
        names.map((name) => {
          const isAvailable = isFree(name)
          const { currency } = PRICES
          return isAvailable
            ? { name, isAvailable, ...PRICES }
            : { name, isAvailable, purchasePrice: null, renewalPrice: null, currency }
        }),
      ),
    renewalPrice: () => done({ price: PRICES.renewalPrice, currency: PRICES.currency }),
    // It forgets at its end what it has registered; then it says what it would have.
    find: (name) => done(name.startsWith('broken') ? null : { registeredAt: null, expiresAt: expiryOf(name) }),
    async register({ name }) {
      if (name.startsWith('broken')) return { kind: 'refused', reason: 'the registry refused the name' }
      owned.set(name, { registeredAt: clock.now(), expiresAt: clock.now() + YEAR_MS })
      return { kind: 'done', value: null }
    },
    renew({ name, years }) {
      owned.set(name, { registeredAt: null, expiresAt: expiryOf(name) + years * YEAR_MS })
      return done(null)
    },
    settle: () => done(null),
    setNameServers: () => done(null),
    zone: (name) => fakeZone(zones, name),
  }
}
