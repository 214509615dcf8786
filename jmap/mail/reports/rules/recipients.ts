/** Where notices name recipients. The first group of a pattern is the address. Pure. */
import { type Rule, rule } from './rule.ts'

/** RFC 5321 4.1.2: a local part may be a quoted string. */
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\.){1,64}"'
const DOMAIN = '[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?'
/** Its parts are bounded. */
export const ADDRESS = `(?:${QUOTED}|[^\\s<>"'\`()[\\]{},;:|\\\\=@]{1,128})@${DOMAIN}`
const A = `(${ADDRESS})`
/** Within brackets nothing else is meant: any character of RFC 5321 4.1.2 may be in the local part. */
const BRACKETED = `((?:${QUOTED}|[^\\s<>"()[\\],;:\\\\@]{1,128})@${DOMAIN})`

/** Marks at the start of lines. */
const START = '^[\\s*>•-]{0,24}'

/** Lines about a recipient, the clearest kind first: only the first kind that is found counts. */
export const RECIPIENT_LINES: readonly (readonly Rule[])[] = [
  [
    rule(
      'address-in-brackets',
      'qmail QSBMF 3; Postfix, Courier, sendmail',
      `${START}<(?:smtp:|rfc822;)?${BRACKETED}>\\s*(?::|\\.\\.\\.|;|,|\\(|-|$)`,
    ),
    rule(
      'address-alone',
      'Exim, Gmail, Exchange, OpenSMTPD',
      `${START}["'\`]?${A}["'\`]?(?:\\s*<mailto:[^>]*>|\\s*<[^>]*>|\\s*\\([^)@]{0,80}\\))?[\\s*]*(?::|\\.\\.\\.|$|-{1,4}\\s|\\()`,
    ),
    rule(
      'address-after-code',
      'RFC 5321 4.2; sendmail, MDaemon',
      `^\\s*[2-5]\\d\\d[ -](?:[245]\\.\\d{1,3}\\.\\d{1,3} )?<?${A}>?(?:\\.\\.\\.|:|,|;|\\s)`,
    ),
  ],
  [
    rule(
      'word-for-recipient',
      'RFC 3464 2.3; Domino, Exchange, Oracle Messaging Server, IMail',
      `${START}(?:failed |final |original |intended |invalid |unknown |actual )?(?:recipients?|rcpt to|delivery to|addressed to|address|to|e-?mail|user|mailbox|userid)\\b[^@<:]{0,60}[:\\s<("'\`]+(?:(?:rfc822|smtp)[;:]\\s*)?${A}`,
    ),
    rule(
      'not-delivered-to',
      'KDDI, InterScan, GroupWise, Exchange',
      `(?:not|n['’]?t|unable|fail\\w*|undeliver\\w*|impossible)\\b[^@<:]{0,40}\\b(?:to|for|address|recipient)\\b[^@<:]{0,40}[:\\s<("'\`]+(?:rfc822;\\s*)?${A}`,
    ),
    rule(
      'rcpt-command',
      'RFC 5321 4.1.1.3; sendmail, Apache James, InterScan',
      `(?:rcpt to|recipient)[:\\s]{1,3}<?${A}>?`,
    ),
    rule('address-first', 'Exchange 5.5, MessageSwitch', `^\\s*(?:\\d+[.)]\\s+)?["'\`<]?${A}["'\`>]?(?:\\s|,|;|$)`),
    rule(
      'reply-for-address',
      'RFC 5321 4.2; Exchange, EarthLink',
      `^\\s*[45]\\d\\d\\b[^@<]{0,80}\\b(?:for|to)\\s+<?${A}>?[\\s.]*$`,
    ),
    rule('address-in-parentheses', 'Google Groups, Exchange', `\\(${A}\\)`),
    rule('x400-address', 'Exchange 5.5 (Internet Mail Service)', `[:;]smtp=${A}`),
  ],
  [rule('any-in-brackets', 'RFC 5321 4.1.2', `<${BRACKETED}>`)],
  [rule('any-address', 'RFC 5321 4.1.2', A)],
]

/** Fields and words before addresses that are not recipients. */
export const NOT_RECIPIENT: readonly Rule[] = [
  rule('quoted-line', 'RFC 3676 4.5', '^\\s*>(?!>)\\s*[^\\s>]+[ \\t]+[^\\s<]'),
  rule(
    'field-of-header',
    'RFC 5322 3.6',
    '^\\s*(?:from|sender|reply-to|return-path|message-id|in-reply-to|references|subject|cc|received|x-[\\w-]+|original sender)\\s*[:<]',
    '^\\s*id\\b',
  ),
  rule(
    'mail-command',
    'RFC 5321 4.1.1.2',
    '^\\s*(?:mail from|>>> mail)',
    '\\bmail from:',
    'sender(?: address)?[ :]+<',
    'the sender is',
  ),
  rule(
    'whom-to-ask',
    'Postfix, Exim',
    'please (?:contact|e-?mail|send)',
    'for (?:help|assistance|further|more)',
    'if you (?:need|have|believe|feel)',
    'contact\\b',
    'mailto:(?!.*<)',
    'postmaster@',
    'abuse@',
    '\\bmailer-daemon@',
  ),
]

/** A line after which the recipients follow; the text above it may name the recipient of the message. */
export const HEADINGS: readonly Rule[] = [
  rule(
    'following-recipients',
    'Exim, Exchange, Gmail, sendmail',
    '(?:following|these|intended|failed) (?:e-?mail )?(?:recipients?|address(?:es)?|users?|mailbox(?:es)?|persons?)[^@]*$',
  ),
  rule(
    'recipients-failed',
    'MDaemon, Smail, InterScan',
    '(?:recipients?|address)(?:s|es|\\(s\\)|\\(es\\))? (?:failed|could not|had|did not|affected|were affected)[^@]*$',
    'failed addresses follow',
    'list of failed recipients',
    'could not be delivered to:?\\s*$',
  ),
]
