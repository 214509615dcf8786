// RFC 8461 3: parsing of records and policies.
import t from 'tap'
import { allowsHost, parseStsPolicy, readStsRecord } from '../../../mta/outbound/sts-policy.ts'

const POLICY = 'version: STSv1\nmode: enforce\nmx: mail.example.com\nmx: *.example.net\nmax_age: 604800\n'

t.test('a policy is read with either line end, and unknown fields are ignored', async (t) => {
  const expected = { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAge: 604_800_000 }
  t.same(parseStsPolicy(POLICY), expected)
  t.same(parseStsPolicy(`${POLICY.replaceAll('\n', '\r\n')}later: x\r\n`), expected)
})

t.test('an invalid policy is ignored', async (t) => {
  const wrong = [
    '',
    POLICY.replace('STSv1', 'STSv2'),
    POLICY.replace('enforce', 'always'),
    POLICY.replace('604800', 'long'),
    POLICY.replaceAll(/mx: .*\n/g, ''),
    `<html>${POLICY}`,
  ]
  for (const text of wrong) t.equal(parseStsPolicy(text), null, text)
})

t.test('a policy is valid for a year at most', async (t) => {
  t.equal(parseStsPolicy(POLICY.replace('604800', '9999999999'))?.maxAge, 31_557_600_000)
})

t.test('a wildcard stands for one label', async (t) => {
  const policy = parseStsPolicy(POLICY)!
  for (const host of ['mail.example.com', 'MAIL.example.com', 'a.example.net']) t.ok(allowsHost(policy, host), host)
  for (const host of ['example.net', 'a.b.example.net', 'mail.example.org', 'xmail.example.com'])
    t.notOk(allowsHost(policy, host), host)
})

t.test('one record counts, and several count as none', async (t) => {
  t.equal(readStsRecord(['v=STSv1; id=2026;']), '2026')
  t.equal(readStsRecord(['something else', 'v=STSv1;id=a1']), 'a1')
  t.equal(readStsRecord(['v=STSv1; id=1;', 'v=STSv1; id=2;']), null)
  t.equal(readStsRecord(['v=STSv1;']), null)
})
