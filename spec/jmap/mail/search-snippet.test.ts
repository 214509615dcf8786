import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail } from '../mails.ts'

const { mailbox } = await startCore(t, 'sqlite', { maxObjectsInGet: 60 })
const box = await mailbox('hello')
const UTF8 = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8']
const HTML = ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8']

const get = (filter: object | null, emailIds: readonly string[], into: TestMailbox = box) =>
  into.call('SearchSnippet/get', { filter: filter && { ...filter }, emailIds })
/** The snippet of one email. */
async function snippet(filter: object | null, id: string) {
  const { list } = await get(filter, [id])
  t.equal(list.length, 1)
  t.equal(list[0].emailId, id)
  return { subject: list[0].subject, preview: list[0].preview }
}
const bytes = (text: string) => Buffer.byteLength(text)

t.test('words of the filter are marked in subject and preview (RFC 8621 5)', async (t) => {
  const id = await box.receive(mail({ subject: 'The Football match', body: 'See you at the football, 8 pm.' }))
  t.same(await snippet({ text: 'football' }, id), {
    subject: 'The <mark>Football</mark> match',
    preview: 'See you at the <mark>football</mark>, 8 pm.',
  })
})

t.test('a text without a match is null (RFC 8621 5)', async (t) => {
  const id = await box.receive(mail({ subject: 'Apples', body: 'and pears' }))
  t.same(await snippet({ text: 'plums' }, id), { subject: null, preview: null })
  t.same(await snippet({ text: 'apples' }, id), { subject: '<mark>Apples</mark>', preview: null })
  t.same(await snippet({ text: 'pears' }, id), { subject: null, preview: 'and <mark>pears</mark>' })
})

t.test('a filter for one field marks that field only', async (t) => {
  const id = await box.receive(mail({ from: 'Rose <rose@x.test>', subject: 'a rose', body: 'is a rose' }))
  t.same(await snippet({ subject: 'rose' }, id), { subject: 'a <mark>rose</mark>', preview: null })
  t.same(await snippet({ body: 'rose' }, id), { subject: null, preview: 'is a <mark>rose</mark>' })
  t.same(await snippet({ from: 'rose' }, id), { subject: null, preview: null })
})

t.test('a filter without text, or no filter, gives null (RFC 8621 5)', async (t) => {
  const id = await box.receive(mail())
  for (const filter of [null, {}, { hasAttachment: false }, { text: '' }, { inMailbox: box.roles['inbox']! }])
    t.same(await snippet(filter, id), { subject: null, preview: null }, JSON.stringify(filter))
})

t.test('texts inside operators are marked, except those below NOT', async (t) => {
  const id = await box.receive(mail({ subject: 'one two three four', body: 'x' }))
  const filter = {
    operator: 'AND',
    conditions: [
      { text: 'one' },
      { operator: 'OR', conditions: [{ subject: 'three' }, { subject: 'nine', hasAttachment: true }] },
      { operator: 'NOT', conditions: [{ text: 'two' }, { operator: 'NOT', conditions: [{ text: 'four' }] }] },
    ],
  }
  t.equal((await snippet(filter, id)).subject, '<mark>one</mark> two <mark>three</mark> four')
})

t.test('markup in texts is escaped, inside marks and outside (RFC 8621 5)', async (t) => {
  const id = await box.receive(
    mail({ subject: '<script>alert("x & y")</script>', body: 'if a<b && b>c then <mark>mine</mark>' }),
  )
  t.same(await snippet({ text: 'alert mine' }, id), {
    subject: '&lt;script&gt;<mark>alert</mark>("x &amp; y")&lt;/script&gt;',
    preview: 'if a&lt;b &amp;&amp; b&gt;c then &lt;mark&gt;<mark>mine</mark>&lt;/mark&gt;',
  })
  t.match((await snippet({ body: '"a<b && b>c"' }, id)).preview, /^if <mark>a&lt;b &amp;&amp; b&gt;c<\/mark> then &lt;/)
})

t.test('matching ignores case and accents as search does', async (t) => {
  const id = await box.receive(mail({ headers: UTF8, body: 'Die Straße in KÖLN, crème brûlée' }))
  t.equal(
    (await snippet({ text: 'strasse koln "creme BRULEE"' }, id)).preview,
    'Die <mark>Straße</mark> in <mark>KÖLN</mark>, <mark>crème brûlée</mark>',
  )
})

t.test('a phrase is marked as a whole, and its single words are not (RFC 8621 4.4.1)', async (t) => {
  const id = await box.receive(mail({ body: 'green red, red\n  green' }))
  t.equal((await snippet({ text: '"red green"' }, id)).preview, 'green red, <mark>red green</mark>')
})

t.test('prefixes and Chinese, Japanese and Korean text are marked in place', async (t) => {
  const id = await box.receive(mail({ headers: UTF8, body: '会議は東京タワーで行います。Businesses too.' }))
  t.equal((await snippet({ text: '京タ' }, id)).preview, '会議は東<mark>京タ</mark>ワーで行います。Businesses too.')
  t.match((await snippet({ text: '議' }, id)).preview, /^会<mark>議<\/mark>は/)
  t.match((await snippet({ text: 'busin*' }, id)).preview, /<mark>Businesses<\/mark> too\.$/)
})

t.test('html is shown as text, with entities decoded and escaped again', async (t) => {
  const id = await box.receive(
    mail({
      headers: HTML,
      body: '<head><style>needle{}</style></head><p title="attribute">hay &lt; hay</p><p>a <b>nee</b>dle &amp; more</p>',
    }),
  )
  t.equal((await snippet({ text: 'needle' }, id)).preview, 'hay &lt; hay a <mark>needle</mark> &amp; more attribute')
  t.match((await snippet({ text: 'attribute' }, id)).preview, /more <mark>attribute<\/mark>$/)
})

t.test('a preview has at most 255 octets, with whole marks and entities (RFC 8621 5)', async (t) => {
  const bodies = {
    latin: `${'lorem ipsum & dolor <sit> '.repeat(200)}needle ${'amet '.repeat(200)}`,
    cjk: `${'一丁丂七丄丅丆万丈三'.repeat(100)}needle${'上下丌不与丏丐丑丒专'.repeat(100)}`,
    emoji: `${'😀'.repeat(300)} needle ${'👩‍👩‍👧'.repeat(100)}`,
    amps: `${'&'.repeat(500)} needle ${'<'.repeat(500)}`,
    many: 'needle '.repeat(500),
    newlines: `${'\n'.repeat(500)}needle${'\r\n \t'.repeat(500)}end`,
    start: `needle ${'after '.repeat(100)}`,
    end: `${'before '.repeat(100)}needle`,
  }
  for (const [name, body] of Object.entries(bodies)) {
    const { preview } = await snippet({ body: 'needle' }, await box.receive(mail({ headers: UTF8, body })))
    t.ok(bytes(preview) <= 255, `${name}: ${bytes(preview)} octets`)
    t.match(preview, /<mark>needle<\/mark>/, name)
    t.notMatch(preview.replace(/<mark>[^<>]*<\/mark>/g, '').replace(/&(amp|lt|gt);/g, ''), /[<>&\uFFFD\n]/, name)
    t.ok(preview.isWellFormed(), name)
  }
})

t.test('a match longer than a preview is cut, and still closed', async (t) => {
  const phrase = '東京都庁前広場'.repeat(14)
  const { preview } = await snippet({ body: phrase }, await box.receive(mail({ headers: UTF8, body: phrase })))
  t.ok(bytes(preview) <= 255)
  t.match(preview, /^<mark>東京.*<\/mark>…$/)
})

t.test('the preview shows where most of the words are', async (t) => {
  const body = `alpha ${'filler '.repeat(100)} alpha beta gamma ${'filler '.repeat(100)}`
  const { preview } = await snippet({ text: 'alpha beta gamma' }, await box.receive(mail({ body })))
  t.match(preview, '<mark>alpha</mark> <mark>beta</mark> <mark>gamma</mark>')
  t.match(preview, /^…filler/)
})

t.test('attached texts and attached messages are searched as in search', async (t) => {
  const id = await box.receive(`From: Bob <bob@example.org>
Subject: Files
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

see below
--b
Content-Type: text/plain
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=notes.txt

aGFuZHdyaXR0ZW4gcmVtYXJrcw==
--b
Content-Type: message/rfc822

Subject: Inner

deeply hidden
--b--
`)
  t.equal((await snippet({ text: 'remarks' }, id)).preview, 'handwritten <mark>remarks</mark>')
  t.equal((await snippet({ text: 'hidden' }, id)).preview, 'Inner deeply <mark>hidden</mark>')
  t.equal((await snippet({ text: 'below remarks' }, id)).preview, 'see <mark>below</mark>')
})

t.test('a message without a subject has no subject to show', async (t) => {
  const id = await box.receive('From: bob@example.org\n\nnull and void\n')
  t.same(await snippet({ text: 'null' }, id), { subject: null, preview: '<mark>null</mark> and void' })
})

t.test('a large message is read in part only', async (t) => {
  const id = await box.receive(mail({ body: `${'early bird '.repeat(60_000)}late` }))
  t.match((await snippet({ text: 'early' }, id)).preview, /^<mark>early<\/mark> bird <mark>early/)
  t.equal((await snippet({ text: 'late' }, id)).preview, null)
})

t.test('unknown emails are notFound, which is null if all exist (RFC 8621 5.1)', async (t) => {
  const id = await box.receive(mail())
  const other = await (await mailbox('other')).receive(mail())
  const some = await get({ text: 'noon' }, [id, 'msg_nonsense', other, id])
  t.same(
    some.list.map(({ emailId }: { emailId: string }) => emailId),
    [id],
  )
  t.same(some.notFound, ['msg_nonsense', other])
  t.equal(some.accountId, box.accountId)
  t.equal((await get({ text: 'noon' }, [id])).notFound, null)
  t.same(await get({ text: 'noon' }, []), { accountId: box.accountId, list: [], notFound: null })
})

t.test('filters that Email/query refuses are refused here (RFC 8621 5.1)', async (t) => {
  const words = Array.from({ length: 201 }, (_, i) => `w${i}`).join(' ')
  t.match(await get({ nonsense: 1 }, []), { type: 'unsupportedFilter' })
  t.match(await get({ text: words }, []), { type: 'unsupportedFilter' })
  matchWhole(t, await get({ text: words.slice(0, -5) }, []), { list: [] }, 'control')
  t.match(await get({ text: 1 }, []), { type: 'invalidArguments' })
  t.match(await get({ operator: 'XOR', conditions: [] }, []), { type: 'invalidArguments' })
  t.match(await box.call('SearchSnippet/get', { filter: null }), { type: 'invalidArguments' })
})

t.test('more emails than Email/get accepts are requestTooLarge (RFC 8621 5.1)', async (t) => {
  const ids = Array.from({ length: 61 }, (_, i) => `msg_${i}`)
  t.match(await get({ text: 'x' }, ids), { type: 'requestTooLarge' })
  matchWhole(t, await get({ text: 'x' }, ids.slice(1)), { list: [] })
})
