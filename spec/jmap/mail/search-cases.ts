/** Emails, and the ones that each search must find, on both engines. */
import type { JsonObject } from '../../../server/base/json.ts'
import { mail } from '../mails.ts'

const UTF8 = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8']
const text = (subject: string, body: string, more: readonly string[] = []) =>
  mail({ subject, body, headers: [...UTF8, ...more] })

/** By name. */
export const EMAILS: { readonly [name: string]: string } = {
  german: text('Grüße aus Köln', 'Die Straße ist lang. Der Weg auch. Äpfel, Öl und Übermut.'),
  french: text('Crème brûlée', "Un œuf, naïve façade, l'été à Nîmes; c'est déjà Noël."),
  greek: text('Ω και ω', 'Οδυσσεύς ταξιδεύει. ΟΔΟΣ.'),
  russian: text('Привет, мир', 'Москва и Ёлка'),
  turkish: text('İstanbul', 'ışık ILIK'),
  hebrew: text('שָׁלוֹם', 'שלום עולם'),
  arabic: text('مَرْحَبًا', 'السلام عليكم'),
  hindi: text('नमस्ते', 'दुनिया की'),
  chinese: text('会议记录', '我们明天见。北京市朝阳区。'),
  japanese: text('会議の議事録', '東京タワーで会いましょう。サーバーの件です。ﾀﾜｰ'),
  korean: text('서울 여행', '우리는 서울에서 만났습니다'),
  thai: text('สวัสดีครับ', 'ประชุมวันจันทร์ที่กรุงเทพ'),
  mixed: text('iPhone充電器 v2', 'ABC商事の請求書No.42'),
  wide: text('ＦＵＬＬ ｗｉｄｔｈ', 'ﬁne ① ² Ⅷ'),
  invoice: text(
    'Invoice 2026-01-15',
    "Total: 1,234.56 EUR. Order #A-77/3. Don't panic: 100% O'Reilly & Sons. +49 (0)30 1234567. 192.0.2.1 v1.2.3",
  ),
  people: mail({
    from: '"Lovelace, Ada" <ada.lovelace@mail.analytical-engines.example>',
    to: 'Charles Babbage <charles@difference.example>, hello@example.test',
    headers: ['Cc: =?utf-8?q?J=C3=BCrgen_M=C3=BCller?= <jm@kopie.example>', 'Bcc: secret@hidden.example'],
    subject: 'Notes',
    body: 'On the engine.',
  }),
  phrases: text('red green blue', 'one two three. four five six. red blue green'),
  split: text('alpha', 'beta\ngamma\n\ndelta'),
  quoted: text('Quotes', 'She said "never again" and left; it\'s over'),
  coded: mail({ subject: '=?iso-8859-1?Q?Verg=FCtung_f=FCr_M=E4rz?=', body: 'plain' }),
  html: mail({
    subject: 'Page',
    headers: ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8'],
    body: '<head><title>headtitle</title><style>.stylish{}</style></head><body class="classy"><p>vis<b>ib</b>le caf&eacute; <img alt="sunset picture" src="x.png"><a title="hovertext" href="https://linktarget.example/">click</a></p><script>scripted()</script><!-- commented --></body>',
  }),
  attached: `From: Bob <bob@example.org>
Subject: Files
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

see below
--b
Content-Type: application/pdf; name="Quarterly_Report-2026.pdf"
Content-Disposition: attachment; filename="Quarterly_Report-2026.pdf"

x
--b
Content-Type: image/png
Content-Disposition: attachment; filename*=utf-8''gr%C3%BC%C3%9Fe%20foto.png

x
--b
Content-Type: text/plain
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=notes.txt

aGFuZHdyaXR0ZW4gcmVtYXJrcw==
--b
Content-Type: message/rfc822

From: inner@example.org
Subject: Forwarded matter

deeply nested words
--b--
`,
  alternative: `From: Bob <bob@example.org>
Subject: Both
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain

same words here
--b
Content-Type: text/html

<p>same words here <i>htmlonly</i></p>
--b--
`,
  long: text('Long', `${Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)}`).join(' ')} tail of the tale`),
  repeated: text('Repeated', `${'very '.repeat(600)}interesting`),
  base64: text('Junk', `${'QUJD'.repeat(40)} after`),
}

type Filter = JsonObject

/** Names of the found emails, in the order of EMAILS. */
export const CASES: readonly [filter: Filter, found: readonly string[]][] = [
  // Case, accents, compatibility forms.
  [{ text: 'strasse' }, ['german']],
  [{ text: 'STRASSE' }, ['german']],
  [{ text: 'straße' }, ['german']],
  [{ text: 'grusse' }, ['german', 'attached']],
  [{ text: 'GRÜßE koln' }, ['german']],
  [{ text: 'u\u0308bermut' }, ['german']],
  [{ text: 'apfel ol' }, ['german']],
  [{ text: 'creme BRULEE' }, ['french']],
  [{ text: 'noel' }, ['french']],
  [{ text: 'nimes' }, ['french']],
  [{ text: 'Ω' }, ['greek']],
  [{ text: 'ω' }, ['greek']],
  [{ text: 'ΟΔΥΣΣΕΥΣ' }, ['greek']],
  [{ text: 'οδος' }, ['greek']],
  [{ text: 'МИР' }, ['russian']],
  [{ text: 'елка' }, ['russian']],
  [{ text: 'istanbul' }, ['turkish']],
  [{ text: 'שלום' }, ['hebrew']],
  [{ text: 'مرحبا' }, ['arabic']],
  [{ text: 'नमस्ते' }, ['hindi']],
  [{ text: 'full WIDTH' }, ['wide']],
  [{ text: 'fine 1 2' }, ['wide']],
  [{ text: 'viii' }, ['wide']],
  [{ text: 'gross' }, []],
  // Chinese, Japanese, Korean, Thai: any part.
  [{ text: '会议' }, ['chinese']],
  [{ text: '明天见' }, ['chinese']],
  [{ text: '朝阳' }, ['chinese']],
  [{ text: '昨天' }, []],
  [{ text: '京' }, ['chinese', 'japanese']],
  [{ text: '京市' }, ['chinese']],
  [{ text: '東京' }, ['japanese']],
  [{ text: '京タ' }, ['japanese']],
  [{ text: '京東' }, []],
  [{ text: 'タワー' }, ['japanese']],
  [{ text: 'ﾀﾜ' }, ['japanese']],
  [{ text: 'サーバ' }, ['japanese']],
  [{ subject: '議事録' }, ['japanese']],
  [{ body: '議事録' }, []],
  [{ text: '東京タワーで会いましょう' }, ['japanese']],
  [{ text: '서울' }, ['korean']],
  [{ text: '만났습' }, ['korean']],
  [{ text: '부산' }, []],
  [{ text: 'วันจันทร์' }, ['thai']],
  [{ text: 'กรุงเทพ' }, ['thai']],
  [{ text: 'สวัสดี' }, ['thai']],
  [{ text: 'วันอังคาร' }, []],
  [{ text: 'iphone 充電' }, ['mixed']],
  [{ text: 'iphone充電器' }, ['mixed']],
  [{ text: '請求書no.42' }, ['mixed']],
  // Numbers and punctuation.
  [{ text: '2026-01-15' }, ['invoice']],
  [{ text: '15-01-2026' }, []],
  [{ text: '1,234.56' }, ['invoice']],
  [{ text: '1234.56' }, []],
  [{ text: '#A-77/3' }, ['invoice']],
  [{ text: "don't" }, ['invoice']],
  [{ text: "o'reilly" }, ['invoice']],
  [{ text: '100%' }, ['invoice']],
  [{ text: '+49 30 1234567' }, ['invoice']],
  [{ text: '192.0.2.1' }, ['invoice']],
  [{ text: 'v1.2' }, ['invoice']],
  [{ text: 'v2' }, ['mixed']],
  // Addresses and names by their parts.
  [{ from: 'ada' }, ['people']],
  [{ from: 'lovelace' }, ['people']],
  [{ from: '"lovelace, ada"' }, ['people']],
  [{ from: 'ada.lovelace@mail.analytical-engines.example' }, ['people']],
  [{ from: 'analytical-engines.example' }, ['people']],
  [{ from: 'engines' }, ['people']],
  [{ from: '@mail.' }, ['people']],
  [{ from: 'babbage' }, []],
  [{ to: 'babbage' }, ['people']],
  [{ to: 'charles@difference.example' }, ['people']],
  [{ cc: 'jurgen' }, ['people']],
  [{ cc: 'MÜLLER' }, ['people']],
  [{ cc: 'kopie.example' }, ['people']],
  [{ bcc: 'secret@hidden.example' }, ['people']],
  [{ cc: 'secret' }, []],
  [{ text: 'jm@kopie.example' }, ['people']],
  [{ text: 'hidden' }, ['people']],
  // All words, phrases, prefixes.
  [{ text: 'green six' }, ['phrases']],
  [{ text: '"red green"' }, ['phrases']],
  [{ text: "'green blue'" }, ['phrases']],
  [{ text: '"green red"' }, []],
  [{ subject: '"red blue"' }, []],
  [{ body: '"red blue"' }, ['phrases']],
  [{ text: '"three four"' }, ['phrases']],
  [{ text: '"blue one"' }, []],
  [{ text: '"gamma delta"' }, ['split']],
  [{ text: '"alpha beta"' }, []],
  [{ text: '"never again"' }, ['quoted']],
  [{ text: '"said \\"never again\\""' }, ['quoted']],
  [{ text: '"it\\\'s over"' }, ['quoted']],
  [{ text: 'invoic*' }, ['invoice']],
  [{ text: 'invoic' }, []],
  [{ text: '"invoic*"' }, []],
  [{ text: '*nvoice' }, ['invoice'].slice(1)],
  [{ subject: 'gre*' }, ['phrases']],
  [{ subject: 'gr*' }, ['german', 'phrases']],
  // Encoded, marked-up and attached text.
  [{ subject: 'vergutung marz' }, ['coded']],
  [{ text: 'visible' }, ['html']],
  [{ body: 'café' }, ['html']],
  [{ body: 'sunset' }, ['html']],
  [{ body: 'hovertext' }, ['html']],
  [{ text: 'headtitle' }, []],
  [{ text: 'stylish' }, []],
  [{ text: 'classy' }, []],
  [{ text: 'scripted' }, []],
  [{ text: 'commented' }, []],
  [{ text: 'linktarget' }, []],
  [{ text: 'quarterly' }, ['attached']],
  [{ text: 'quarterly_report-2026.pdf' }, ['attached']],
  [{ attachmentName: 'report' }, ['attached']],
  [{ attachmentName: 'notes.txt' }, ['attached']],
  [{ attachmentName: 'gruesse' }, []],
  [{ attachmentName: 'grusse' }, ['attached']],
  [{ body: 'handwritten' }, ['attached']],
  [{ text: 'deeply nested' }, ['attached']],
  [{ text: 'forwarded' }, ['attached']],
  [{ body: '"same words"' }, ['alternative']],
  [{ body: 'htmlonly' }, ['alternative']],
  // Text far down, repeated often, hard to type.
  [{ text: 'tail' }, ['long']],
  [{ text: '"tail of the tale"' }, ['long']],
  [{ body: '"w2 w3 w4"' }, ['long']],
  [{ text: '"very interesting"' }, ['repeated']],
  [{ text: '"interesting very"' }, []],
  [{ text: 'after' }, ['base64']],
  // Header fields.
  [{ header: ['BCC'] }, ['people']],
  [{ header: ['bcc', 'HIDDEN'] }, ['people']],
  [{ header: ['Cc', 'jurgen'] }, ['people']],
  [{ header: ['Content-Type', 'multipart/alt'] }, ['alternative']],
  [{ header: ['X-None'] }, []],
  [{ header: ['X-None', 'x'] }, []],
  // Beside a text without a word the other conditions count alone.
  [{ text: '-', from: 'ada' }, ['people']],
  [{ operator: 'AND', conditions: [{ subject: '-' }, { text: '***' }, { from: 'ada' }] }, ['people']],
  [{ operator: 'OR', conditions: [{ subject: '!? -- ()' }, { from: 'ada' }] }, ['people']],
  [
    {
      operator: 'AND',
      conditions: [{ from: 'ada' }, { operator: 'NOT', conditions: [{ text: '"' }, { text: 'absent' }] }],
    },
    ['people'],
  ],
  [{ operator: 'AND', conditions: [{ from: 'ada' }, { operator: 'NOT', conditions: [{ text: '"' }] }] }, ['people']],
  [{ header: ['Bcc', '@'] }, ['people']],
  // Combined.
  [{ text: 'red', body: 'six' }, ['phrases']],
  [
    { operator: 'OR', conditions: [{ text: 'noel' }, { subject: 'invoice' }, { text: 'absent' }] },
    ['french', 'invoice'],
  ],
  [
    {
      operator: 'AND',
      conditions: [{ text: '会*' }, { operator: 'NOT', conditions: [{ subject: '会議' }, { text: 'absent' }] }],
    },
    ['chinese'],
  ],
  [{ operator: 'AND', conditions: [{ header: ['bcc', 'hidden'] }, { text: 'engine' }, { from: 'ada' }] }, ['people']],
]
