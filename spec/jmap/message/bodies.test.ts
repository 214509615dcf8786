import t from 'tap'
import { parseMessage } from '../../../jmap/message/structure.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { labels, message, parse } from './fixtures.ts'

function multipart(subtype: string, boundary: string, ...parts: string[]): string {
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `Content-Type: multipart/${subtype}; boundary=${boundary}\r\n\r\n${body}--${boundary}--`
}

function leaf(type: string, label: string, ...fields: string[]): string {
  return [`Content-Type: ${type}`, ...fields, '', label].join('\r\n')
}

function classify(source: string) {
  const bytes = message(source)
  const parsed = parseMessage(bytes)
  const { textBody, htmlBody, attachments, hasAttachment } = parsed.structure
  return {
    text: labels(parsed, bytes, textBody).join(' '),
    html: labels(parsed, bytes, htmlBody).join(' '),
    attachments: labels(parsed, bytes, attachments).join(' '),
    hasAttachment,
  }
}

const INLINE = 'Content-Disposition: inline'
const ATTACHMENT = 'Content-Disposition: attachment'

t.test('RFC 8621 4.1.4: the example of a message that a list manager wrapped', async (t) => {
  const source = multipart(
    'mixed',
    'b1',
    leaf('text/plain', 'A', INLINE),
    multipart(
      'mixed',
      'b2',
      multipart(
        'alternative',
        'b3',
        multipart(
          'mixed',
          'b4',
          leaf('text/plain', 'B', INLINE),
          leaf('image/jpeg', 'C', INLINE),
          leaf('text/plain', 'D', INLINE),
        ),
        multipart('related', 'b5', leaf('text/html', 'E'), leaf('image/jpeg', 'F')),
      ),
      leaf('image/jpeg', 'G', ATTACHMENT),
      leaf('application/x-excel', 'H'),
      leaf('message/rfc822', 'J'),
    ),
    leaf('text/plain', 'K', INLINE),
  )
  t.match(classify(source), { text: 'A B C D K', html: 'A E K', attachments: 'C F G H J', hasAttachment: true })
})

t.test('RFC 8621 4.1.4: an alternative with one kind serves both bodies', async (t) => {
  t.match(classify(multipart('alternative', 'b', leaf('text/plain', 'P'))), { text: 'P', html: 'P', attachments: '' })
  t.match(classify(multipart('alternative', 'b', leaf('text/html', 'H'))), { text: 'H', html: 'H', attachments: '' })
  t.match(classify(multipart('alternative', 'b', leaf('text/plain', 'P'), leaf('text/html', 'H'))), {
    text: 'P',
    html: 'H',
  })
})

t.test('RFC 8621 4.1.4: a named text part that is not the first is an attachment', async (t) => {
  const named = leaf('text/plain; name=a.txt', 'N')
  t.match(classify(multipart('mixed', 'b', leaf('text/plain', 'P'), named)), { text: 'P', attachments: 'N' })
  t.match(classify(multipart('mixed', 'b', named, leaf('text/plain', 'P'))), { text: 'N P', attachments: '' })
})

t.test('RFC 8621 4.1.4: a body with disposition attachment, and a non-text type, are attachments', async (t) => {
  t.match(classify(leaf('text/plain', 'A', ATTACHMENT)), { text: '', attachments: 'A', hasAttachment: true })
  t.match(classify(leaf('application/pdf', 'A')), { text: '', attachments: 'A', hasAttachment: true })
})

t.test('media beside the text is in both bodies and is no attachment', async (t) => {
  const source = multipart('mixed', 'b', leaf('text/plain', 'P'), leaf('image/png', 'I', INLINE))
  t.match(classify(source), { text: 'P I', html: 'P I', attachments: '', hasAttachment: false })
})

const IMAGE = leaf('image/png', 'I', 'Content-ID: <pic@x>')

t.test('hasAttachment ignores an image that the HTML shows, and counts one that it does not', async (t) => {
  t.match(classify(multipart('related', 'b', leaf('text/html', '<img src="cid:pic@x">'), IMAGE)), {
    attachments: 'I',
    hasAttachment: false,
  })
  t.match(classify(multipart('related', 'b', leaf('text/html', '<img src="cid:other">'), IMAGE)), {
    attachments: 'I',
    hasAttachment: true,
  })
})

t.test('RFC 8621 4.1.4: hasAttachment ignores inline parts and counts others', async (t) => {
  const pdf = (field: string) => multipart('mixed', 'b', leaf('text/plain', 'P'), leaf('application/pdf', 'F', field))
  t.equal(classify(pdf(INLINE)).hasAttachment, false)
  t.equal(classify(pdf(ATTACHMENT)).hasAttachment, true)
})

t.test('hasAttachment ignores signatures and further versions of an alternative', async (t) => {
  const signed = multipart('signed', 'b', leaf('text/plain', 'P'), leaf('application/pgp-signature', 'S'))
  t.match(classify(signed), { attachments: 'S', hasAttachment: false })
  const invite = (field: string) =>
    multipart('alternative', 'b', leaf('text/plain', 'P'), leaf('text/calendar', 'C', field))
  t.match(classify(invite('X-A: b')), { attachments: 'C', hasAttachment: false })
  t.match(classify(invite(ATTACHMENT)), { attachments: 'C', hasAttachment: true })
})

t.test('RFC 8621 4.1.4: an image in both bodies is no attachment, one in a single body is', async (t) => {
  const mixed = multipart('mixed', 'c', leaf('text/plain', 'P'), leaf('image/png', 'I', INLINE))
  t.match(classify(multipart('alternative', 'b', mixed)), { text: 'P I', html: 'P I', attachments: '' })
  t.match(classify(multipart('alternative', 'b', mixed, leaf('text/html', 'H'))), {
    text: 'P I',
    html: 'H',
    attachments: 'I',
  })
})

t.test('every leaf is in a body or an attachment', async (t) => {
  const source = multipart(
    'alternative',
    'b',
    multipart('alternative', 'c', leaf('text/plain', '1'), leaf('text/plain', '2'), leaf('image/png', '3')),
    multipart('related', 'd', leaf('text/html', '4'), multipart('alternative', 'e', leaf('text/plain', '5'))),
    leaf('text/enriched', '6'),
  )
  const { text, html, attachments } = classify(source)
  const seen = new Set(`${text} ${html} ${attachments}`.split(' '))
  t.same(
    ['1', '2', '3', '4', '5', '6'].filter((label) => !seen.has(label)),
    [],
  )
})

t.test('RFC 8621 4.1.4: a message without displayable parts has empty bodies', async (t) => {
  const { structure } = parse('Content-Type: multipart/mixed; boundary=b', '', '--b--')
  matchWhole(t, structure, { textBody: [], htmlBody: [], attachments: [], hasAttachment: false })
})
