import t from 'tap'
import type { SpamFacts } from '../../../../jmap/delivery/spam/facts.ts'
import { scoreMessage } from '../../../../jmap/delivery/spam/score.ts'
import { SYMBOLS } from '../../../../jmap/delivery/spam/symbols.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { plain } from './raw-letters.ts'
import { CASES, type Case } from './symbol-cases.ts'

function judge({ raw, facts }: Case['found']) {
  const bytes = Buffer.from(raw, 'latin1')
  const given: SpamFacts = { bytes, receivedAt: Date.UTC(2026, 0, 1), mailFrom: 'anna@example.org', ...facts }
  return scoreMessage(parseMessage(bytes), given)
}

for (const { symbol, found, control } of CASES) {
  t.test(`${symbol}: ${SYMBOLS[symbol].description}`, async (t) => {
    const verdict = judge(found)
    const named = verdict.symbols.find(({ name }) => name === symbol)
    t.ok(named, JSON.stringify(verdict))
    t.equal(named?.description, SYMBOLS[symbol].description)
    t.notOk(
      judge(control).symbols.some(({ name }) => name === symbol),
      'the control',
    )
  })
}

t.test('every symbol has a case', async (t) => {
  const shown = new Set(CASES.map(({ symbol }) => symbol))
  t.same(
    Object.keys(SYMBOLS).filter((name) => !(shown as Set<string>).has(name)),
    [],
  )
})

t.test('an ordinary letter has no symbol', async (t) => {
  t.same(judge(CASES[0]!.control), { score: 0, symbols: [], engine: 'posthouse' })
})

t.test('the score is the sum of its symbols, the heaviest first', async (t) => {
  const { score, symbols } = judge({
    raw: 'From: a@example.org\r\nTo: b@example.test\r\nSubject: BUY THIS TODAY!!\r\n\r\nx\r\n',
    facts: { authentication: { spf: 'fail', dkim: 'none' } },
  })
  const points = symbols.map((symbol) => symbol.score)
  t.equal(score, Math.round(points.reduce((sum, each) => sum + each, 0) * 100) / 100)
  t.same(
    points,
    points.toSorted((a, b) => Math.abs(b) - Math.abs(a)),
  )
})

t.test('the verdict of an external filter counts alone', async (t) => {
  const outside = { score: 1.5, symbols: [], engine: 'rspamd' } as const
  t.equal(judge({ raw: 'Subject: BUY THIS TODAY!!\r\n\r\nx\r\n', facts: { outside } }), outside)
})

t.test('every HTML body is read', async (t) => {
  const part = (source: string) => `--b\r\nContent-Type: text/html\r\n\r\n${source}\r\n`
  const mixed = (last: string) =>
    plain({ 'Content-Type': 'multipart/mixed; boundary=b' }, `${part('<p>One</p>')}${part(last)}--b--`)
  const names = (raw: string) => judge({ raw }).symbols.map(({ name }) => name)
  t.ok(names(mixed('<form></form>')).includes('HTML_FORM'))
  t.notOk(names(mixed('<p>Two</p>')).includes('HTML_FORM'))
})

t.test('details are short, without characters that change or hide text', async (t) => {
  const name = `${'long '.repeat(40)}\u202egpj.exe`
  const raw = letterWithFile(`=?utf-8?B?${Buffer.from(name).toString('base64')}?=`)
  const { symbols } = judge({ raw })
  for (const { detail = '' } of symbols) {
    t.ok(detail.length <= 80, detail)
    t.notMatch(detail, /\p{C}/u)
  }
  t.ok(symbols.some(({ name }) => name === 'FILE_NAME_TURNED'))
})

function letterWithFile(name: string): string {
  return [
    'From: a@example.org',
    'To: b@example.test',
    'Content-Type: application/octet-stream',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    'x',
  ].join('\r\n')
}
