/** RFC 5229; draft-ietf-sieve-regex: variables, values that matches set, regular expressions. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables in Sieve
import t from 'tap'
import { refusal, run, type Surroundings } from './scripts.ts'

/** The value of a text after some commands. */
function value(commands: string, text: string, more: Surroundings = {}): string {
  const requires = '"variables", "reject", "encoded-character", "regex", "envelope", "body"'
  const { actions, error } = run(`require [${requires}]; ${commands} reject "${text}";`, more)
  const [action] = actions
  if (action?.kind !== 'reject') throw new Error(error ?? 'not rejected')
  return action.reason
}

t.test('a reference is the value of its variable, with any case of its name; else nothing (RFC 5229 3)', async (t) => {
  t.equal(value('set "Name" "Ada";', 'Dear ${NAME}${other}!'), 'Dear Ada!')
  t.equal(value('', '${}${-a}$ {a}${1a}&%${company}'), '${}${-a}$ {a}${1a}&%')
  t.equal(value('set "a" "$"; set "b" "x";', '${a}{b}'), '${b}', 'what comes out is not read again')
  t.equal(value('set "name" "Ethelbert";', 'dear${hex:20 24 7b 4e}ame}'), 'dear Ethelbert')
  const { actions } = run('require "reject"; reject "${name}";')
  t.match(actions, [{ reason: '${name}' }], 'control: not required')
})

t.test('modifiers change the value in order, each kind once (RFC 5229 4.1)', async (t) => {
  const set = (modifiers: string, text: string) => value(`set ${modifiers} "v" "${text}";`, '${v}')
  t.equal(set(':lower', 'jüMBLed LETTERS'), 'jümbled letters')
  t.equal(set(':upperfirst', 'jüMBLed'), 'JüMBLed')
  t.equal(set(':upperfirst :lower', 'jüMBLed'), 'Jümbled')
  t.equal(set(':lowerfirst :upper', 'jüMBLed'), 'jÜMBLED')
  t.equal(set(':length', 'jüMBLed \u{1f600}'), '9')
  t.equal(set(':length :quotewildcard', 'a*?'), '5')
  t.equal(set(':quotewildcard', String.raw`Rock*\\?`), String.raw`Rock\*\\\?`)
  t.equal(set(':quoteregex', 'a.b*'), String.raw`a\.b\*`)
  t.match(refusal('require "variables"; set :lower :upper "v" "x";'), /does not go with/)
})

t.test('names are identifiers, and namespaces belong to extensions (RFC 5229 3, 4)', async (t) => {
  for (const name of ['', '1', 'a.b', 'a-b', '${a}'])
    t.match(refusal(`require "variables"; set "${name}" "x";`), /variable/)
  t.match(refusal('require ["variables", "fileinto"]; fileinto "${tests.name}";'), /no variables named tests.name/)
})

t.test('the last wildcard match can be referred to, each star as short as possible (RFC 5229 3.2)', async (t) => {
  const text = 'Subject: [acme-users] [fwd] version 1.0 is out\n\nx\n'
  const matches = (pattern: string, result: string) =>
    value(`if header :matches "subject" "${pattern}" {}`, result, { text })
  t.equal(
    matches('[*] *', '${1}|${2}|${0}'),
    'acme-users|[fwd] version 1.0 is out|[acme-users] [fwd] version 1.0 is out',
  )
  t.equal(matches('*[*]*', '${1}|${2}|${3}'), '|acme-users| [fwd] version 1.0 is out')
  t.equal(matches('[????-*', '${1}${2}${3}${4}|${5}|${6}'), 'acme|users] [fwd] version 1.0 is out|')
  t.equal(matches('[ACME*', '${1}'), '-users] [fwd] version 1.0 is out', 'as the message has it')
})

t.test('a failed match leaves the variables of the one before (RFC 5229 3.2)', async (t) => {
  const script =
    'if header :matches "from" "*@*" {} if header :matches "subject" "nothing*" {} if header :is "subject" "x" {}'
  t.match(value(script, '${2}'), /^example.org>/)
  const stops = 'if anyof (header :matches "x-number" "0*", header :matches "x-number" "*7") {}'
  t.equal(value(stops, '${1}'), '07', 'what was not looked at is not matched')
})

t.test('matches in the body set no variables (RFC 5173 6)', async (t) => {
  t.equal(value('if header :matches "x-number" "0*" {} if body :raw :matches "*report*" {}', '${1}'), '07')
})

t.test('string compares any texts; empty ones do not count (RFC 5229 5)', async (t) => {
  const holds = (test: string) =>
    run(`require ["variables", "relational", "comparator-i;ascii-numeric"]; set "s" "Ada"; if ${test} { discard; }`)
      .actions.length === 0
  t.ok(holds('string :matches "${s}" ["x", "a*"]'))
  t.ok(holds('string ["x", "${s}"] "ada"'))
  t.ok(holds('string "${none}" ""'))
  t.ok(holds('string :count "eq" :comparator "i;ascii-numeric" ["${s}", "${none}", ""] "1"'))
  t.notOk(holds('string "${s}" "Bob"'))
})

t.test('variables are allowed in all texts that need not be constant: mailboxes, addresses, keys', async (t) => {
  const script = `require ["variables", "fileinto", "envelope", "subaddress"];
    if envelope :detail :matches "to" "*" { set "box" "\${1}"; }
    if header :contains "subject" "re\${none}port" { fileinto "\${box}"; }`
  t.match(run(script).actions, [{ kind: 'fileinto', target: { id: 3, path: 'work' } }])
  t.match(run('require "variables"; set "a" "x"; redirect "${a}";'), { error: /redirect needs an address/ })
})

t.test('a long value is cut, and the number of variables is limited (RFC 5229 6)', async (t) => {
  const long = 'x'.repeat(9_000)
  t.equal(value(`set "a" "${long}";`, '${a}').length, 8_192)
  const many = (count: number) => Array.from({ length: count }, (_, i) => `set "v${i}" "x";`).join('')
  t.equal(value(many(256), 'ok'), 'ok')
  t.match(run(`require "variables"; ${many(257)}`).error, /more than 256 variables/)
})

t.test(
  'regular expressions match anywhere, the longest first, and set their groups (draft-ietf-sieve-regex 4)',
  async (t) => {
    const text = 'Subject: Order 66, then order 67\n\nx\n'
    const find = (pattern: string, result: string) =>
      value(`if header :regex "subject" "${pattern}" {} else { set "no" "none"; }`, `${result}\${no}`, { text })
    t.equal(find('order ([0-9]+)', '${1}'), '66')
    t.equal(find('^(order) ([[:digit:]]{2}), (.*)$', '${1}|${2}|${3}'), 'Order|66|then order 67')
    t.equal(find('(t|the|then) ', '${1}'), 'then')
    t.equal(find('order 68', '${1}'), 'none')
    const octets = value('if header :regex :comparator "i;octet" "subject" "(order) " {}', '${0}', { text })
    t.equal(octets, 'order ')
  },
)

t.test(
  'an invalid expression, or one with a back-reference, is refused with the script, or ends the run',
  async (t) => {
    for (const pattern of ['(', '[z-a]', '(a)\\\\1', 'a{2000}', 'x'.repeat(1_025)])
      t.match(
        refusal(`require "regex"; if header :regex "subject" "${pattern}" {}`),
        /regular expression/,
        pattern.slice(0, 20),
      )
    const { actions, error } = run(
      'require ["regex", "variables"]; set "p" "("; if header :regex "subject" "${p}" { discard; }',
    )
    t.match(actions, [{ kind: 'keep' }])
    t.match(error, /regular expression/)
  },
)
