/** The SMTP command that was refused, from the words of the server that sent it. Pure. */

/** `content`: the message itself, at its end. */
export type SmtpStage = 'connect' | 'HELO' | 'MAIL' | 'RCPT' | 'DATA' | 'content'

/** Phrases with which servers name it; the first match counts. */
const PHRASES: readonly (readonly [stage: SmtpStage, words: RegExp])[] = [
  // Postfix, Exim, qmail
  [
    'content',
    /end of data|after (?:i sent|sending) the message|\(after data\)|message (?:content|body) (?:was )?sent/i,
  ],
  ['RCPT', /(?:in (?:reply|response) to|after|command:?|at|sent <<<) {0,2}["“]?RCPT\b|does not like recipient/i],
  [
    'MAIL',
    /(?:in (?:reply|response) to|after|command:?|at|sent <<<) {0,2}["“]?MAIL\b(?! system)|but sender was rejected/i,
  ],
  ['HELO', /(?:in (?:reply|response) to|after|command:?|sent <<<) {0,2}["“]?(?:HELO|EHLO)\b|but my name was rejected/i],
  ['DATA', /(?:in (?:reply|response) to|after|command:?|sent <<<) {0,2}["“]?DATA\b|failed on data command/i],
  // Gmail
  ['RCPT', /\(state 14\)/],
  ['content', /\(state 1[578]\)/],
  [
    'connect',
    /after initial connection|refused to talk to me|but greeting failed|in (?:reply|response) to (?:the )?(?:initial|connect)/i,
  ],
]

export function stageIn(words: string): SmtpStage | null {
  const text = words.replace(/\s+/g, ' ')
  for (const [stage, words] of PHRASES) if (words.test(text)) return stage
  return stageOfTranscript(text)
}

const COMMANDS: { readonly [verb: string]: SmtpStage } = {
  RCPT: 'RCPT',
  MAIL: 'MAIL',
  HELO: 'HELO',
  EHLO: 'HELO',
  DATA: 'DATA',
}

/** sendmail, Courier and others: `>>> RCPT To:<a@b>` and then `<<< 550 …`. The last command before the first refusal. */
function stageOfTranscript(text: string): SmtpStage | null {
  const refused = /<<<\s{0,4}[45]\d\d/.exec(text)
  const before = refused ? text.slice(0, refused.index) : text
  const sent = [...before.matchAll(/>>>\s{0,4}(RCPT|MAIL|HELO|EHLO|DATA)\b/gi)].at(-1)?.[1]
  if (sent !== undefined) return COMMANDS[sent.toUpperCase()]!
  return refused ? 'connect' : null
}
