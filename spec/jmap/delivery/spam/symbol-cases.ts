/** For each symbol of the spam score a message that has it, and a similar control without it. All of them are made up. */
import type { SpamFacts } from '../../../../jmap/delivery/spam/facts.ts'
import type { SymbolName } from '../../../../jmap/delivery/spam/symbols.ts'
import { html, plain, withFile, zip } from './raw-letters.ts'

export interface Case {
  readonly symbol: SymbolName
  readonly found: Judged
  readonly control: Judged
}

interface Judged {
  readonly raw: string
  readonly facts?: Partial<SpamFacts>
}

function mails(symbol: SymbolName, found: string, control: string): Case {
  return { symbol, found: { raw: found }, control: { raw: control } }
}

/** The same letter, with other facts. */
function facts(symbol: SymbolName, found: Partial<SpamFacts>, control: Partial<SpamFacts>): Case {
  return { symbol, found: { raw: plain(), facts: found }, control: { raw: plain(), facts: control } }
}

function results(symbol: SymbolName, found: SpamFacts['authentication'], control: SpamFacts['authentication']): Case {
  return facts(symbol, { authentication: found! }, { authentication: control! })
}

const listed = { zone: 'list.example', subject: '192.0.2.1' }
const learned = (probability: number) => ({ bayes: { probability, known: 20, weight: 1 } })
const link = (href: string, shown = 'here') => html(`<p>Look <a href="${href}">${shown}</a> please, it is nice.</p>`)
const GTUBE = `XJS*C4JDBQADN1.NSBN3*2IDNEN*${'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL'}*C.34X`

export const CASES: readonly Case[] = [
  facts('DNS_LISTED', { dnsLists: [listed] }, { dnsLists: [] }),
  results('SPF_PASS', { spf: 'pass' }, { spf: 'neutral' }),
  results('SPF_FAIL', { spf: 'fail' }, { spf: 'softfail' }),
  results('SPF_SOFTFAIL', { spf: 'softfail' }, { spf: 'temperror' }),
  results('DKIM_PASS', { dkim: 'pass' }, { dkim: 'none' }),
  results('DKIM_FAIL', { dkim: 'fail' }, { dkim: 'temperror' }),
  results('DMARC_PASS', { dmarc: 'pass' }, { dmarc: 'none' }),
  results('DMARC_FAIL', { dmarc: 'fail', dmarcPolicy: 'none' }, { dmarc: 'temperror', dmarcPolicy: 'none' }),
  results(
    'DMARC_QUARANTINE',
    { dmarc: 'fail', dmarcPolicy: 'quarantine' },
    { dmarc: 'pass', dmarcPolicy: 'quarantine' },
  ),
  results('DMARC_REJECT', { dmarc: 'fail', dmarcPolicy: 'reject' }, { dmarc: 'temperror', dmarcPolicy: 'reject' }),
  results('UNAUTHENTICATED', { spf: 'none', dkim: 'none' }, { spf: 'temperror', dkim: 'none' }),
  results('REVERSE_NAME_MISSING', { iprev: 'fail' }, { iprev: 'temperror' }),

  mails('HEADER_NO_FROM', plain({ From: null }), plain()),
  mails('HEADER_NO_DATE', plain({ Date: null }), plain()),
  mails('HEADER_ODD_DATE', plain({ Date: 'yesterday' }), plain()),
  mails(
    'HEADER_FUTURE',
    plain({ Date: 'Fri, 02 Jan 2026 00:00:00 +0000' }),
    plain({ Date: 'Thu, 01 Jan 2026 11:00:00 +0000' }),
  ),
  mails(
    'HEADER_PAST',
    plain({ Date: 'Mon, 01 Dec 2025 00:00:00 +0000' }),
    plain({ Date: 'Mon, 22 Dec 2025 00:00:00 +0000' }),
  ),
  mails('HEADER_NO_TO', plain({ To: null }), plain({ To: null, Cc: 'Ben <ben@example.test>' })),
  mails('HEADER_NOBODY_NAMED', plain({ To: 'undisclosed-recipients:;' }), plain({ To: 'Friends: ben@example.test;' })),
  mails('HEADER_NO_MESSAGE_ID', plain({ 'Message-ID': null }), plain()),
  mails('HEADER_ODD_MESSAGE_ID', plain({ 'Message-ID': '<1234>' }), plain()),
  mails('HEADER_TWICE', plain({ Subject: 'One\r\nSubject: Two' }), plain({ Received: 'x; y\r\nReceived: z; y' })),
  mails('HEADER_ENDLESS', `${'X-A: 1\r\n'.repeat(20_000)}${plain()}`, `${'X-A: 1\r\n'.repeat(100)}${plain()}`),
  mails(
    'HEADER_EIGHT_BITS',
    plain({ Subject: 'Gr\xfc\xdfe' }),
    plain({ Subject: Buffer.from('Grüße').toString('latin1') }),
  ),
  mails(
    'HEADER_RARE_CHARSET',
    plain({ 'Content-Type': 'text/plain; charset=koi8-r' }),
    plain({ 'Content-Type': 'text/plain; charset=iso-8859-1' }),
  ),
  mails('HEADER_BULK_MAILER', plain({ 'X-Mailer': 'Mass Mailer Pro 2' }), plain({ 'X-Mailer': 'Evolution 3' })),
  mails(
    'HEADER_LIST',
    plain({ 'List-Id': '<a.example.org>', 'List-Unsubscribe': '<https://example.org/u>' }),
    plain({ 'List-Id': '<a.example.org>' }),
  ),
  mails(
    'HEADER_ANSWER',
    plain({ 'In-Reply-To': '<a@example.test>', References: '<a@example.test>' }),
    plain({ References: '<a@example.test>' }),
  ),

  mails('SUBJECT_EMPTY', plain({ Subject: ' ' }), plain()),
  mails('SUBJECT_CAPITALS', plain({ Subject: 'Re: LAST CHANCE' }), plain({ Subject: 'NASA news' })),
  mails('SUBJECT_LOUD', plain({ Subject: 'Hurry!!' }), plain({ Subject: 'Hurry!' })),
  mails('SUBJECT_SPACED', plain({ Subject: 'Cheap v i a g r a' }), plain({ Subject: 'Plan a b or c' })),
  mails('SUBJECT_TAIL', plain({ Subject: 'Hello            k3x9' }), plain({ Subject: 'Hello   k3x9' })),
  mails(
    'SUBJECT_FALSE_ANSWER',
    plain({ Subject: 'Re: lunch' }),
    plain({ Subject: 'Re: lunch', 'In-Reply-To': '<a@example.test>' }),
  ),
  mails('SUBJECT_OFFER', plain({ Subject: 'Only $ 9 a month' }), plain({ Subject: 'Nine a month' })),
  mails(
    'TEXT_MIXED_SCRIPTS',
    plain({ Subject: '=?utf-8?Q?P=D0=B0ypal?=' }),
    plain({ Subject: '=?utf-8?Q?Paypal =D0=BF=D0=BE=D1=87=D1=82=D0=B0?=' }),
  ),
  mails(
    'FROM_NAMES_ANOTHER',
    plain({ From: '"service@bank.example" <x@example.org>' }),
    plain({ From: '"info@example.org" <x@mail.example.org>' }),
  ),
  mails('FROM_DIGITS', plain({ From: 'anna83921@example.org' }), plain({ From: 'anna83@example.org' })),
  mails('FROM_ODD_ADDRESS', plain({ From: 'anna@localhost' }), plain()),
  mails(
    'ANSWERS_TO_FREEMAIL',
    plain({ 'Reply-To': 'anna.example@gmail.com' }),
    plain({ From: 'anna@gmail.com', 'Reply-To': 'other@gmail.com' }),
  ),

  mails('GTUBE', plain({}, GTUBE), plain({}, GTUBE.slice(1))),
  mails(
    'WORDS_ADVANCE_FEE',
    plain({}, 'The next of kin of the deceased left an inheritance.'),
    plain({}, 'My next of kin is my sister.'),
  ),
  mails('WORDS_MEDICINE', plain({}, 'Viagra from our pharmacy.'), plain({}, 'I went to the pharmacy.')),
  mails('WORDS_CREDIT', plain({}, 'A mortgage at the lowest rates.'), plain({}, 'The mortgage is paid.')),
  mails('WORDS_EARNING', plain({}, 'Work from home and make money.'), plain({}, 'I work from home today.')),
  mails('WORDS_URGING', plain({}, 'Act now, click here.'), plain({}, 'You may click here.')),
  mails(
    'WORDS_NOT_SPAM',
    plain({}, 'This is not spam.'),
    plain({ 'List-Unsubscribe': '<https://example.org/u>' }, 'This is not spam.'),
  ),
  mails('WORDS_SEX', plain({}, 'Hot girls on live webcams.'), plain({}, 'The girls went to school.')),
  mails(
    'WORDS_PHISHING',
    plain({}, 'Your account has been suspended, dear customer.'),
    plain({}, 'Dear customer, thank you for your order.'),
  ),
  mails(
    'WORDS_EXTORTION',
    plain({}, 'I recorded you with your webcam, pay in bitcoin.'),
    plain({}, 'Is your camera good?'),
  ),
  mails('WORDS_PRIZE', plain({}, 'You have won the lottery.'), plain({}, 'She got a prize at school.')),
  mails('WORDS_SHARES', plain({}, 'Strong buy, price target raised.'), plain({}, 'Investors met on Monday.')),
  mails('WORDS_BULK_TRADE', plain({}, 'Rank your site with backlinks.'), plain({}, 'The hosting costs little.')),
  mails(
    'TEXT_UNSEEN_CHARACTERS',
    plain(utf8(), bytes('w\u200bo\u200br\u200bd '.repeat(10))),
    plain(utf8(), bytes('word\u200b '.repeat(10))),
  ),

  mails('LINK_RUNS_CODE', link('javascript:alert(1)'), link('https://example.org/javascript')),
  mails(
    'LINK_ALMOST_ALONE',
    plain({}, 'See https://example.org/x'),
    plain({}, `${'Many words here. '.repeat(20)}https://example.org/x`),
  ),
  mails('LINK_TO_ADDRESS', link('http://192.0.2.7/x'), link('http://a192.0.2.example.org/x')),
  mails('LINK_HOST_DISGUISED', link('http://3221225985/x'), link('http://example.org/3221225985')),
  mails('LINK_WITH_USER', link('https://bank.example@example.org/'), link('https://example.org/@bank.example')),
  mails('LINK_ODD_PORT', link('http://example.org:8080/'), link('http://example.org:80/')),
  mails('LINK_SHORTENED', link('https://bit.ly/x'), link('https://notbit.ly.example.org/x')),
  mails('LINK_RISKY_ENDING', link('https://example.xyz/'), link('https://xyz.example/')),
  mails('LINK_FOREIGN_LETTERS', link('https://xn--pypal-4ve.example/'), link('https://paypal.example/xn--x')),
  mails('LINK_MANY_LABELS', link('https://a.b.c.d.e.example.org/'), link('https://a.b.example.org/')),
  mails(
    'LINK_LEADS_ON',
    link('https://example.org/r?to=https%3A%2F%2Fother.example'),
    link('https://example.org/r?to=other'),
  ),
  mails(
    'LINK_SHOWS_ANOTHER',
    link('https://evil.example/', 'www.bank.example'),
    link('https://clicks.example/', 'www.example.org'),
  ),

  mails('HTML_ONLY', html('<p>Hello Ben, how are you today?</p>', false), html('<p>Hello Ben, how are you today?</p>')),
  mails(
    'HTML_PICTURES_ONLY',
    html('<img src="cid:a"><img src="cid:b">'),
    html(`<img src="cid:a">${'<p>Words beside the picture.</p>'.repeat(10)}`),
  ),
  mails('HTML_FORM', html('<form action="https://example.org"><input></form>'), html('<p>The form is attached.</p>')),
  mails('HTML_SCRIPT', html('<script>x()</script>'), html('<p>script</p>')),
  mails('HTML_FRAME', html('<iframe src="https://example.org"></iframe>'), html('<p>iframe</p>')),
  mails(
    'HTML_LEADS_AWAY',
    html('<meta http-equiv="refresh" content="0;url=https://example.org">'),
    html('<meta charset="utf-8">'),
  ),
  mails('HTML_BASE', html('<base href="https://example.org/">'), html('<base target="_blank">')),
  mails('HTML_LOUD', html('<font size="7">a</font>'.repeat(3)), html('<font size="2">a</font>'.repeat(3))),
  mails(
    'HTML_SPLIT_WORDS',
    html('vi<!-- x -->agra ci<!-- y -->alis lev<!-- z -->itra'),
    html('<!-- x --> via <!-- y --> the <!-- z --> road'),
  ),
  mails(
    'HTML_NEEDLESS_REFERENCES',
    html('&#118;&#105;&#97;&#103;&#114;'.repeat(5)),
    html('&#8364;&#228;&#246;&#252;&#223;'.repeat(5)),
  ),
  mails(
    'HTML_HIDDEN_TEXT',
    html('<span style="font-size:0px">a</span>'.repeat(3)),
    html('<span style="font-size:10px">a</span>'.repeat(3)),
  ),

  mails('FILE_PROGRAM', withFile('setup.exe'), withFile('setup.txt')),
  mails('FILE_PROGRAM_HIDDEN', withFile('photo.jpg', 'MZ\x90\0'), withFile('photo.jpg', '\xff\xd8\xff\xe0')),
  mails('FILE_PROGRAM_IN_ARCHIVE', withFile('a.zip', zip('a/run.exe')), withFile('a.zip', zip('a/run.txt'))),
  mails('FILE_TWO_ENDINGS', withFile('invoice.pdf.exe'), withFile('invoice.v2.exe')),
  mails(
    'FILE_NAME_TURNED',
    withFile("utf-8''%E2%80%AEgpj.exe", 'x', 'filename*'),
    withFile("utf-8''%C3%A4gpj.exe", 'x', 'filename*'),
  ),
  mails('FILE_DISK_IMAGE', withFile('backup.iso'), withFile('backup.iso.txt')),
  mails(
    'FILE_MACROS',
    withFile('sheet.docx', zip('word/vbaProject.bin')),
    withFile('sheet.docx', zip('word/document.xml')),
  ),
  mails('FILE_ARCHIVE', withFile('a.zip'), withFile('zip.txt')),
  mails('FILE_LOCKED_ARCHIVE', withFile('a.zip', zip('a.txt', 1)), withFile('a.zip', zip('a.txt'))),
  mails('FILE_PAGE', withFile('login.html'), withFile('login.pdf')),

  facts('BAYES_SPAM', learned(0.99), learned(0.55)),
  facts('BAYES_HAM', learned(0.01), learned(0.45)),
]

function utf8() {
  return { 'Content-Type': 'text/plain; charset=utf-8' }
}

function bytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}
