// Promise S6: whatever names peers use, Authentication-Results stays one field with the results.
import fc from 'fast-check'
import t from 'tap'
import type { AuthenticationResults } from '../../../../jmap/delivery/inbound-verdict.ts'
import { readWholeHeader } from '../../../../jmap/message/header-block.ts'
import { resultsField } from '../../../../mta/inbound/checks/authentication/results-header.ts'
import { readAuthservId } from '../../../../mta/inbound/forged-results.ts'

const HOST = 'mx.posthouse.test'
const char = fc.constantFrom(
  ...'ab.;=()"\\ \t\r\n\0\u2028\u0085\ud800é漢\u{1f600}'.split(''),
  ' dmarc=pass',
  '\r\nX: y',
)
const word = fc.string({ unit: char, maxLength: 300 })

function results(domain: string, selector: string, reason: string): AuthenticationResults {
  return {
    spf: { result: 'fail', identity: 'helo', domain },
    dkim: [{ result: 'neutral', domain, selector, algorithm: selector, aligned: false, reason }],
    dmarc: { result: 'fail', domain, policy: 'none', disposition: 'none' },
    arc: { result: 'fail', domain },
    iprev: { result: 'fail', name: reason },
  }
}

/** The field as RFC 8601 2.2 parses it: without comments, and with quoted words blanked. */
function bare(field: string): string {
  let depth = 0
  let quoted = false
  let text = ''
  for (let i = 0; i < field.length; i++) {
    const at = field[i]!
    if (at === '\\' && (quoted || depth > 0)) i++
    else if (at === '"' && depth === 0) quoted = !quoted
    else if (at === '(' && !quoted) depth++
    else if (at === ')' && !quoted) depth--
    else if (!quoted && depth === 0) text += at
  }
  return text
}

t.test('one field, lines of allowed length, and only existing results', async (t) => {
  const outcome = fc.check(
    fc.property(word, word, word, (domain, selector, reason) => {
      const field = resultsField(HOST, '192.0.2.1', results(domain, selector, reason))
      const bytes = Buffer.from(`${field}Subject: x\r\n\r\n`)
      const names = readWholeHeader(bytes).fields.map(({ name }) => name)
      const lines = bytes.toString().split('\r\n')
      return (
        names.join() === 'Authentication-Results,Subject' &&
        lines.every((line) => Buffer.byteLength(line) <= 998 && !/[\r\n\0]/.test(line)) &&
        readAuthservId(field.slice(field.indexOf(':') + 1).replace(/\r\n/g, '')) === HOST &&
        !bare(field).includes('pass')
      )
    }),
    { numRuns: 5_000, seed: 8601 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
})

t.test('control: an ordinary name is written unchanged', async (t) => {
  const field = resultsField(HOST, '192.0.2.1', results('out.test', 's1', 'mx.out.test'))
  t.match(bare(field), /spf=fail smtp\.helo=out\.test;/)
  t.match(field, /dkim=neutral \(mx\.out\.test\) header\.d=out\.test header\.s=s1 header\.a=s1;/)
})
