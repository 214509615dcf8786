/** RFC 5228 2.7, 5; RFC 5231, 5233, 5235, 5183, 5490, 8579: tests, their matching and their input. */
import t from 'tap'
import { holds, MESSAGE, refusal, run, type Surroundings } from './scripts.ts'

const check = (
  name: string,
  requires: string,
  right: readonly string[],
  wrong: readonly string[],
  more?: Surroundings,
) =>
  t.test(name, async (t) => {
    for (const test of right) t.ok(holds(requires, test, more), test)
    for (const test of wrong) t.notOk(holds(requires, test, more), test)
  })

check(
  'header looks at each field of each name, decoded and without blanks around it (RFC 5228 5.7)',
  '',
  [
    'header "subject" "Café report"',
    'header :contains ["to", "SUBJECT"] "RePort"',
    'header "x-empty" ""',
    'header :is "x-empty" ["a", ""]',
    'header :contains "x-number" ""',
  ],
  ['header "subject" "café"', 'header :contains "x-missing" ""', 'header "subject:" "Café report"'],
)

check(
  ':matches has * for any text and ? for one character; a backslash makes them themselves (RFC 5228 2.7.1)',
  '',
  [
    'header :matches "subject" "*"',
    'header :matches "subject" "Caf? r*t"',
    'header :matches "subject" "*rep*"',
    'header :matches "subject" "**port"',
    'header :matches "subject" "???? ??????"',
    'header :matches "x-empty" "*"',
  ],
  [
    'header :matches "subject" "Caf?"',
    'header :matches "subject" "*rep"',
    'header :matches "subject" "rep*"',
    String.raw`header :matches "subject" "Caf\\? report"`,
    'header :matches "subject" "????? ??????"',
    'header :matches "x-empty" "?"',
  ],
)

t.test('? is one character of any kind, and escaped wildcards are literal (RFC 5228 2.7.1)', async (t) => {
  const text = 'Subject: a*b? \u{1f600}!\n\nx\n'
  t.ok(holds('', String.raw`header :matches "subject" "a\\*b\\? ?!"`, { text }))
  t.ok(holds('', 'header :matches "subject" "* ??"', { text }))
  t.notOk(holds('', 'header :matches "subject" "* ???"', { text }))
})

check(
  'comparators: octets, ASCII without case (the default), numbers (RFC 5228 2.7.3; RFC 4790 9)',
  'comparator-i;ascii-numeric comparator-i;octet',
  [
    'header :comparator "i;octet" "subject" "Café report"',
    'header "subject" "CAFé REPORT"',
    'header :comparator "i;ascii-numeric" "x-number" "7"',
    'header :comparator "i;ascii-numeric" "subject" "also no number"',
  ],
  [
    'header :comparator "i;octet" "subject" "café report"',
    'header "subject" "CAFÉ REPORT"',
    'header :comparator "i;ascii-numeric" "x-number" "70"',
    'header :comparator "i;ascii-numeric" "x-number" "none"',
  ],
)

t.test('numbers have no parts; their comparator must be required (RFC 5228 2.7.3; RFC 4790 9.1)', async (t) => {
  const numeric = ':comparator "i;ascii-numeric"'
  t.match(
    refusal(`require "comparator-i;ascii-numeric"; if header :contains ${numeric} "a" "1" {}`),
    /:contains cannot be used with this comparator/,
  )
  t.match(refusal(`if header ${numeric} "a" "1" {}`), /needs require "comparator-i;ascii-numeric"/)
})

check(
  'address looks at addresses only, those of groups too, by the part asked for (RFC 5228 5.1, 2.7.4)',
  '',
  [
    'address "from" "ada@example.org"',
    'address :all :contains "to" "alan"',
    'address :localpart "to" "alan"',
    'address :domain ["from", "cc"] "example.net"',
    'address :domain "cc" "EXAMPLE.NET"',
  ],
  ['address :contains "from" "Ada Lovelace"', 'address :localpart "to" "grace"', 'address :is "cc" "team"'],
)

t.test('text that is not an address has no parts, and is compared whole as :all (RFC 5228 5.1)', async (t) => {
  const text = 'From: nonsense\nTo: ada@\n\nx\n'
  t.ok(holds('', 'address :all "from" "nonsense"', { text }))
  t.notOk(holds('', 'address :localpart ["from", "to"] ["nonsense", "ada"]', { text }))
  t.notOk(holds('', 'address :domain :contains "to" ""', { text }))
  t.match(refusal('if address "subject" "x" {}'), /holds no addresses/)
  t.equal(refusal('if address "from:" "x" {}'), null, 'RFC 5228 2.4.2.2: no error for what no field can be named')
})

check(
  'envelope looks at how the message was sent (RFC 5228 5.4)',
  'envelope subaddress',
  [
    'envelope "from" "bounce+7@example.org"',
    'envelope :domain "TO" "example.test"',
    'envelope :detail ["from", "to"] "work"',
    'envelope :user "from" "bounce"',
  ],
  ['envelope "from" "ada@example.org"', 'envelope :localpart "to" "grace"'],
)

t.test(
  'every part of the null reverse-path is empty; other parts of the envelope are errors (RFC 5228 5.4)',
  async (t) => {
    const nobody = { envelope: { from: '', to: 'grace@example.test' } }
    for (const part of [':all', ':localpart', ':domain'])
      t.ok(holds('envelope', `envelope ${part} "from" ""`, nobody), part)
    t.notOk(holds('envelope', 'envelope :all "to" ""', nobody))
    t.match(refusal('require "envelope"; if envelope "helo" "x" {}'), /no "helo"/)
  },
)

check(
  'user and detail are the local part before and after the plus (RFC 5233 4)',
  'subaddress',
  ['address :user "to" "grace"', 'address :detail "to" "work"', 'address :user "to" "alan"'],
  ['address :detail "from" ""', 'address :user "to" "grace+work"', 'address :detail :contains "from" ""'],
)

check(
  'exists holds when all fields are there; size is of the whole message (RFC 5228 5.5, 5.9)',
  '',
  ['exists "subject"', 'exists ["To", "X-Empty"]', `size :over ${MESSAGE.length}`],
  ['exists ["to", "x-missing"]', 'size :under 10'],
)

t.test('a message of exactly that size is neither over nor under (RFC 5228 5.9)', async (t) => {
  const text = 'Subject: x\n\n12345\n'
  const { length } = text.replaceAll('\n', '\r\n')
  t.notOk(holds('', `size :over ${length}`, { text }))
  t.notOk(holds('', `size :under ${length}`, { text }))
  t.ok(holds('', `allof (size :over ${length - 1}, size :under ${length + 1})`, { text }))
})

const NUMERIC = 'relational comparator-i;ascii-numeric'
check(
  'values are compared by gt, ge, lt, le, eq, ne (RFC 5231 4.1)',
  NUMERIC,
  [
    'header :value "gt" :comparator "i;ascii-numeric" "x-number" "6"',
    'header :value "GE" :comparator "i;ascii-numeric" "x-number" "7"',
    'header :value "eq" :comparator "i;ascii-numeric" "x-number" "7"',
    'header :value "lt" "from" "B"',
    'header :value "ne" "x-empty" "x"',
  ],
  [
    'header :value "gt" :comparator "i;ascii-numeric" "x-number" "7"',
    'header :value "lt" :comparator "i;ascii-numeric" "x-number" "07"',
    'header :value "ne" "x-missing" "x"',
  ],
)

check(
  'values are counted, those of all names together (RFC 5231 4.2)',
  NUMERIC,
  [
    'header :count "eq" :comparator "i;ascii-numeric" "received" "2"',
    'header :count "eq" :comparator "i;ascii-numeric" ["received", "subject", "x-missing"] "3"',
    'address :count "eq" :comparator "i;ascii-numeric" ["to", "cc"] "4"',
    'header :count "eq" :comparator "i;ascii-numeric" "x-missing" "0"',
  ],
  ['header :count "gt" :comparator "i;ascii-numeric" "received" "2"'],
)

t.test('other relations are errors (RFC 5231 4)', async (t) => {
  t.match(refusal('require "relational"; if header :value "xx" "a" "b" {}'), /gt, ge, lt, le, eq or ne/)
})

t.test(
  'the spam score counts from 1 to 10, or in percent, of the threshold of the mailbox (RFC 5235 3.2)',
  async (t) => {
    const value = (score: number | null, more = '') => {
      const spam = score === null ? null : { score, threshold: 6 }
      const all = [...Array(101).keys()].map(String)
      return all.filter((number) => holds('spamtestplus', `spamtest ${more} "${number}"`, { spam })).join()
    }
    t.same(
      [null, -3, 0, 3, 5.99, 6, 20].map((score) => value(score)),
      ['0', '1', '1', '5', '9', '10', '10'],
    )
    t.same(
      [0, 3, 6].map((score) => value(score, ':percent')),
      ['0', '50', '100'],
    )
    const counts = 'spamtest :count "eq" :comparator "i;ascii-numeric"'
    t.ok(holds(`spamtest ${NUMERIC}`, `${counts} "0"`), 'not judged')
    t.ok(holds(`spamtest ${NUMERIC}`, `${counts} "1"`, { spam: { score: 0, threshold: 6 } }))
    t.match(refusal('require "spamtest"; if spamtest :percent "1" {}'), /needs require "spamtestplus"/)
  },
)

t.test('the environment test reads items by name; unknown ones never match (RFC 5183 4)', async (t) => {
  const host = { name: 'mx.example.test', domain: 'example.test', version: '1.2' }
  const item = (name: string, key: string) => holds('environment', `environment :contains "${name}" "${key}"`, { host })
  t.ok(item('name', 'posthouse'))
  t.ok(item('HOST', 'mx.example.test'))
  t.ok(item('domain', 'example.test'))
  t.ok(item('version', '1.2'))
  t.ok(item('location', 'MS'))
  t.ok(item('phase', 'during'))
  t.ok(item('remote-ip', ''), 'known, though empty')
  t.notOk(item('nonsense', ''))
})

t.test('mailboxexists requires all mailboxes (RFC 5490 3.1)', async (t) => {
  t.ok(holds('mailbox', 'mailboxexists ["INBOX", "work", "Work/2026", "INBOX/Work"]'))
  t.notOk(holds('mailbox', 'mailboxexists ["INBOX", "Work/2025"]'))
})

t.test('specialuse_exists tests the roles of mailboxes, and of one of them (RFC 8579 3)', async (t) => {
  t.ok(holds('special-use', String.raw`specialuse_exists "\\Junk"`))
  t.ok(holds('special-use', String.raw`specialuse_exists "Junk" ["\\JUNK"]`))
  t.notOk(holds('special-use', String.raw`specialuse_exists ["\\Junk", "\\Archive"]`))
  t.notOk(holds('special-use', String.raw`specialuse_exists "Work" "\\Junk"`))
  t.notOk(holds('special-use', 'specialuse_exists "Junk"'))
})

t.test('ihave tests what is supported, and an unsupported command fails only when it runs (RFC 5463 4)', async (t) => {
  const script = (extension: string, test: string) =>
    run(`require "ihave"; if ihave "${extension}" { if ${test} { discard; } } else { keep; }`)
  t.same(script('envelope', 'envelope "from" "bounce+7@example.org"').actions, [])
  const other = script('vnd.nonsense', 'nonsense :odd "x"')
  t.match(other, { actions: [{ kind: 'keep', implicit: false }], error: null })
  t.match(run('require "ihave"; if nonsense { discard; }'), { error: /There is no test/, actions: [{ kind: 'keep' }] })
  t.match(run('require "ihave"; if not ihave "variables" { error "no variables"; }').error, /no variables/)
})
