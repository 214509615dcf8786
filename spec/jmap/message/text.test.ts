import t from 'tap'
import { baseSubject } from '../../../jmap/message/base-subject.ts'
import { htmlToText } from '../../../jmap/message/html-text.ts'
import { previewOf } from '../../../jmap/message/preview.ts'
import { wordsBeyond } from '../../../jmap/message/words-beyond.ts'
import { parse } from './fixtures.ts'

function words(html: string): string {
  return htmlToText(html, 1_000).replace(/\s+/g, ' ').trim()
}

for (const [what, html, expected] of [
  ['tags', '<p>one</p><p>t<b>w</b>o</p>', 'one two'],
  ['line breaks', 'a<br>b<br/>c', 'a b c'],
  ['table cells', '<table><tr><td>a</td><td>b</td></tr></table>', 'a b'],
  ['scripts and styles', 'a<script>if (x < 1) { y("</p>") }</script><STYLE>p{}</Style >b', 'ab'],
  ['the head', '<html><head><title>T</title><meta x></head><body>b</body>', 'b'],
  ['a head that never closes', '<head><meta x><body>b', 'b'],
  ['comments', 'a<!-- <b>x</b> -- > -->b<!DOCTYPE html>c', 'abc'],
  ['conditional comments', '<!--[if mso]>x<![endif]-->b', 'b'],
  ['attributes with angle brackets', '<a title="x > y" href=\'>\'>b</a>', 'b'],
  ['an apostrophe in a tag', "<p it's>b</p>", 'b'],
  ['angle brackets that are text', '1 < 2 <3 a<', '1 < 2 <3 a<'],
  ['named references', '&lt;b&gt; &amp;amp; &auml;&nbsp;&hellip; &copy 2020', '<b> &amp; ä … © 2020'],
  ['numeric references', '&#228;&#xE4;&#x1F600;', 'ää😀'],
  ['references that are none', '&; &foo; &#; &#x; & &#x110000;', '&; &foo; &#; &#x; & \ufffd'],
  ['an unclosed tag', 'a<b', 'a'],
] as const) {
  t.test(`HTML to text handles ${what}`, async (t) => {
    t.equal(words(html), expected)
  })
}

t.test('HTML to text stops at the requested length', async (t) => {
  t.ok(htmlToText('<p>word</p>'.repeat(10_000), 100).length < 300)
})

t.test('RFC 8621 4.1.4: a preview has at most 256 characters and no split pair', async (t) => {
  t.equal(previewOf('a'.repeat(300)).length, 256)
  const emoji = previewOf('😀'.repeat(200))
  t.ok(emoji.length <= 256 && emoji.isWellFormed())
  const odd = previewOf(`a${'😀'.repeat(200)}`)
  t.ok(odd.length <= 256 && odd.isWellFormed())
})

t.test('RFC 8621 4.1.4: a preview folds white space and leaves out quotes, rulers and the signature', async (t) => {
  t.equal(previewOf('  Hi\r\n\t there \u200b\u00a0 you\n'), 'Hi there you')
  t.equal(previewOf('> quoted\nanswer\n> more\nand more\n-- \nBob'), 'answer and more')
  t.equal(previewOf('-----\nNews\n=====\n'), 'News')
})

t.test('a preview of a text with only quotes shows them', async (t) => {
  t.equal(previewOf('> quoted'), '> quoted')
})

t.test('RFC 8621 4.1.4: the preview of an HTML message has no HTML', async (t) => {
  const parsed = parse('Content-Type: text/html', '', '<html><head><title>t</title></head><body>Hi <b>you</b> &amp; me')
  t.equal(parsed.preview, 'Hi you & me')
})

t.test('the preview comes from the HTML when the plain version is empty', async (t) => {
  const parsed = parse(
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    '',
    ' ',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>shown</p>',
    '--b--',
  )
  t.equal(parsed.preview, 'shown')
})

t.test('a message without text has an empty preview', async (t) => {
  t.equal(parse('Content-Type: image/png', '', 'x').preview, '')
})

t.test('search finds body text, attached texts, attached messages and attachment names, but no markup', async (t) => {
  const { searchText } = parse(
    'Subject: outersubject',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p class="markup">bodyword</p>',
    '--b',
    'Content-Type: text/plain',
    'Content-Disposition: attachment; filename="filename.txt"',
    '',
    'attachedword',
    '--b',
    'Content-Type: application/pdf; name=report.pdf',
    '',
    'binarycontent',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: innersubject',
    '',
    'innerword',
    '--b--',
  )
  for (const word of ['bodyword', 'attachedword', 'filename.txt', 'report.pdf', 'innersubject', 'innerword']) {
    t.ok(searchText.includes(word), word)
  }
  for (const word of ['markup', 'binarycontent', 'outersubject']) t.notOk(searchText.includes(word), word)
})

t.test('search text of two versions holds the text once, and the words that only the HTML has', async (t) => {
  const { searchText } = parse(
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    '',
    'Hello dear reader',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>Hello <b>dear</b> extraordinary reader</p>',
    '--b--',
  )
  t.equal(searchText.match(/Hello/g)?.length, 1)
  t.ok(searchText.includes('extraordinary'))
})

t.test('words beyond the plain version are found as whole words', async (t) => {
  t.equal(wordsBeyond('one two three', 'one\n two, three!'), '')
  t.equal(wordsBeyond('category one', 'cat one'), 'cat')
  t.equal(wordsBeyond('a b c', 'a x b c y'), 'x y')
})

t.test('an HTML version that differs much is indexed whole', async (t) => {
  const html = Array.from({ length: 50 }, (_, index) => `word${index}`).join(' ')
  t.equal(wordsBeyond('Please use a client that shows HTML', html), html)
})

for (const [subject, expected] of [
  ['Re: hello', 'hello'],
  ['RE : re:FWD: hello', 'hello'],
  ['Re[2]: hello', 'hello'],
  ['[list] Re: [list] hello', 'hello'],
  ['[list] hello', 'hello'],
  ['[list]', '[list]'],
  ['[a] [b]', '[b]'],
  ['hello (fwd) (FWD) ', 'hello'],
  ['[Fwd: Re: hello]', 'hello'],
  ['[fwd: [fwd: hello]]', 'hello'],
  ['hello   \t  world', 'hello world'],
  ['Re: ', ''],
  ['regarding: x', 'regarding: x'],
  ['AW: hello', 'AW: hello'],
] as const) {
  t.test(`RFC 5256 2.1: the base subject of "${subject}"`, async (t) => {
    t.equal(baseSubject(subject), expected)
  })
}
