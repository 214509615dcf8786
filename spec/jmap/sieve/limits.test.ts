/** Limits of scripts: server/base/sieve-limits.ts. Each run ends by steps, not by a clock, and the mail is kept. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables in Sieve
import t from 'tap'
import { SIEVE_SCRIPT_MAX_BYTES, SIEVE_STEPS_MAX, SIEVE_TESTS_MAX } from '../../../server/base/sieve-limits.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { KEPT, list, refusal, run } from './scripts.ts'

const LONG = `From: a@example.org\nSubject: ${'ab'.repeat(4_000)}\n\n${`${'lorem ipsum dolor '.repeat(50)}\n`.repeat(1_000)}`

/** A run that exceeds the number of steps. */
const exhausts = (requires: string, commands: string) => {
  const outcome = run(`require ["fileinto"${list(requires)}]; fileinto "Work"; ${commands}`, { text: LONG })
  return (
    outcome.error?.includes(`more than ${SIEVE_STEPS_MAX} steps`) &&
    JSON.stringify(outcome.actions) === JSON.stringify([KEPT])
  )
}

t.test('a script of 1 MB runs, one octet more is refused', async (t) => {
  const rule = `if header :contains "subject" "${'x'.repeat(60)}" { discard; }\n`
  const rules = rule.repeat(9_800)
  const script = `${rules}#${'x'.repeat(SIEVE_SCRIPT_MAX_BYTES - rules.length - 1)}`
  t.equal(Buffer.byteLength(script), SIEVE_SCRIPT_MAX_BYTES)
  t.match(run(script), { actions: [KEPT], error: null })
  t.match(refusal(`${script}x`), /more than 1048576 octets/)
  t.match(refusal('é'.repeat(SIEVE_SCRIPT_MAX_BYTES / 2 + 1)), /octets/)
})

t.test('10,000 tests run, one more is refused', async (t) => {
  const script = (tests: number) =>
    `if not anyof(${Array(tests - 2)
      .fill('header "from" "a"')
      .join(',')}) { discard; }`
  matchWhole(t, run(script(SIEVE_TESTS_MAX)), { actions: [], error: null })
  t.match(refusal(script(SIEVE_TESTS_MAX + 1)), /more than 10000 tests/)
  t.match(refusal('keep;'.repeat(20_001)), /more than 20000 commands/)
})

t.test('blocks and tests nest 32 deep and no deeper (RFC 5228 2.10.5, 2.10.7)', async (t) => {
  const blocks = (depth: number) => `${'if true {'.repeat(depth)}discard;${'}'.repeat(depth)}`
  const tests = (depth: number) => `if ${'not '.repeat(depth)}true { discard; }`
  t.same(run(blocks(32)).actions, [])
  t.match(refusal(blocks(33)), /nested deeper/)
  t.same(run(tests(30)).actions, [])
  t.match(refusal(tests(40)), /nested deeper/)
  t.match(refusal('if anyof ('.repeat(100_000)), /nested deeper/)
  t.match(refusal('if true {'.repeat(100_000)), /nested deeper/)
})

t.test('texts that are slow to parse are read in one pass', async (t) => {
  const size = SIEVE_SCRIPT_MAX_BYTES - 100
  t.match(refusal(`/*${'*'.repeat(size)}`), /comment/)
  t.match(refusal('"'.padEnd(size, '\\"')), /string/)
  t.match(refusal(`keep text:${' '.repeat(size)}`), /./)
  t.match(refusal(`if header "a" [${'"b",'.repeat(size / 4)}`), /string/)
  t.match(refusal('['.repeat(size)), /./)
  t.match(refusal('a '.repeat(size / 2)), /./)
})

t.test('the work on a long body is bounded', async (t) => {
  const many = (test: string) => `if ${test} { discard; } `.repeat(3_000)
  t.ok(exhausts('body', many('body :contains "never there"')))
  t.ok(exhausts('body', many('body :raw :contains "never there"')))
  t.ok(exhausts('body', many('body :content "text" :contains "never there"')))
  t.ok(exhausts('body', `if body :contains [${Array(50_000).fill('"never"').join()}] { discard; }`))
  t.notOk(exhausts('body', 'if body :contains "never there" { discard; }'), 'control: once')
})

t.test('the number of wildcards is bounded', async (t) => {
  t.ok(exhausts('body', `if body :matches "*${'?m?z'.repeat(300)}*" { discard; }`))
  t.notOk(exhausts('body', `if body :matches "${'*o'.repeat(5_000)}*never" { discard; }`), 'control: found in one pass')
})

t.test(
  'an expression with exponential backtracking elsewhere takes linear time, and its work is bounded',
  async (t) => {
    const text = `Subject: ${'a'.repeat(10_000)}!\n\nx\n`
    for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a*)*b', '(x+x+)+y']) {
      const { actions, error } = run(`require "regex"; if header :regex "subject" "${pattern}" { discard; }`, { text })
      t.match({ actions, error }, { actions: [KEPT], error: null }, pattern)
    }
    t.same(run('require "regex"; if header :regex "subject" "^(a+)+!$" { discard; }', { text }).actions, [], 'control')
    t.ok(exhausts('regex', 'if header :regex "subject" "^(.+)+never" { discard; } '.repeat(200)))
    t.match(refusal('require "regex"; if header :regex "a" "(a{10}){99}{9}" {}'), /regular expression/)
    t.match(refusal(`require "regex"; ${'if header :regex "a" "(a{30}){30}" {}'.repeat(200)}`), /too large together/)
  },
)

t.test('the size of variables is bounded', async (t) => {
  t.ok(exhausts('variables', `set "a" "${'x'.repeat(64)}"; ${'set "a" "${a}${a}"; '.repeat(9_000)}`))
  t.ok(exhausts('variables', `set "a" "${'*'.repeat(8_000)}"; ${'set :quotewildcard "a" "${a}"; '.repeat(2_000)}`))
  const { actions, error } = run(
    `require ["variables", "reject"]; set "a" "${'x'.repeat(8_000)}"; reject "${'${a}'.repeat(1_000)}";`,
  )
  t.same(actions, [KEPT])
  t.match(error, /too long/)
})

t.test('an expression that is built at run time counts for its compilation', async (t) => {
  t.ok(exhausts('regex variables', `set "p" "never"; ${'if header :regex "from" "${p}" { discard; } '.repeat(1_000)}`))
})

t.test('the trace is bounded', async (t) => {
  const { trace, error } = run('if true {} '.repeat(5_000))
  t.equal(error, null)
  t.equal(trace.length, 100)
  const [note] = run(`require "reject"; reject "${'x'.repeat(5_000)}";`).trace
  t.equal(note?.text.length, 200)
})
