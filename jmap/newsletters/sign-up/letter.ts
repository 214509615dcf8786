/** The mail that asks to confirm a sign-up. Nothing that the visitor typed is in it, so that it is of no use for spam. */
import { randomUUID } from 'node:crypto'
import { generateMessage } from '../../message/generate.ts'
import type { HeaderSpec } from '../../message/header-encoding.ts'
import { domainOf } from '../../message/mail-address.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { readerLanguage } from '../content/reader-language.ts'
import { CONFIRMATION_WORDS } from './letter-words.ts'
import type { SignUpPage } from './page.ts'

export interface Confirmation {
  readonly from: string
  readonly to: string
  readonly page: SignUpPage
  readonly link: string
  /** BCP 47. */
  readonly language: string
  /** Epoch ms. */
  readonly now: number
}

export function writeConfirmation({ from, to, page, link, language, now }: Confirmation): Uint8Array {
  const words = CONFIRMATION_WORDS[readerLanguage(language)]
  const text = `${words.paragraphs(page.name, page.organization.name, link).join('\n\n')}\n`
  const headers: HeaderSpec[] = [
    { name: 'From', form: 'Addresses', value: [{ name: page.organization.name, email: from }] },
    { name: 'To', form: 'Addresses', value: [{ name: null, email: to }] },
    { name: 'Subject', form: 'Text', value: words.subject(page.name) },
    { name: 'Date', form: 'Date', value: formatUTCDate(now) },
    { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(from)}`] },
    // RFC 3834 5: prevents automatic replies.
    { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
  ]
  return generateMessage({ headers, body: { type: 'text/plain', content: { text } } }).bytes!
}
