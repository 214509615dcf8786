import t from 'tap'
import {
  encodeOrcpt,
  notifies,
  readMailParameters,
  readRecipientParameters,
} from '../../../mta/smtp/envelope-parameters.ts'

const mail = (...pairs: [string, string | null][]) => readMailParameters(new Map(pairs), 1_000)
const rcpt = (...pairs: [string, string | null][]) => readRecipientParameters(new Map(pairs))

t.test('stored parameters are decoded; SIZE and AUTH are dropped', async (t) => {
  const read = mail(
    ['SIZE', '10'],
    ['BODY', '8bitmime'],
    ['SMTPUTF8', null],
    ['RET', 'hdrs'],
    ['ENVID', 'a+2Bb'],
    ['AUTH', '<>'],
  )
  t.same(read, { kept: { BODY: '8BITMIME', SMTPUTF8: null, RET: 'HDRS', ENVID: 'a+b' } })
})

t.test('a declared size over the limit is refused, one at the limit is accepted', async (t) => {
  t.match(mail(['SIZE', '1001']), { refusal: { code: 552, enhanced: '5.3.4' } })
  t.match(mail(['SIZE', '1000']), { kept: {} })
})

t.test('an unknown parameter is 555, a bad value 501', async (t) => {
  t.match(mail(['XYZ', '1']), { refusal: { code: 555, enhanced: '5.5.4' } })
  for (const [name, value] of [
    ['SIZE', 'x'],
    ['BODY', 'BINARYMIME'],
    ['SMTPUTF8', '1'],
    ['RET', 'ALL'],
    ['ENVID', 'a+0D+0Ab'],
    ['ENVID', 'a+zz'],
    ['ENVID', 'a'.repeat(101)],
    ['ENVID', null],
  ] as const) {
    t.match(mail([name, value]), { refusal: { code: 501 } }, `${name}=${value}`)
  }
})

t.test('NOTIFY and ORCPT of a recipient', async (t) => {
  t.same(rcpt(['NOTIFY', 'success,failure'], ['ORCPT', 'rfc822;a+2Bb@c.test']), {
    kept: { NOTIFY: 'SUCCESS,FAILURE', ORCPT: 'rfc822;a+b@c.test' },
  })
  for (const [name, value] of [
    ['NOTIFY', 'NEVER,SUCCESS'],
    ['NOTIFY', 'ALWAYS'],
    ['NOTIFY', null],
    ['ORCPT', 'a@c.test'],
    ['ORCPT', 'rfc822;'],
    ['ORCPT', 'rfc822;a+0Ab'],
  ] as const) {
    t.match(rcpt([name, value]), { refusal: { code: 501 } }, `${name}=${value}`)
  }
})

t.test('without NOTIFY only failures are reported', async (t) => {
  t.ok(notifies({}, 'FAILURE'))
  t.notOk(notifies({}, 'SUCCESS'))
  t.notOk(notifies({}, 'DELAY'))
  t.notOk(notifies({ NOTIFY: 'NEVER' }, 'FAILURE'))
  t.ok(notifies({ NOTIFY: 'SUCCESS,DELAY' }, 'DELAY'))
})

t.test('an ORCPT is sent as xtext, beyond ASCII as utf-8 addr-xtext', async (t) => {
  t.equal(encodeOrcpt('rfc822;a+b=c@d.test'), 'rfc822;a+2Bb+3Dc@d.test')
  t.equal(encodeOrcpt('rfc822;jö@d.test'), 'utf-8;j\\x{F6}@d.test')
  t.equal(encodeOrcpt('no type'), null)
  const back = rcpt(['ORCPT', encodeOrcpt('utf-8;jö@d.test')])
  t.same(back, { kept: { ORCPT: 'utf-8;jö@d.test' } })
})
