// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Sieve writes its variables so
/** RFC 5228 1 to 3, 8: the grammar, strings, require, if and stop, errors. */
import t from 'tap'
import { holds, IN_WORK, KEPT, refusal, run } from './scripts.ts'

t.test('an empty script keeps the message, as does one with only comments (RFC 5228 2.10.2, 2.3)', async (t) => {
  for (const script of ['', '# nothing\n', '/* nothing\n at all */', '\ufeff# after a mark\n']) {
    const { actions, error } = run(script)
    t.same(actions, [KEPT], script)
    t.equal(error, null)
  }
})

t.test('names, tags and units are read without case (RFC 5228 2.4.1, 2.4)', async (t) => {
  t.same(run('REQUIRE "fileinto"; IF Size :OVER 1k {Discard;} ELSE {FileInto "Work";}').actions, [IN_WORK])
  t.ok(holds('', 'size :under 1M'))
  t.notOk(holds('', 'size :over 1G'))
})

t.test('a backslash makes the next character literal (RFC 5228 2.4.2)', async (t) => {
  const text = 'Subject: a "b" \\c\n\nx\n'
  t.ok(holds('', String.raw`header "subject" "\a \"b\" \\c"`, { text }))
})

t.test(
  'a multi-line text ends with a dot; a doubled dot at the start of a line loses one (RFC 5228 2.4.2)',
  async (t) => {
    const reject = (lines: string) => run(`require "reject"; reject text: # so\n${lines}\n.\n;`).actions
    const rejected = (reason: string) => [{ kind: 'reject', ereject: false, reason }]
    t.same(reject('one\n..two\n.three\nfour'), rejected('one\r\n.two\r\n.three\r\nfour\r\n'))
    t.same(reject('one\r'), rejected('one\r\n'))
    t.match(refusal('require "reject"; reject text:\nnever ends\n;'), /^1: A text that begins here/)
  },
)

t.test('encoded characters are decoded only if required (RFC 5228 2.4.2.4)', async (t) => {
  const subject = (text: string) => ({ text: `Subject: ${text}\n\nx\n` })
  t.ok(holds('encoded-character', 'header "subject" "$${hex:40}"', subject('$@')))
  t.ok(holds('encoded-character', 'header "subject" "${HEX: c3 a9 }${unicode:2026 40}"', subject('é…@')))
  t.ok(holds('encoded-character', 'header "subject" "${hex:zz}${unicode:}"', subject('${hex:zz}${unicode:}')))
  t.ok(holds('', 'header "subject" "${hex:40}"', subject('${hex:40}')), 'control: not required')
  t.match(refusal('require "encoded-character"; if header "a" "${unicode:d800}" {}'), /no Unicode character/)
})

t.test('require comes first, and names supported extensions (RFC 5228 3.2)', async (t) => {
  t.equal(refusal('require ["fileinto", "envelope"]; require "body"; keep;'), null)
  t.match(refusal('keep; require "fileinto";'), /^1: require must stand before/)
  t.match(refusal('require ["fileinto",\n "nonsense"];'), /"nonsense" is not supported/)
  t.match(refusal('fileinto "Work";'), /needs require "fileinto"/)
  t.match(refusal('keep :flags "x";'), /needs require "imap4flags"/)
})

t.test('the first test that is true selects the block (RFC 5228 3.1)', async (t) => {
  const script = (first: string, second: string) =>
    run(`require "fileinto"; if ${first} {fileinto "A";} elsif ${second} {fileinto "Work";} else {discard;}`).actions
  t.same(script('true', 'true'), [{ kind: 'fileinto', target: { id: 1, path: 'INBOX' }, flags: [] }])
  t.same(script('false', 'true'), [IN_WORK])
  t.same(script('false', 'false'), [])
})

t.test('nothing after stop runs, and the implicit keep stays (RFC 5228 3.3)', async (t) => {
  t.same(run('if true { stop; } discard;').actions, [KEPT])
  t.same(run('require "fileinto"; fileinto "Work"; stop; keep;').actions, [IN_WORK])
})

t.test('a test list stops at the first result; not inverts it (RFC 5228 5.2, 5.3, 5.8)', async (t) => {
  t.ok(holds('', 'allof (true, not false, true)'))
  t.notOk(holds('', 'allof (true, false)'))
  t.ok(holds('', 'anyof (false, true)'))
  t.notOk(holds('', 'anyof (false, not true)'))
})

t.test('an invalid script is reported with its line', async (t) => {
  const cases: [script: string, told: RegExp][] = [
    ['keep', /^1: There should be ";" or a block, not the end of the script/],
    ['\n\nkeep "unending', /^3: A string that begins here does not end/],
    ['/* no end', /^1: A comment that begins here does not end/],
    ['keep; }', /^1: There should be a command, not "}"/],
    ['if true { keep;', /a command or "}"/],
    ['if (true) { keep; }', /if takes one test/],
    ['if true keep;', /if needs a block/],
    ['if not (true) {}', /not takes one test/i],
    ['if anyof true {}', /anyof takes tests in parentheses/i],
    ['else { keep; }', /else does not follow an if/],
    ['if true {} else {} elsif true {}', /An else is the last/],
    ['if header :contains "a" {}', /header lacks an argument/i],
    ['if header :contains :is "a" "b" {}', /does not go with the tags before it/],
    ['if header :is :is "a" "b" {}', /stands twice/],
    ['if header "a" "b" "c" {}', /an argument too many/],
    ['if header "a" :is "b" {}', /must stand before/],
    ['if header "a" 5 {}', /wants a string or a list/],
    ['if header ["a" "b"] "c" {}', /"," or "]"/],
    ['if header :comparator "i;nonsense" "a" "b" {}', /no comparator "i;nonsense"/],
    ['if header :nonsense "a" "b" {}', /header has no :nonsense/i],
    ['if nonsense {}', /There is no test "nonsense"/],
    ['nonsense;', /There is no command "nonsense"/],
    ['keep { stop; }', /keep has no block/],
    ['keep true;', /keep takes no test/i],
    ['if size 5 {}', /size has an argument too many/i],
    ['if size :over 99999999999G {}', /too large/],
    ['if : true {}', /name of a tag/],
    ['keep; \u0001', /There cannot be/],
    ['# a\n\0', /^2: .*NUL/],
  ]
  for (const [script, told] of cases) t.match(refusal(script), told, script)
})

t.test('a run-time error cancels all actions and keeps the message (RFC 5228 2.10.6)', async (t) => {
  const script = 'require ["fileinto", "vacation"];\nfileinto "Work"; vacation "a";\nvacation "b";'
  const { actions, error, trace } = run(script)
  t.same(actions, [KEPT])
  t.match(error, /^line 3: vacation was done twice/)
  t.match(trace.at(-1), { line: 3, text: /The message is kept/ })
})

t.test('each effective step is logged with its line', async (t) => {
  const { trace } = run('require "fileinto";\nif header :contains "subject" "report" {\n  fileinto "Work";\n}')
  t.same(trace, [
    { line: 2, text: 'The test held.' },
    { line: 3, text: 'Filed into "Work".' },
  ])
})
