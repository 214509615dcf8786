/** Symbols of the header: violations of RFC 5322 3.6, and patterns of bulk software. */
import { isAscii, isUtf8 } from 'node:buffer'
import { SPAM_FUTURE_MS, SPAM_PAST_MS, SPAM_SUBJECT_MAX_CHARS } from '../../../server/base/spam-limits.ts'
import type { EmailAddress } from '../../message/addresses.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { type Content, fieldValue } from './content.ts'
import { ownedDomain } from './links.ts'
import type { Tally } from './tally.ts'

const FREEMAIL = new Set(
  'gmail.com googlemail.com yahoo.com yahoo.co.uk ymail.com hotmail.com outlook.com live.com msn.com aol.com gmx.de gmx.net gmx.com web.de mail.ru yandex.ru yandex.com rambler.ru list.ru bk.ru proton.me protonmail.com icloud.com me.com zoho.com mail.com qq.com 163.com 126.com sina.com excite.com netscape.net lycos.com juno.com tutanota.com orange.fr free.fr laposte.net libero.it virgilio.it rediffmail.com'.split(
    ' ',
  ),
)
/** RFC 5322 3.6: at most one of each. */
const ONCE = ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to', 'sender', 'in-reply-to', 'references']
const BULK_MAILER =
  /\b(?:mass ?mail|bulk|blaster|group ?mail|e-?mail ?(?:magnet|platinum|express)|achi-?kochi|stealth|dark ?mailer|send-?safe|the bat! \(v\d\.\d[^)]*\) unreg|floodgate|extractor|advanced mass|jixing|dm mailer|microsoft outlook express macintosh edition)/i

export function judgeHeader(parsed: ParsedMessage, content: Content, receivedAt: number, tally: Tally): void {
  judgePresence(parsed, content, tally)
  judgeDate(parsed, content, receivedAt, tally)
  judgeSubject(parsed, content, tally)
  judgeFrom(parsed, tally)
  const { fields } = content
  const mailer = fieldValue(content, 'x-mailer') || fieldValue(content, 'user-agent')
  if (BULK_MAILER.test(mailer)) tally.add('HEADER_BULK_MAILER', mailer)
  if (fields.has('list-id') && fields.has('list-unsubscribe')) tally.add('HEADER_LIST')
  if (parsed.inReplyTo !== null && parsed.references !== null) tally.add('HEADER_ANSWER')
}

function judgePresence(parsed: ParsedMessage, content: Content, tally: Tally): void {
  const { fields, bytes } = content
  const { from, to, cc, messageId, structure } = parsed
  if (!from || from.length === 0) tally.add('HEADER_NO_FROM')
  if (!fields.has('date')) tally.add('HEADER_NO_DATE')
  if (!fields.has('to') && !fields.has('cc')) tally.add('HEADER_NO_TO')
  else if (!to?.length && !cc?.length) tally.add('HEADER_NOBODY_NAMED', fieldValue(content, 'to'))
  const id = messageId?.[0]
  if (id === undefined) tally.add('HEADER_NO_MESSAGE_ID')
  else if (!/^[^\s@]{1,500}@[^\s@]{1,250}$/.test(id)) tally.add('HEADER_ODD_MESSAGE_ID', id)
  const twice = ONCE.find((name) => (fields.get(name)?.length ?? 0) > 1)
  if (twice !== undefined) tally.add('HEADER_TWICE', twice)
  if (structure.truncated) tally.add('HEADER_ENDLESS')
  // RFC 5322 2.2: a header is ASCII. RFC 6532 allows UTF-8, but no other 8-bit character set.
  const head = bytes.subarray(0, structure.parts[0]?.headerEnd ?? 0)
  if (!isAscii(head) && !isUtf8(head)) tally.add('HEADER_EIGHT_BITS')
  const type = fieldValue(content, 'content-type')
  if (/charset\s?=\s?"?(?:koi8|windows-1251|gb2312|big5|ks_c|euc-kr)/i.test(type))
    tally.add('HEADER_RARE_CHARSET', type)
}

function judgeDate({ sentAt }: ParsedMessage, content: Content, receivedAt: number, tally: Tally): void {
  if (!content.fields.has('date')) return
  if (sentAt === null) tally.add('HEADER_ODD_DATE', fieldValue(content, 'date'))
  else if (sentAt.ms > receivedAt + SPAM_FUTURE_MS) tally.add('HEADER_FUTURE', fieldValue(content, 'date'))
  else if (sentAt.ms < receivedAt - SPAM_PAST_MS) tally.add('HEADER_PAST', fieldValue(content, 'date'))
}

function judgeSubject(parsed: ParsedMessage, content: Content, tally: Tally): void {
  const { inReplyTo, references } = parsed
  const subject = (parsed.subject ?? '').slice(0, SPAM_SUBJECT_MAX_CHARS)
  if (subject.trim() === '') {
    tally.add('SUBJECT_EMPTY')
    return
  }
  const letters = subject.replace(/^(?:re|fwd?|aw|wg)\s?:/i, '').replace(/[^\p{L}]/gu, '')
  if (letters.length >= 8 && letters === letters.toUpperCase() && letters !== letters.toLowerCase())
    tally.add('SUBJECT_CAPITALS', subject)
  if (/!{2,}|\${2,}|\?!|!.*!/.test(subject)) tally.add('SUBJECT_LOUD', subject)
  if (/(?:^|\s)(?:[a-z][\s._*-]){4,}[a-z](?:\s|$)/i.test(subject) || /[a-z][*@|!1][a-z][*@|!1]?[a-z]/i.test(subject))
    tally.add('SUBJECT_SPACED', subject)
  if (/\s{5,}\S/.test(fieldValue(content, 'subject'))) tally.add('SUBJECT_TAIL', subject)
  if (/^\s*re\s?:/i.test(subject) && inReplyTo === null && references === null)
    tally.add('SUBJECT_FALSE_ANSWER', subject)
  if (/[$€£]\s?\d|\d\s?%|\bfree\b/i.test(subject)) tally.add('SUBJECT_OFFER', subject)
  if (hasMixedScripts(subject)) tally.add('TEXT_MIXED_SCRIPTS', subject)
}

/** Latin and Cyrillic or Greek letters within one word: letters that look alike. */
function hasMixedScripts(text: string): boolean {
  if (/^[\x00-\x7f]*$/.test(text)) return false
  return (text.match(/\p{L}{3,}/gu) ?? []).some(
    (word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word),
  )
}

function judgeFrom({ from, replyTo }: ParsedMessage, tally: Tally): void {
  const sender = from?.[0]
  if (!sender) return
  const name = (sender.name ?? '').slice(0, SPAM_SUBJECT_MAX_CHARS)
  const email = sender.email.slice(0, SPAM_SUBJECT_MAX_CHARS)
  const domain = domainOf(sender)
  const named = /[\w.+-]{1,64}@((?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,24})/i.exec(name)
  if (named && ownedDomain(named[1]!.toLowerCase()) !== ownedDomain(domain))
    tally.add('FROM_NAMES_ANOTHER', `${name} <${email}>`)
  if (hasMixedScripts(name)) tally.add('TEXT_MIXED_SCRIPTS', name)
  const local = email.slice(0, email.lastIndexOf('@'))
  if (/\d{4,}/.test(local) || /\d[a-z]+\d+[a-z]+\d/i.test(local)) tally.add('FROM_DIGITS', email)
  if (!domain.includes('.') || /\s/.test(email)) tally.add('FROM_ODD_ADDRESS', email)
  const answerTo = replyTo?.[0]
  if (!answerTo) return
  const other = domainOf(answerTo)
  if (other === '' || ownedDomain(other) === ownedDomain(domain)) return
  if (FREEMAIL.has(other)) tally.add('ANSWERS_TO_FREEMAIL', answerTo.email)
}

function domainOf({ email }: EmailAddress): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}
