/**
 * Agreement with nodemailer's mailparser over spec/corpus: subject, From, Date, Message-ID, References, and that the content of every
 * attachment it finds is the content of one of our parts. Differences are listed with the reason.
 */
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser'
import t from 'tap'
import { decodePartBytes } from '../../../jmap/message/decode.ts'
import { type ParsedMessage, parseMessage } from '../../../jmap/message/structure.ts'
import { OWN_CORPUS } from './corpus.ts'

const DEVIATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'enmime/malformed-multiple-address-header-values.eml': {
    from: 'Two mailboxes without a comma between them: here each keeps its name, mailparser gives both names to one.',
  },
}

function addresses(from: AddressObject | undefined): [string | null, string][] {
  return (from?.value ?? []).map(({ name, address }) => [name || null, address ?? ''])
}

function ids(value: string | string[] | undefined): string[] {
  return (typeof value === 'string' ? value.split(/\s+/) : (value ?? [])).map((id) => id.replace(/[<>]/g, ''))
}

function differences(bytes: Buffer, mine: ParsedMessage, theirs: ParsedMail): string[] {
  const contents = mine.structure.parts
    .filter((part) => part.subParts === null)
    .map((part) => decodePartBytes(bytes, part))
  const pairs: Record<string, [unknown, unknown]> = {
    subject: [mine.subject || null, theirs.subject || null],
    from: [(mine.from ?? []).map(({ name, email }) => [name, email]), addresses(theirs.from)],
    date: [mine.sentAt?.ms ?? null, theirs.date?.getTime() ?? null],
    messageId: [mine.messageId ?? [], ids(theirs.messageId)],
    references: [mine.references ?? [], ids(theirs.references)],
    attachments: [theirs.attachments.every(({ content }) => contents.some((other) => other.equals(content))), true],
  }
  return Object.keys(pairs).filter((field) => JSON.stringify(pairs[field]?.[0]) !== JSON.stringify(pairs[field]?.[1]))
}

for (const { name, bytes } of OWN_CORPUS) {
  t.test(`agrees with mailparser on ${name}`, async (t) => {
    const found = differences(bytes, parseMessage(bytes), await simpleParser(bytes))
    t.same(found, Object.keys(DEVIATIONS[name] ?? {}))
  })
}
