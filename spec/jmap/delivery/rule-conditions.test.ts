import t from 'tap'
import { compileRules } from '../../../jmap/mail/inbox-rules/compile.ts'
import type { RuleCondition } from '../../../jmap/mail/inbox-rules/rule.ts'
import { mailboxPaths, runScript, SieveMessage } from '../../../jmap/sieve/index.ts'
import { mail, octets } from '../mails.ts'
import { rule } from './support.ts'

const MESSAGE = mail({
  from: '=?utf-8?q?J=C3=BCrgen_Gro=C3=9F?= <Juergen.Gross@Shop.Example.org>',
  to: 'Hello <hello@example.test>',
  subject: '=?utf-8?q?Rechnung_Nr=2E_7_f=C3=BCr_M=C3=A4rz?=',
  headers: [
    'Cc: team@example.test',
    'Delivered-To: alias@example.test',
    'List-Id: News <news.example.org>',
    'X-Shop: Order 17',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
  ],
  body: [
    '--b',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<p>Der <b>Betrag</b> ist f=C3=A4llig</p>',
    '--b',
    'Content-Type: application/pdf; name=Invoice-7.PDF',
    'Content-Disposition: attachment; filename=Invoice-7.PDF',
    '',
    'x',
    '--b--',
  ].join('\n'),
})

function matches(conditions: readonly RuleCondition[], text = MESSAGE, more: object = {}, mailFrom = 'a@example.org') {
  const [compiled] = compileRules([rule(conditions, [{ type: 'star' }], more)])
  const outcome = runScript(compiled!.script, {
    message: new SieveMessage(octets(text)),
    envelope: { from: mailFrom, to: 'Tagged+x@example.test' },
    now: 0,
    mailboxes: mailboxPaths([]),
    spam: null,
    settings: { mayRedirect: false },
    isDuplicate: () => false,
  })
  return outcome.actions.some(({ kind }) => kind === 'rule')
}

const SIZE = octets(MESSAGE).length

const CASES: readonly [RuleCondition, boolean][] = [
  [{ type: 'from_contains', value: 'jürgen' }, true],
  [{ type: 'from_contains', value: '@shop.EXAMPLE' }, true],
  [{ type: 'from_contains', value: 'eve' }, false],
  [{ type: 'from_not_contains', value: 'eve' }, true],
  [{ type: 'from_not_contains', value: 'JÜRGEN' }, false],
  [{ type: 'from_is', value: 'juergen.gross@shop.example.ORG' }, true],
  [{ type: 'from_is', value: 'gross@shop.example.org' }, false],
  [{ type: 'from_domain_is', value: 'Shop.Example.org' }, true],
  [{ type: 'from_domain_is', value: '@shop.example.org' }, true],
  [{ type: 'from_domain_is', value: 'example.org' }, false],
  [{ type: 'to_contains', value: 'HELLO@' }, true],
  [{ type: 'to_contains', value: 'team@' }, false],
  [{ type: 'cc_contains', value: 'team@' }, true],
  [{ type: 'cc_contains', value: 'hello@' }, false],
  [{ type: 'recipient_contains', value: 'hello@' }, true],
  [{ type: 'recipient_contains', value: 'team@' }, true],
  [{ type: 'recipient_contains', value: 'alias@' }, true],
  [{ type: 'recipient_contains', value: 'tagged+X' }, true],
  [{ type: 'recipient_contains', value: 'nobody@' }, false],
  [{ type: 'subject_contains', value: 'FÜR MÄRZ' }, true],
  [{ type: 'subject_contains', value: 'April' }, false],
  [{ type: 'subject_not_contains', value: 'April' }, true],
  [{ type: 'subject_not_contains', value: 'März' }, false],
  [{ type: 'subject_is', value: 'rechnung nr. 7 für märz' }, true],
  [{ type: 'subject_is', value: 'Rechnung' }, false],
  [{ type: 'subject_starts_with', value: 'rechnung nr' }, true],
  [{ type: 'subject_starts_with', value: 'Nr' }, false],
  [{ type: 'body_contains', value: 'betrag ist fällig' }, true],
  [{ type: 'body_contains', value: '<b>' }, false],
  [{ type: 'header_contains', value: 'x-shop: order' }, true],
  [{ type: 'header_contains', value: 'X-Shop: 18' }, false],
  [{ type: 'list_id_contains', value: 'NEWS.example' }, true],
  [{ type: 'list_id_contains', value: 'other' }, false],
  [{ type: 'attachment_name_contains', value: 'invoice' }, true],
  [{ type: 'attachment_name_contains', value: '.zip' }, false],
  [{ type: 'has_attachment', value: true }, true],
  [{ type: 'has_attachment', value: false }, false],
  [{ type: 'size_greater_than', value: SIZE - 1 }, true],
  [{ type: 'size_greater_than', value: SIZE }, false],
  [{ type: 'size_less_than', value: SIZE + 1 }, true],
  [{ type: 'size_less_than', value: SIZE }, false],
  [{ type: 'is_auto_generated', value: false }, true],
  [{ type: 'is_auto_generated', value: true }, false],
  [{ type: 'all_messages', value: true }, true],
]

t.test('each condition matches what it should, and nothing else (decision D11)', async (t) => {
  for (const [condition, expected] of CASES)
    t.equal(matches([condition]), expected, `${condition.type} ${condition.value}`)
})

t.test('mail of programs is recognised by its sender, Auto-Submitted and Precedence', async (t) => {
  const automatic: RuleCondition[] = [{ type: 'is_auto_generated', value: true }]
  t.equal(matches(automatic, mail(), {}, ''), true)
  t.equal(matches(automatic, mail({ headers: ['Auto-Submitted: auto-generated'] })), true)
  t.equal(matches(automatic, mail({ headers: ['Precedence: bulk'] })), true)
  t.equal(matches(automatic, mail({ headers: ['Auto-Submitted: no'] })), false)
  t.equal(matches(automatic, mail({ headers: ['Precedence: list'] })), false)
})

t.test('a rule requires all conditions, or any of them', async (t) => {
  const [yes, no]: RuleCondition[] = [
    { type: 'subject_contains', value: 'Rechnung' },
    { type: 'subject_contains', value: 'April' },
  ]
  t.equal(matches([yes!, no!]), false)
  t.equal(matches([yes!, no!], MESSAGE, { matchMode: 'any' }), true)
  t.equal(matches([no!, no!], MESSAGE, { matchMode: 'any' }), false)
})
