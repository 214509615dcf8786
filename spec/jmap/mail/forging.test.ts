// Promise S5, RFC 8621 9.6: no user can send as another, however the header is written.
import { simpleParser } from 'mailparser'
import t from 'tap'
import { startCore } from '../../support/core.ts'

const OWN = 'hello@example.test'
const BOSS = 'boss@example.test'
const DATE = 'Date: Thu, 1 Jan 2026 00:00:00 +0000'

/** Headers that some reader shows as from another sender. */
const FORGED: readonly string[] = [
  `From: ${BOSS}`,
  `From: <${BOSS}>`,
  `From: Boss <${BOSS}>`,
  'From: boss@elsewhere.example',
  `From: BOSS@EXAMPLE.TEST`,
  `From: boss+tag@example.test`,
  'From: "boss"@example.test',
  `From: ${OWN}, ${BOSS}`,
  `From: ${BOSS}, ${OWN}`,
  `From: ${OWN}, ${BOSS}\nSender: ${OWN}`,
  `From: ${OWN}; ${BOSS}`,
  `From: ${OWN} ${BOSS}`,
  `From: <${OWN}> <${BOSS}>`,
  `From: <${BOSS}> ${OWN}`,
  `From: Team: ${BOSS};`,
  `From: Team: ${OWN}, ${BOSS};`,
  `From: Team:;`,
  `From: ${OWN}\nFrom: ${BOSS}`,
  `From: ${BOSS}\nFrom: ${OWN}`,
  `From: ${OWN}\nfrom: ${BOSS}`,
  `From: ${OWN}\nFROM : ${BOSS}`,
  `From\t: ${BOSS}`,
  `From: ${OWN}\nSender: ${BOSS}`,
  `From: ${OWN}\nSender: ${OWN}\nSender: ${BOSS}`,
  `From: ${OWN}\nSender: ${OWN}, ${BOSS}`,
  `From: ${OWN}\nResent-From: ${BOSS}`,
  `From: ${OWN}\nResent-Sender: ${BOSS}`,
  `From: ${OWN}\nResent-From: ${OWN}\nResent-From: ${BOSS}`,
  `From: ${OWN}\nResent-From: Team: ${BOSS};`,
  `From: =?utf-8?q?boss=40example=2Etest?=`,
  `From: =?utf-8?q?Boss?= <=?utf-8?q?boss?=@example.test>`,
  `From: ${BOSS} <${OWN}`,
  `From: ${BOSS}<${OWN}>`,
  `From: Boss ${BOSS} <${OWN}>`,
  `From: Boss <${OWN}> (<${BOSS}>)`,
  `From: (${OWN}) ${BOSS}`,
  `From: ${OWN} (, ${BOSS})`,
  `From: "${OWN}" <${BOSS}>`,
  `From: "unclosed <${OWN}>, ${BOSS}`,
  `From: <@relay.example:${BOSS}>`,
  `From: <${OWN}\0>, ${BOSS}`,
  `From: hello@example.test@elsewhere.example`,
  `From: hello%elsewhere.example@other.example`,
  `From: hello @ example.test.elsewhere.example`,
  `From: ${OWN},\n ${BOSS}`,
  `X-First: 1\rFrom: ${BOSS}\nFrom: ${OWN}`,
  `From: ${OWN}\nX-Last: 1\rFrom: ${BOSS}`,
  `From: ${OWN}\nno field here\nnor here\nFrom: ${BOSS}`,
  `From: ${OWN}\nno field here\nFrom: ${BOSS}`,
  `From: ${OWN}\n \nFrom: ${BOSS}`,
  `From ${BOSS} Thu Jan  1 00:00:00 2026\nFrom: ${OWN}`,
  `From: ${OWN}\n${'X: y\n'.repeat(10_001)}From: ${BOSS}`,
  `From: ${OWN}${`, ${OWN}`.repeat(10_001)}, ${BOSS}`,
  `From:`,
  `X-Nothing: 1`,
  `From: "${BOSS}" <${OWN}>`,
  `From: "Boss (${BOSS})" <${OWN}>`,
  `From: "nobody@example.test" <${OWN}>`,
  `From: "b1@orgb.test" <${OWN}>`,
  `From: "b1@ORGB.test." <${OWN}>`,
  `From: "\\"b1\\"@orgb.test" <${OWN}>`,
  `From: "@orgb.test" <${OWN}>`,
  `From: b1＠orgb.test <${OWN}>`,
  `From: b1﹫ｏｒｇｂ．test <${OWN}>`,
  `From: "b1@or\u200bgb.test" <${OWN}>`,
  `From: "b1\u200a@orgb。test" <${OWN}>`,
  `From: =?utf-8?q?b1=40orgb=2Etest?= <${OWN}>`,
  `From: =?utf-8?b?${Buffer.from('b1@orgb.test').toString('base64')}?= <${OWN}>`,
  `From: "=?utf-8?q?b1=40orgb=2Etest?=" <${OWN}>`,
  `From: =?utf-8?q?b1=40?= =?utf-8?q?orgb.test?= <${OWN}>`,
  `From: =?utf-8?b?${Buffer.from('b1＠orgb.test').toString('base64')}?= <${OWN}>`,
  `From: ${OWN} (=?utf-8?q?b1=40orgb=2Etest?=)`,
  `From: ${OWN}\nSender: "b1@orgb.test" <${OWN}>`,
  `From: ${OWN}\nResent-From: "b1@orgb.test" <${OWN}>`,
  `From: hello@example.test.`,
  `From: <hello@exam\u200bple.test>`,
  `From: <hello@ｅｘａｍｐｌｅ.test>`,
  `From: ${OWN}\nSender: hello@example.test.`,
]

/** Headers that are the account's own, although they look unusual. */
const OWN_FORMS: readonly string[] = [
  `From: ${OWN}`,
  `From: <${OWN}>`,
  `From: Hello There <${OWN}>`,
  `From: "Hello, \\"There\\"" <${OWN}>`,
  `From: J. R. Hello <HELLO@Example.Test>`,
  `From: =?utf-8?q?J=C3=BCrgen?= <hello+tag@example.test>`,
  `From: Jürgen <${OWN}>`,
  `From: ${OWN} (Hello There)`,
  `From: Hello\n There\n <${OWN}>`,
  `From: "${OWN}" <${OWN}>`,
  `From: "Hello via boss@elsewhere.example" <${OWN}>`,
  `From: "hello+tag@Example.test" <${OWN}>`,
  `From: "Hello @ Example" <${OWN}>`,
  `From: ${OWN}\nSender: ${OWN}`,
  `From: ${OWN}\nResent-From: ${OWN}`,
  `From: ${OWN}\nReply-To: ${BOSS}`,
]

const raw = (header: string) =>
  Buffer.from(`${`${header}\nTo: ann@example.org\n${DATE}\nSubject: Forms\n\nx\n`.replaceAll('\n', '\r\n')}`)

t.test('forms of From', async (t) => {
  const { core, mailbox, organizationWith } = await startCore(t)
  const hello = await mailbox('hello')
  await mailbox('boss')
  await (await organizationWith('orgb.test')).mailbox('b1')
  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  const byJmap = async (header: string): Promise<string> => {
    const emailId = await hello.receive(raw(header))
    const { created, notCreated } = await hello.call('EmailSubmission/set', {
      create: {
        s: { identityId, emailId, envelope: { mailFrom: { email: OWN }, rcptTo: [{ email: 'a@example.org' }] } },
      },
    })
    return created ? 'sent' : notCreated.s.type
  }
  const bySmtp = async (header: string): Promise<string> => {
    const recipients = [{ address: 'ann@example.org' }]
    const result = await core.submit(hello.principal, { bytes: raw(header), mailFrom: OWN, recipients })
    return result.status === 'queued' ? 'sent' : result.reason
  }
  const refusals = ['forbiddenFrom', 'invalidEmail']

  t.test('EmailSubmission does not send a message that any reader sees as from another sender', async (t) => {
    for (const header of FORGED) t.ok(refusals.includes(await byJmap(header)), JSON.stringify(header.slice(0, 90)))
    t.ok(FORGED.length >= 40)
  })

  t.test('SMTP submission does not send it either', async (t) => {
    for (const header of FORGED) t.ok(refusals.includes(await bySmtp(header)), JSON.stringify(header.slice(0, 90)))
  })

  t.test('a message under its own address is sent, and another parser finds that one author', async (t) => {
    for (const header of OWN_FORMS) {
      t.equal(await byJmap(header), 'sent', JSON.stringify(header))
      t.equal(await bySmtp(header), 'sent', JSON.stringify(header))
      const { from } = await simpleParser(raw(header))
      t.match(from?.value, [{ address: /^hello(\+tag)?@example\.test$/i }])
      t.equal(from?.value.length, 1)
    }
  })

  t.test('a name with an address of this server has one error, whether the address exists or not', async (t) => {
    const errorOf = async (name: string) => {
      const emailId = await hello.receive(raw(`From: "${name}" <${OWN}>`))
      const { notCreated } = await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })
      return notCreated?.s
    }
    const error = await errorOf('b1@orgb.test')
    t.match(error, { type: 'forbiddenFrom', description: /A name/ })
    for (const name of ['nobody@orgb.test', BOSS, 'nobody@example.test']) t.same(await errorOf(name), error)
  })

  t.test('Email/set cannot write such a message', async (t) => {
    const send = async (email: object, more: object = {}): Promise<string> => {
      const create = {
        e: { mailboxIds: { [hello.roles['drafts']!]: true }, to: [{ email: 'a@example.org' }], ...email },
      }
      const made = await hello.call('Email/set', { create })
      if (!made.created) return made.notCreated.e.type
      const submission = { identityId, emailId: made.created.e.id, ...more }
      const { created, notCreated } = await hello.call('EmailSubmission/set', { create: { s: submission } })
      return created ? 'sent' : notCreated.s.type
    }
    const [own, boss] = [{ email: OWN }, { email: BOSS }]
    t.equal(await send({ from: [boss] }), 'forbiddenFrom')
    t.equal(await send({ from: [{ name: OWN, ...boss }] }), 'forbiddenFrom')
    t.equal(await send({ from: [own, boss], sender: [own] }), 'forbiddenFrom')
    t.equal(await send({ from: [own], sender: [boss] }), 'forbiddenFrom')
    t.equal(await send({ 'header:From:asAddresses:all': [[own], [boss]] }), 'invalidEmail')
    t.equal(await send({ 'header:From:all': [` ${OWN}`, ` ${BOSS}`] }), 'invalidEmail')
    t.equal(await send({ 'header:From': ` ${OWN},\r\n ${BOSS}` }), 'invalidEmail')
    t.equal(await send({ 'header:From:asGroupedAddresses': [{ name: 'Team', addresses: [boss] }] }), 'invalidEmail')
    t.equal(await send({ from: [own], 'header:Resent-From:asAddresses': [boss] }), 'forbiddenFrom')
    t.equal(await send({ from: [{ email: `${OWN}>, <${BOSS}` }] }), 'forbiddenFrom')
    t.equal(await send({ from: [{ name: BOSS, ...own }] }), 'forbiddenFrom')
    t.equal(await send({ from: [{ name: 'b1＠orgb.test', ...own }] }), 'forbiddenFrom')
    t.equal(await send({ from: [{ name: 'Boss', ...own }] }), 'sent', 'control')
  })

  t.test("the return address cannot be another's either (RFC 8621 9.6)", async (t) => {
    const emailId = await hello.receive(raw(`From: ${OWN}`))
    const from = async (email: string) => {
      const envelope = { mailFrom: { email }, rcptTo: [{ email: 'a@example.org' }] }
      const { created, notCreated } = await hello.call('EmailSubmission/set', {
        create: { s: { identityId, emailId, envelope } },
      })
      return created ? 'sent' : notCreated.s.type
    }
    for (const email of [BOSS, 'boss@elsewhere.example', 'hello@elsewhere.example', '"boss"@example.test'])
      t.equal(await from(email), 'forbiddenMailFrom')
    for (const email of ['hello', '', `${OWN}>\r\nRCPT TO:<${BOSS}`, `<${OWN}>`])
      t.equal(await from(email), 'invalidProperties')
    t.equal(await from('hello+bounces@example.test'), 'sent')
    t.equal(await from('"hello"@example.test'), 'sent', 'quotes say nothing (RFC 5321 4.1.2)')
    const overSmtp = async (mailFrom: string) => {
      const recipients = [{ address: 'ann@example.org' }]
      const result = await core.submit(hello.principal, { bytes: raw(`From: ${OWN}`), mailFrom, recipients })
      return result.status === 'queued' ? 'sent' : result.reason
    }
    for (const email of [BOSS, 'BOSS@example.test', 'boss+tag@example.test', 'boss@elsewhere.example'])
      t.equal(await overSmtp(email), 'forbiddenFrom', email)
    for (const email of ['hello@elsewhere.example', '"boss"@example.test', 'hello', `${OWN}>\r\nRCPT TO:<${BOSS}`])
      t.not(await overSmtp(email), 'sent', email)
    t.equal(await overSmtp('hello+bounces@example.test'), 'sent')
  })
})
