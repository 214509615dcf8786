/** Small messages with few words, ids and subjects, so that they often reply to each other. */
import { octets } from '../mails.ts'
import type { Message } from './account-model.ts'

export const WORDS = ['alpha', 'beta', 'gamma']
const SUBJECTS = ['Lunch', 'Dinner']

/** Numbers that fast-check draws and shrinks. */
export interface MessageChoice {
  readonly subject: number
  readonly isReply: boolean
  readonly id: number
  /** Ids of the messages that it replies to. */
  readonly references: readonly number[]
  readonly words: readonly number[]
  readonly isLarge: boolean
}

const idOf = (number: number) => `m${number % 8}@example.org`

export function describeMessage(choice: MessageChoice, author: string): Message {
  const words = choice.words.map((word) => WORDS[word % WORDS.length]!)
  const subject = SUBJECTS[choice.subject % SUBJECTS.length]!
  return {
    subject,
    mentions: [...new Set([idOf(choice.id), ...choice.references.map(idOf)])],
    words: [...new Set([subject.toLowerCase(), ...words])],
    author,
  }
}

function subjectOf(choice: MessageChoice): string {
  return `${choice.isReply ? 'Re: ' : ''}${SUBJECTS[choice.subject % SUBJECTS.length]}`
}

function bodyOf(choice: MessageChoice): string {
  const words = choice.words.map((word) => WORDS[word % WORDS.length]).join(' ')
  // Above the size up to which blobs are in the database.
  return choice.isLarge ? `${words}\n${'x'.repeat(70)}\n`.repeat(250) : words
}

/** @param serial makes the octets different from those of every other message */
export function messageOctets(choice: MessageChoice, from: string, serial: number): Uint8Array {
  const references = choice.references.map((id) => `<${idOf(id)}>`).join(' ')
  return octets(
    [
      `From: ${from}`,
      'To: hello@example.test',
      `Subject: ${subjectOf(choice)}`,
      'Date: Thu, 1 Jan 2026 00:00:00 +0000',
      `Message-ID: <${idOf(choice.id)}>`,
      ...(references === '' ? [] : [`References: ${references}`]),
      `X-Serial: ${serial}`,
      '',
      bodyOf(choice),
      '',
    ].join('\n'),
  )
}

/** The same as a draft for Email/set. */
export function draftOf(choice: MessageChoice, from: string) {
  return {
    from: [{ name: null, email: from }],
    to: [{ name: null, email: 'friend@example.org' }],
    subject: subjectOf(choice),
    messageId: [idOf(choice.id)],
    ...(choice.references.length > 0 && { references: choice.references.map(idOf) }),
    bodyValues: { '1': { value: bodyOf(choice) } },
    textBody: [{ partId: '1', type: 'text/plain' }],
  }
}
