// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Sieve writes its variables so
/** Whatever a script and a message are: compiling gives a script or words, and a run gives actions. */
import * as fc from 'fast-check'
import t from 'tap'
import { ACTIONS, SIEVE_EXTENSIONS, TESTS } from '../../../jmap/sieve/capabilities.ts'
import { compileScript, runScript, SieveMessage } from '../../../jmap/sieve/index.ts'
import { MAILBOXES, MESSAGE, NOW } from './scripts.ts'

const message = new SieveMessage(Buffer.from(MESSAGE))

/** The outcome for a text that is a script; null for other text. */
function outcomeOf(text: string, from: SieveMessage = message) {
  const result = compileScript(text)
  if ('error' in result) return null
  return runScript(result.script, {
    message: from,
    envelope: { from: '', to: 'grace@example.test' },
    now: NOW,
    mailboxes: MAILBOXES,
    spam: { score: 1, threshold: 6 },
    isDuplicate: () => true,
    settings: { mayRedirect: true },
  })
}

const WORDS = [
  ...[...TESTS.keys(), ...ACTIONS.keys(), 'if', 'elsif', 'else', 'ihave', 'require'],
  ...[
    ':is',
    ':contains',
    ':matches',
    ':regex',
    ':count',
    ':value',
    ':comparator',
    ':index',
    ':last',
    ':zone',
    ':flags',
  ],
  ...[':create', ':copy', ':content', ':raw', ':all', ':detail', ':over', ':seconds', ':handle', ':lower', ':length'],
  ...[
    '"*"',
    '"subject"',
    '"from"',
    '"gt"',
    '"i;octet"',
    '"i;ascii-numeric"',
    '"${1}"',
    '"(a|b)*"',
    '"Work"',
    '"x@example.org"',
  ],
  ...[
    '"date"',
    '"hour"',
    '"\\\\Seen"',
    '5',
    '1K',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ';',
    ';',
    ';',
    '# x\n',
    'text:\nx\n.\n',
  ],
]
const ALL = `require [${SIEVE_EXTENSIONS.map((name) => `"${name}"`)}];\n`
const string = fc.constantFrom(
  '"*"',
  '"subject"',
  '"from"',
  '"to"',
  '"Received"',
  '"5"',
  '"a?c"',
  '"(a|b)*"',
  '"Work"',
  '""',
)
const strings = fc.oneof(
  string,
  fc.array(string, { minLength: 1, maxLength: 3 }).map((all) => `[${all}]`),
)
const match = fc.constantFrom('', ':is', ':contains', ':matches', ':regex', ':count "ge"', ':value "lt"')
const test = fc.oneof(
  fc.tuple(fc.constantFrom('header', 'address'), match, strings, strings).map((all) => all.join(' ')),
  fc
    .tuple(fc.constantFrom('body', 'body :raw', 'body :content "text"', 'hasflag'), match, strings)
    .map((all) => all.join(' ')),
  fc.constantFrom('true', 'not false', 'exists "to"', 'size :over 5', 'duplicate', 'spamtest "1"'),
)
const action = fc.oneof(
  fc.tuple(fc.constantFrom('fileinto', 'fileinto :copy', 'fileinto :create', 'redirect', 'addflag', 'setflag'), string),
  fc.tuple(fc.constantFrom('reject', 'ereject', 'vacation', 'set :upper "a"', 'vacation :mime'), string),
  fc.tuple(fc.constantFrom('keep', 'discard', 'stop'), fc.constant('')),
)
const command = fc
  .tuple(test, action, action)
  .map(([when, [one, of], [other, with_]]) => `if ${when} { ${one} ${of}; } else { ${other} ${with_}; }`)

const KINDS = ['keep', 'fileinto', 'redirect', 'reject', 'vacation']

t.test('any text is a script or an error with a line', async (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => void outcomeOf(text)),
    { numRuns: 200 },
  )
  const line = fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(line, (text) => {
      const result = compileScript(ALL + text)
      if ('error' in result) return Number.isInteger(result.error.line) && /.\.$/.test(result.error.message)
      return true
    }),
    { numRuns: 800 },
  )
  t.pass()
})

t.test('any script gives actions or an error that keeps the message; every run gives the same', async (t) => {
  let stored = 0
  fc.assert(
    fc.property(fc.array(command, { maxLength: 6 }), (commands) => {
      const outcome = outcomeOf(ALL + commands.join('\n'))
      if (outcome === null) return true
      stored++
      const again = outcomeOf(ALL + commands.join('\n'))
      const isKept = outcome.error === null || outcome.actions[0]?.kind === 'keep'
      return (
        isKept &&
        outcome.actions.every(({ kind }) => KINDS.includes(kind)) &&
        JSON.stringify(outcome) === JSON.stringify(again)
      )
    }),
    { numRuns: 200 },
  )
  t.ok(stored > 80, 'most of them are scripts')
})

t.test('every test accepts any message', async (t) => {
  const tests = ['header', 'address'].map((name) => `${name} :matches ["from", "to"] "*?*"`)
  const more = [
    'body :contains "x"',
    'body :raw :matches "*x*"',
    'body :content "" :contains "x"',
    'exists "from"',
    'duplicate',
  ]
  const script = [...tests, ...more, 'date "date" "iso8601" "x"'].map((one) => `if ${one} { setflag "x"; }`).join('\n')
  const octets = fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc
      .array(
        fc.constantFrom(
          'From: a@b\r\n',
          'Content-Type: multipart/mixed; boundary=x\r\n',
          '\r\n',
          '--x\r\n',
          '--x--\r\n',
          'Content-Type: message/rfc822\r\n',
          ' \xff',
          'Date: x\r\n',
        ),
        { maxLength: 30 },
      )
      .map((lines) => Buffer.from(lines.join(''), 'latin1')),
  )
  fc.assert(
    fc.property(octets, (bytes) => outcomeOf(ALL + script, new SieveMessage(Buffer.from(bytes)))?.error === null),
    { numRuns: 200 },
  )
  t.pass()
})
