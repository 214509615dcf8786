import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { contentOf } from '../../../../jmap/delivery/spam/content.ts'
import { scoreMessage } from '../../../../jmap/delivery/spam/score.ts'
import { tokensOf } from '../../../../jmap/delivery/spam/tokens.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { SPAM_LINKS_MAX, SPAM_TOKENS_MAX, SPAM_WORDS_MAX } from '../../../../server/base/spam-limits.ts'
import { emlFiles, SHARED_CORPORA, sharedMissing } from '../../../support/corpora.ts'
import { html, plain, withFile } from './raw-letters.ts'

function look(bytes: Uint8Array) {
  const parsed = parseMessage(bytes)
  const content = contentOf(parsed, bytes)
  const verdict = scoreMessage(parsed, { bytes, receivedAt: 0, mailFrom: '' }, content)
  return { content, verdict, tokens: tokensOf(parsed, content) }
}

t.test('any octets get a score', async (t) => {
  const piece = fc.oneof(
    fc.constantFrom(
      'From: ',
      'Subject: ',
      '\r\n',
      '\r\n\r\n',
      '<a href="',
      '">',
      '<font ',
      '&#118;',
      'http://',
      '@',
      '--b',
    ),
    fc.string({ unit: 'binary' }),
  )
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }),
    fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''))),
  )
  fc.assert(
    fc.property(message, (bytes) => {
      const { verdict, tokens } = look(bytes)
      const isSum = Math.abs(verdict.symbols.reduce((sum, { score }) => sum + score, 0) - verdict.score) < 0.01
      return Number.isFinite(verdict.score) && isSum && tokens.every((token) => token > 0 && token <= 0xffffffff)
    }),
    { numRuns: 500, seed: 4 },
  )
  t.pass()
})

t.test('large and malformed messages are read in part, and the score ends', async (t) => {
  const long = 200_000
  const crooked = [
    plain({ Subject: ' '.repeat(long) }),
    plain({ Subject: `x${' '.repeat(long)}y` }),
    plain({ Subject: 'a.'.repeat(long) }),
    plain({ From: `"${'a@b.'.repeat(long / 4)}" <a@example.org>` }),
    plain({ From: `${'1a'.repeat(long / 2)}@example.org` }),
    plain({}, 'http://'.repeat(long / 7)),
    plain({}, 'word '.repeat(long)),
    html('<a '.repeat(long / 3)),
    html('<a href="'.repeat(long / 9)),
    html('<font style="'.repeat(long / 13)),
    html('a<!--'.repeat(long / 5)),
    html(`<a ${'href="x '.repeat(500)}>`.repeat(50)),
    withFile('a.zip', `PK\x03\x04${'\0'.repeat(26)}`.repeat(10_000)),
  ]
  for (const raw of crooked) {
    const { content, tokens } = look(Buffer.from(raw, 'latin1'))
    t.ok(content.words.length <= SPAM_WORDS_MAX)
    t.ok(content.links.length <= 2 * SPAM_LINKS_MAX)
    t.ok(tokens.length <= SPAM_TOKENS_MAX)
  }
})

t.test('a word has the same token in every message, and another one at another place', async (t) => {
  const tokens = (raw: string) => new Set(look(Buffer.from(raw)).tokens)
  const first = tokens(plain({}, 'harbour survey'))
  t.same(tokens(plain({}, 'Harbour, SURVEY!')), first)
  t.not(tokens(plain({ Subject: 'harbour' }, 'x')).size, 0)
  const shared = [...tokens(plain({ Subject: 'harbour' }, 'see'))].filter((token) => first.has(token))
  const usual = [...tokens(plain({ Subject: 'other' }, 'see'))].filter((token) => first.has(token))
  t.same(shared, usual)
})

t.test('few mails without a spam label are junk', { skip: sharedMissing() }, async (t) => {
  const folders = ['enmime', 'mimekit', 'nodemailer-mailparser', 'talon', 'zapier-reply', 'cpython-email', 'mikel-mail']
  const files = folders.flatMap((folder) => emlFiles(`${SHARED_CORPORA}/${folder}`))
  t.ok(files.length > 100)
  const junk = files.filter((file) => {
    const bytes = readFileSync(file)
    const parsed = parseMessage(bytes)
    return scoreMessage(parsed, { bytes, receivedAt: parsed.sentAt?.ms ?? 0, mailFrom: '' }).score >= 6
  })
  t.ok(junk.length <= files.length / 50, junk.join('\n'))
})
