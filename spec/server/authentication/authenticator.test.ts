import t from 'tap'
import type { Credential } from '../../../jmap/directory/authentication.ts'
import type { StateChange } from '../../../jmap/push/state-changes.ts'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import { Authenticator } from '../../../server/authentication/authenticator.ts'
import { LoginAttempts } from '../../../server/authentication/login-attempts.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { TokenBuckets } from '../../../server/base/http/token-buckets.ts'
import { GUESS_ACCOUNTS_MAX, GUESS_PLACES_MAX, KNOWN_PLACES_MAX } from '../../../server/base/login-limits.ts'
import type { Principal } from '../../../server/base/principal.ts'
import { ALICE } from '../../support/memory-core.ts'

const REGISTRY = createStandardRegistry()

/** Knows one password and one key, until they are revoked. */
class Directory {
  asked = 0
  password: string | null = 'right'
  key: string | null = 'sk_right'
  #listener: (change: StateChange) => void = () => {}

  async authenticate(credential: Credential): Promise<Principal | null> {
    this.asked++
    const given = credential.kind === 'password' ? credential.password : credential.token
    return given === (credential.kind === 'bearer' ? this.key : this.password) ? ALICE : null
  }

  onStateChange(listener: (change: StateChange) => void): () => void {
    this.#listener = listener
    return () => {}
  }

  notify(type: string): void {
    const invalidatesCredentials = REGISTRY.invalidating.credentials.includes(type)
    this.#listener({ account: 1, accountId: 'org_1', changed: { [type]: '2' }, invalidatesCredentials })
  }
}

function password(text: string, ip = '192.0.2.1', address = 'alice@posthouse.test', device?: string): Credential {
  return { kind: 'password', address, password: text, ip, ...(device !== undefined && { device }) }
}

function bearer(token: string, ip = '192.0.2.1'): Credential {
  return { kind: 'bearer', token, ip }
}

function start(failuresPerMinute = 20) {
  const clock = new ManualClock()
  const directory = new Directory()
  return { clock, directory, authenticator: new Authenticator(directory, clock, failuresPerMinute) }
}

t.test('a valid password is not checked again within a second', async (t) => {
  const { clock, directory, authenticator } = start()
  t.equal(await authenticator.authenticate(password('right')), ALICE)
  clock.advance(999)
  t.equal(await authenticator.authenticate(password('right')), ALICE)
  t.equal(directory.asked, 1)
  clock.advance(1)
  await authenticator.authenticate(password('right'))
  t.equal(directory.asked, 2)
})

t.test('simultaneous requests share one check', async (t) => {
  const { directory, authenticator } = start()
  await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(password('right'))))
  t.equal(directory.asked, 1)
})

t.test('a credential that another node revoked works no longer than a second', async (t) => {
  const { clock, directory, authenticator } = start()
  await authenticator.authenticate(password('right'))
  directory.password = null
  clock.advance(1_000)
  t.equal(await authenticator.authenticate(password('right')), null)
})

t.test('a credential that this node revoked stops working at once', async (t) => {
  const { directory, authenticator } = start()
  for (const type of ['ApiKey', 'MailAccount']) {
    directory.key = 'sk_right'
    t.equal(await authenticator.authenticate(bearer('sk_right')), ALICE)
    directory.key = null
    t.equal(await authenticator.authenticate(bearer('sk_right')), ALICE, 'it is remembered')
    directory.notify('Email')
    t.equal(await authenticator.authenticate(bearer('sk_right')), ALICE, 'mail changes no credential')
    directory.notify(type)
    t.equal(await authenticator.authenticate(bearer('sk_right')), null, type)
  }
})

t.test('a wrong credential is checked again', async (t) => {
  const { directory, authenticator } = start()
  directory.password = 'other'
  t.equal(await authenticator.authenticate(password('right')), null)
  directory.password = 'right'
  t.equal(await authenticator.authenticate(password('right')), ALICE)
})

t.test('a cached result is valid for one address only', async (t) => {
  const { directory, authenticator } = start()
  await authenticator.authenticate(bearer('sk_right', '192.0.2.1'))
  await authenticator.authenticate(bearer('sk_right', '192.0.2.2'))
  t.equal(directory.asked, 2)
})

t.test('the eleventh guess of a password is not checked, right or wrong', async (t) => {
  const { clock, directory, authenticator } = start()
  for (let i = 0; i < 10; i++) await authenticator.authenticate(password(`wrong ${i}`))
  t.equal(directory.asked, 10)
  t.equal(await authenticator.authenticate(password('right')), null)
  t.equal(directory.asked, 10)
  const seconds = authenticator.secondsToWait(password('right'))
  t.ok(seconds > 0)
  clock.advance(seconds * 1000)
  t.equal(await authenticator.authenticate(password('right')), ALICE)
})

t.test('simultaneous guesses do not bypass the limit', async (t) => {
  const { directory, authenticator } = start()
  await Promise.all(Array.from({ length: 100 }, (_, i) => authenticator.authenticate(password(`wrong ${i}`))))
  t.equal(directory.asked, 10)
})

t.test('other users are not locked out by one who guesses', async (t) => {
  const { authenticator } = start(100)
  for (let i = 0; i < 20; i++) await authenticator.authenticate(password(`wrong ${i}`))
  t.equal(await authenticator.authenticate(password('right', '198.51.100.7')), ALICE, 'from another address')
  t.ok(authenticator.secondsToWait(password('right')) > 0)
  t.equal(authenticator.secondsToWait(password('right', '192.0.2.1', 'bob@posthouse.test')), 0, 'another mailbox')
})

t.test('a client that fails with many addresses is limited as a whole', async (t) => {
  const { directory, authenticator } = start(20)
  for (let i = 0; i < 30; i++)
    await authenticator.authenticate(password('wrong', '192.0.2.1', `user${i}@posthouse.test`))
  t.equal(directory.asked, 20)
  t.equal(await authenticator.authenticate(bearer('sk_right')), ALICE, 'a key cannot be guessed and always counts')
})

t.test('simultaneous failures with many addresses do not bypass the limit', async (t) => {
  const { directory, authenticator } = start(20)
  const address = (i: number) => `user${i}@posthouse.test`
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => authenticator.authenticate(password('wrong', '192.0.2.1', address(i)))),
  )
  t.equal(directory.asked, 20)
})

t.test('an IPv6 network of one host counts as one client', async (t) => {
  const { directory, authenticator } = start(20)
  for (let i = 0; i < 30; i++)
    await authenticator.authenticate(password('wrong', `2001:db8::${i.toString(16)}`, `user${i}@posthouse.test`))
  t.equal(directory.asked, 20)
})

t.test('failed keys report when there were too many', async (t) => {
  const { authenticator } = start(20)
  for (let i = 0; i < 19; i++) await authenticator.authenticate(bearer(`sk_${i}`))
  t.equal(authenticator.secondsToWait(bearer('sk_')), 0)
  await authenticator.authenticate(bearer('sk_last'))
  t.ok(authenticator.secondsToWait(bearer('sk_')) > 0)
  t.equal(await authenticator.authenticate(password('right')), ALICE, 'people behind the same address get in')
})

t.test('an error of the store is not cached', async (t) => {
  const { directory, authenticator } = start()
  const { authenticate } = directory
  directory.authenticate = async () => {
    throw new Error('the store is away')
  }
  await t.rejects(authenticator.authenticate(password('right')))
  directory.authenticate = authenticate
  t.equal(await authenticator.authenticate(password('right')), ALICE)
})

t.test('credentials of excessive length are not checked', async (t) => {
  const { directory, authenticator } = start()
  t.equal(await authenticator.authenticate(password('x'.repeat(2_000))), null)
  t.equal(await authenticator.authenticate(bearer('x'.repeat(2_000))), null)
  t.equal(directory.asked, 0)
})

t.test('within any quarter of an hour one client has at most ten guesses at one account (promise A3)', async (t) => {
  const { clock, directory, authenticator } = start(0)
  const looks: number[] = []
  for (let second = 0; second < 4 * 3_600; second += 20) {
    const before = directory.asked
    await authenticator.authenticate(password(`wrong ${second}`))
    if (directory.asked > before) looks.push(second)
    clock.advance(20_000)
  }
  const most = Math.max(...looks.map((from) => looks.filter((at) => at >= from && at < from + 900).length))
  t.equal(most, 10)
  t.ok(looks.length > 60, `control: it may go on later: ${looks.length}`)
})

t.test(
  'within any hour a thousand clients have at most a hundred guesses; a known client can still log in',
  async (t) => {
    const { clock, directory, authenticator } = start(20)
    const home = '198.51.100.7'
    t.equal(await authenticator.authenticate(password('right', home)), ALICE)
    const before = directory.asked
    for (let i = 0; i < 10_000; i++) {
      const ip = `10.${i % 10}.${Math.floor(i / 10) % 100}.1`
      await authenticator.authenticate(password(`wrong ${i}`, ip))
      if (i % 5 === 0) clock.advance(1_000)
    }
    t.equal(directory.asked - before, 100)
    t.equal(
      await authenticator.authenticate(password('right', '203.0.113.9')),
      null,
      'from anywhere else not even the right one',
    )
    t.equal(await authenticator.authenticate(password('right', home)), ALICE, 'from home it does')
    t.equal(
      await authenticator.authenticate(password('right', '203.0.113.9', 'bob@posthouse.test')),
      ALICE,
      'others do',
    )
    clock.advance(3_600_000)
    t.equal(await authenticator.authenticate(password('right', '203.0.113.9')), ALICE, 'an hour of quiet later')
  },
)

t.test('of 10,000 guesses from one address ten in a quarter of an hour are checked, as from one /64', async (t) => {
  for (const ip of [
    () => '192.0.2.1',
    (i: number) => `2001:db8:0:1:${(i >> 8).toString(16)}::${(i & 255).toString(16)}`,
  ]) {
    const { clock, directory, authenticator } = start(0)
    for (let i = 0; i < 10_000; i++) {
      await authenticator.authenticate(password(`wrong ${i}`, ip(i)))
      if (i % 20 === 19) clock.advance(1_000)
    }
    t.equal(directory.asked, 10, '500 seconds')
    t.equal(await authenticator.authenticate(password('right', '198.51.100.7')), ALICE, 'control: others get in')
  }
})

t.test('guesses behind the same address do not lock out a device that logged in before', async (t) => {
  const { clock, directory, authenticator } = start()
  const from = (device: string, text = 'right') => password(text, '192.0.2.1', 'alice@posthouse.test', device)
  t.equal(await authenticator.authenticate(from('phone')), ALICE)
  clock.advance(2_000)
  for (let i = 0; i < 30; i++) await authenticator.authenticate(from(i % 2 === 0 ? 'other' : 'phone', `wrong ${i}`))
  t.equal(directory.asked, 11)
  t.equal(await authenticator.authenticate(from('phone')), ALICE)
  clock.advance(2_000)
  t.equal(await authenticator.authenticate(from('new')), null, 'control: another device is locked out')
  t.equal(await authenticator.authenticate(from('phone')), ALICE, 'and again')
  t.ok(authenticator.secondsToWait(from('new')) > 0, 'the guesses still count')
  t.equal(await authenticator.authenticate(bearer('sk_right')), ALICE, 'keys are never locked out')
})

t.test('a password that was changed does not pass for a known device', async (t) => {
  const { clock, directory, authenticator } = start()
  await authenticator.authenticate(password('right'))
  directory.password = 'changed'
  clock.advance(2_000)
  t.equal(await authenticator.authenticate(password('right')), null)
})

t.test('at most a hundred refused logins in a quarter of an hour are compared with known devices', async (t) => {
  const { clock, directory, authenticator } = start(0)
  await authenticator.authenticate(password('right'))
  clock.advance(2_000)
  for (let i = 0; i < 109; i++) await authenticator.authenticate(password(`wrong ${i}`))
  t.equal(directory.asked, 11)
  t.equal(await authenticator.authenticate(password('right')), ALICE)
  clock.advance(2_000)
  await authenticator.authenticate(password('wrong'))
  t.equal(await authenticator.authenticate(password('right')), null)
  t.equal(directory.asked, 12)
  clock.advance(15 * 60_000)
  t.equal(await authenticator.authenticate(password('right')), ALICE)
})

t.test('a known client has ten guesses like any other', async (t) => {
  const { directory, authenticator } = start(0)
  await authenticator.authenticate(password('right'))
  const before = directory.asked
  for (let i = 0; i < 50; i++) await authenticator.authenticate(password(`wrong ${i}`))
  t.equal(directory.asked - before, 10)
})

t.test('other spellings of an address give no further guesses', async (t) => {
  const { directory, authenticator } = start(0)
  const spellings = [
    'alice@b\u00fccher.test',
    'ALICE@xn--bcher-kva.test',
    'Alice@B\u00dcCHER.test.',
    'alice@\uff42\u00fccher.test',
  ]
  for (let i = 0; i < 40; i++) await authenticator.authenticate(password(`wrong ${i}`, '192.0.2.1', spellings[i % 4]))
  t.equal(directory.asked, 10)
})

t.test('the memory for clients is bounded, for any number of them', async (t) => {
  const sizes = [GUESS_PLACES_MAX, GUESS_ACCOUNTS_MAX, KNOWN_PLACES_MAX, KNOWN_PLACES_MAX, KNOWN_PLACES_MAX]
  const tables = sizes.reduce((sum, entries) => sum + new LoginAttempts(new ManualClock(), 900, entries).bytes, 0)
  const buckets = new TokenBuckets(new ManualClock(), 20, 20)
  for (let i = 0; i < 150_000; i++) buckets.take(`password 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  t.ok(buckets.size <= 100_000, `${buckets.size} clients`)
  // A name of some 24 characters, an object of two numbers, and an entry in the Map.
  const bytes = tables + buckets.size * 200
  t.ok(bytes <= 50_000_000, `${bytes} octets`)
})

t.test('guesses from a million clients take no more memory, and accounts with many guesses stay counted', async (t) => {
  const clock = new ManualClock()
  const table = new LoginAttempts(clock, 900, GUESS_PLACES_MAX)
  const bytes = table.bytes
  for (let i = 0; i < 10; i++) table.add('the target')
  for (let i = 0; i < 1_000_000; i++) table.add(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255} somebody`)
  t.equal(table.bytes, bytes)
  t.ok(bytes <= 50_000_000, `${bytes} octets`)
  t.equal(table.count('the target'), 10)
  clock.advance(900_000)
  t.equal(table.count('the target'), 0)
})
