// Promise S5: over REST, too, no form of a From address names another sender.
import { simpleParser } from 'mailparser'
import t from 'tap'
import { startApi } from '../support/rest-api.ts'

t.test('forms of from', async (t) => {
  const { ask, mailbox, stranger, key, core, organizationWith } = await startApi(t)
  const [own, boss] = [await mailbox('own'), await mailbox('boss')]
  const other = await organizationWith('elsewhere.test')
  await other.mailbox('theirs')
  await stranger()
  const limited = await key(['messages:write'], { mailboxIds: [own.accountId] })
  const [OWN, BOSS] = [own.address, boss.address]
  const send = async (message: object) => {
    const body = { to: 'ann@example.org', text: 'x', ...message }
    return (await ask('POST', '/v1/messages', { body, key: limited })).status
  }

  const FORGED: readonly object[] = [
    ...[BOSS, `<${BOSS}>`, `Boss <${BOSS}>`, { email: BOSS }, { email: BOSS, name: OWN }, 'BOSS@EXAMPLE.TEST'],
    ...['boss+tag@example.test', '"boss"@example.test', boss.accountId, `${OWN}, ${BOSS}`, `${OWN} ${BOSS}`],
    ...[`${OWN} <${BOSS}`, `<${OWN}> <${BOSS}>`, `Team: ${BOSS};`, `Team: ${OWN}, ${BOSS};`, `"${OWN}" <${BOSS}>`],
    ...[
      `(${OWN}) ${BOSS}`,
      `<@relay.example:${BOSS}>`,
      `${OWN}\r\nFrom: ${BOSS}`,
      { email: `${OWN}\r\nFrom: ${BOSS}` },
    ],
    ...[{ email: OWN, name: `x\r\nFrom: ${BOSS}` }, { email: `${OWN}>, <${BOSS}` }, { email: `${OWN},${BOSS}` }],
    ...['theirs@elsewhere.test', 'own@elsewhere.test', 'own@example.test.elsewhere.test', 'own@example.test@x.test'],
    ...[
      'own%40elsewhere.test@x.test',
      '=?utf-8?q?boss=40example=2Etest?=',
      'ceo@out.example',
      '',
      '@example.test',
      '*@example.test',
    ],
  ].map((from) => ({ from }))
  const BY_HEADERS = [
    'From',
    'from',
    'Sender',
    'Resent-From',
    'Resent-Sender',
    'From ',
    'From:',
    'Return-Path',
    'X:\r\nFrom',
  ].map((name) => ({ from: OWN, headers: { [name]: BOSS } }))
  const MIXED: readonly object[] = [
    { mailbox_id: own.accountId, from: BOSS },
    { mailbox_id: own.accountId, from: { email: BOSS, name: 'Own' } },
    { mailbox_id: boss.accountId, from: OWN },
    { mailbox_id: boss.accountId },
    { mailbox: BOSS },
    { from: OWN, headers: { 'X-Own': `x\r\nFrom: ${BOSS}` } },
    { from: OWN, subject: `x\r\nFrom: ${BOSS}` },
    { from: `"${BOSS}" <${OWN}>` },
    { from: { email: OWN, name: BOSS } },
    { from: { email: OWN, name: 'boss＠example.test' } },
    { from: { email: OWN, name: 'nobody@elsewhere.test' } },
  ]

  t.test('a from that names another address is refused', async (t) => {
    const all = [...FORGED, ...BY_HEADERS, ...MIXED]
    t.ok(all.length >= 40, `${all.length} forms`)
    for (const message of all) {
      const status = await send(message)
      t.ok([403, 422].includes(status), `${status} ${JSON.stringify(message)}`)
    }
    for (const box of [own, boss]) t.same((await box.call('EmailSubmission/query', {})).ids, [])
  })

  t.test('a from with the own address is sent, and two parsers find that author', async (t) => {
    const forms = [
      OWN,
      `<${OWN}>`,
      `Own <${OWN}>`,
      `"${OWN}" <${OWN}>`,
      { email: OWN, name: 'Boss' },
      'own+tag@example.test',
      own.accountId,
    ]
    for (const from of [...forms, 'OWN@Example.Test']) t.equal(await send({ from }), 201, JSON.stringify(from))
    const claimed = await core.claimSubmissions('worker', 100, 60_000)
    t.equal(claimed.length, forms.length + 1)
    for (const { bytes, mailFrom } of claimed) {
      const { from } = await simpleParser(Buffer.from(bytes))
      t.equal(from?.value.length, 1)
      t.match(from?.value[0]?.address, /^own(\+tag)?@example\.test$/i)
      t.match(mailFrom, /^own(\+tag)?@example\.test$/i)
    }
  })
})
