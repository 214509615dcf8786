/**
 * P1 of reliability.md: agreement with the expected results of stalwartlabs/mail-parser (../shared/corpora/mail-parser), each
 * message with LF and with CRLF. Compared: subject, From, the number of attachments, the decoded texts of all text parts, and
 * the decoded content of every part in order. What is an attachment is defined by RFC 8621 4.1.4, so two habits of mail-parser
 * are taken out of its figures first: parts that are in both bodies, and bodies that it moved only because it could not decode
 * them, are no attachments; and the text of a mailbox without an address is its `email` (RFC 8621 4.1.2.3). A message that
 * still differs is listed with every field that does and why; anything else that differs, and any listed difference that is
 * gone, fails.
 */
import { existsSync } from 'node:fs'
import t from 'tap'
import { compareAll, type Field, MAIL_PARSER_FOLDER } from './mail-parser-corpus.ts'

interface Deviation {
  readonly fields: readonly Field[]
  readonly why: string
}

const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'malformed/000.eml': {
    fields: ['texts', 'content'],
    why: 'mail-parser finds no part, since the boundary begins with a colon; RFC 2046 5.1.1 allows that.',
  },
  'malformed/001.eml': {
    fields: ['texts', 'content'],
    why: 'mail-parser takes "--ab" for the delimiter of boundary "a"; here the whole line counts, as for Python.',
  },
  'malformed/002.eml': {
    fields: ['attachments', 'texts'],
    why: 'A multipart in which no delimiter stands: here its text is the body, so that it can be read; there it is an attachment.',
  },
  'malformed/007.eml': {
    fields: ['texts', 'content'],
    why: 'The delimiter stands right under the header: mail-parser then loses the type of the multipart.',
  },
  'malformed/016.eml': {
    fields: ['texts', 'content'],
    why: 'Boundaries that begin with one another: an outer delimiter ends the inner multiparts, whose delimiters are text after it.',
  },
  'malformed/019.eml': {
    fields: ['texts', 'content'],
    why: 'Text right under a header, without a blank line, is lost by mail-parser; here it is body.',
  },
  'malformed/021.eml': {
    fields: ['texts', 'content'],
    why: 'Two Content-Type fields: here the first counts (as for Python and mailparser), for mail-parser the last.',
  },
  'thirdparty/002.eml': {
    fields: ['texts', 'content'],
    why: 'Junk behind the padding of base64 is left out, as Dovecot, whose test this is, asks; mail-parser decodes it.',
  },
  'thirdparty/005.eml': {
    fields: ['texts', 'content'],
    why: 'mail-parser ends a part at a delimiter in the middle of a line; RFC 2046 5.1.1 has it at the beginning of one.',
  },
  'thirdparty/015.eml': {
    fields: ['attachments', 'content'],
    why: 'mail-parser loses two of three attached messages, whose header is cut off by the delimiter.',
  },
}

/** Share of messages equal in all fields below which this may not fall: the examples of the RFCs, and the broken and odd ones. */
const FLOOR_RFC = 1
const FLOOR_OTHERS = 0.66

const options = { skip: existsSync(MAIL_PARSER_FOLDER) ? false : '../shared/corpora/mail-parser is not there' }

t.test('agrees with mail-parser but where the table says otherwise', options, async (t) => {
  for (const { name, lf, crlf } of compareAll()) {
    const deviation = DEVIATIONS[name]
    const differences = [...new Set([...lf, ...crlf])].sort()
    t.same(differences, [...(deviation?.fields ?? [])].sort(), `${name}: ${deviation?.why ?? 'equal'}`)
  }
})

t.test('the share of messages equal in all fields does not fall', options, async (t) => {
  for (const [isIn, floor] of [
    [(name: string) => name.startsWith('rfc/'), FLOOR_RFC],
    [(name: string) => !name.startsWith('rfc/'), FLOOR_OTHERS],
  ] as const) {
    const results = compareAll().flatMap(({ name, lf, crlf }) => (isIn(name) ? [lf, crlf] : []))
    t.ok(results.length > 0)
    t.ok(results.filter((fields) => fields.length === 0).length >= results.length * floor)
  }
})
