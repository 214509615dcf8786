/**
 * Refusals with the texts that the documentation and the sources of mail servers and mailbox providers contain. The class follows from
 * what the text says of the recipient, not from how we read it.
 */
import type { BounceClass } from '../../../jmap/mail/reports/reason.ts'

/** The command that is refused; `greeting`: the connection itself; `.`: the end of the message. */
export type Stage = 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | '.'

export interface Refusal {
  readonly server: string
  readonly stage: Stage
  readonly class: BounceClass
  /** Lines of the reply; `%r` is the recipient, `%d` its domain. */
  readonly reply: string
}

/** Kinds of one server in turn: stage, class, reply. */
const BY_SERVER: { readonly [server: string]: readonly (readonly [Stage, BounceClass, string])[] } = {
  'RFC 5321': [
    ['RCPT', 'hard', '550 Requested action not taken: mailbox unavailable'],
    ['RCPT', 'hard', '551 User not local; please try <new@%d>'],
    ['RCPT', 'soft', '552 Requested mail action aborted: exceeded storage allocation'],
    ['RCPT', 'hard', '553 Requested action not taken: mailbox name not allowed'],
    ['RCPT', 'soft', '450 Requested mail action not taken: mailbox unavailable'],
    ['RCPT', 'soft', '451 Requested action aborted: local error in processing'],
    ['RCPT', 'soft', '452 Requested action not taken: insufficient system storage'],
    ['greeting', 'soft', '421 Service not available, closing transmission channel'],
    ['RCPT', 'hard', '556 5.1.10 Domain %d does not accept mail'],
    ['.', 'soft', '552 5.3.4 Message size exceeds fixed maximum message size'],
  ],
  'Exchange Online': [
    ['RCPT', 'hard', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient %r not found by SMTP address lookup'],
    ['RCPT', 'hard', '550 5.4.1 Recipient address rejected: Access denied. [AM5EUR02FT.mail.protection.outlook.com]'],
    ['.', 'policy', '550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy'],
    ['.', 'policy', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required'],
    ['RCPT', 'soft', '452 4.2.2 STOREDRV.Deliver; mailbox full. The mailbox has exceeded its quota'],
    ['.', 'soft', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient'],
    [
      'MAIL',
      'policy',
      '550 5.7.606 Access denied, banned sending IP [192.0.2.9]. To request removal visit the delist portal',
    ],
    ['.', 'policy', '550 5.7.509 Access denied, sending domain ORIGIN.TEST does not pass DMARC verification'],
    ['RCPT', 'soft', '451 4.7.500 Server busy. Please try again later from [192.0.2.9]'],
    ['RCPT', 'policy', '550 5.7.64 TenantAttribution; Relay Access Denied'],
  ],
  'Exchange Server': [
    ['RCPT', 'hard', '550 5.1.1 User unknown'],
    ['RCPT', 'policy', '550 5.7.1 Unable to relay for %r'],
    ['MAIL', 'policy', '530 5.7.1 Client was not authenticated'],
    ['.', 'policy', '550 5.7.1 Message rejected due to content restrictions'],
  ],
  Gmail: [
    [
      'RCPT',
      'hard',
      "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550 5.1.1 unnecessary spaces. gsmtp",
    ],
    ['RCPT', 'soft', '550 5.2.1 The email account that you tried to reach is disabled. gsmtp'],
    [
      'RCPT',
      'soft',
      '552-5.2.2 The email account that you tried to reach is over quota and inactive.\n552 5.2.2 gsmtp',
    ],
    [
      '.',
      'policy',
      '550-5.7.1 [192.0.2.9      12] Our system has detected that this message is\n550-5.7.1 likely unsolicited mail. To reduce the amount of spam sent to Gmail,\n550 5.7.1 this message has been blocked. gsmtp',
    ],
    [
      '.',
      'policy',
      '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\n550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.\n550 5.7.26 gsmtp',
    ],
    [
      '.',
      'policy',
      '552-5.7.0 This message was blocked because its content presents a potential\n552-5.7.0 security issue. Please visit our help page\n552 5.7.0 gsmtp',
    ],
    [
      'RCPT',
      'soft',
      '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. gsmtp',
    ],
    ['.', 'soft', "552 5.3.4 Your message exceeded Google's message size limits. gsmtp"],
  ],
  'Yahoo and AOL': [
    ['RCPT', 'hard', "554 delivery error: dd This user doesn't have a %d account (%r) [0] - mta1.mail"],
    ['RCPT', 'hard', '552 1 Requested mail action aborted, mailbox not found'],
    [
      'greeting',
      'policy',
      '553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.9, because the ip is in Spamhaus list',
    ],
    ['MAIL', 'policy', '421 4.7.0 [TSS04] Messages from 192.0.2.9 temporarily deferred due to user complaints'],
    ['.', 'policy', '554 5.7.9 Message not accepted for policy reasons. See the postmaster pages'],
    ['RCPT', 'hard', '554 30 Sorry, your message to %r cannot be delivered. This mailbox does not exist (554.30)'],
    ['RCPT', 'soft', '554 30 Sorry, your message to %r cannot be delivered. This mailbox is disabled (554.30)'],
  ],
  Postfix: [
    ['RCPT', 'hard', '550 5.1.1 <%r>: Recipient address rejected: User unknown in local recipient table'],
    ['RCPT', 'hard', '550 5.1.1 <%r>: Recipient address rejected: User unknown in virtual mailbox table'],
    ['RCPT', 'policy', '554 5.7.1 <%r>: Relay access denied'],
    ['RCPT', 'soft', '450 4.2.0 <%r>: Recipient address rejected: Greylisted, see http://postgrey.example/help'],
    ['RCPT', 'policy', '554 5.7.1 Service unavailable; Client host [192.0.2.9] blocked using zen.blocklist.test'],
    ['RCPT', 'policy', '550 5.7.25 Client host rejected: cannot find your hostname, [192.0.2.9]'],
    ['RCPT', 'policy', '504 5.5.2 <mta>: Helo command rejected: need fully-qualified hostname'],
    ['RCPT', 'policy', '550 5.1.8 <s@origin.test>: Sender address rejected: Domain not found'],
    ['.', 'policy', '550 5.7.1 Content-filter: message rejected'],
    ['.', 'soft', '451 4.3.0 Error: queue file write error'],
    ['RCPT', 'soft', '452 4.3.1 Insufficient system storage'],
    ['RCPT', 'hard', '550 5.1.6 <%r>: Recipient address rejected: User has moved to new@other.test'],
  ],
  Exim: [
    ['RCPT', 'hard', '550 Unrouteable address'],
    ['RCPT', 'hard', '550 unknown user'],
    ['RCPT', 'policy', '550 relay not permitted'],
    ['RCPT', 'policy', '550-Verification failed for <s@origin.test>\n550-No Such User Here\n550 Sender verify failed'],
    ['.', 'policy', '550 This message contains a virus (Eicar-Test-Signature).'],
    ['.', 'policy', '550 This message was classified as SPAM and may not be delivered'],
    ['EHLO', 'policy', '550 HELO argument is your own name: refused by policy'],
    ['MAIL', 'policy', '550 sender address is listed at dbl.blocklist.test'],
  ],
  sendmail: [
    ['RCPT', 'hard', '550 5.1.1 <%r>... User unknown'],
    ['RCPT', 'policy', '550 5.7.1 <%r>... Relaying denied'],
    ['MAIL', 'policy', '553 5.1.8 <s@origin.test>... Domain of sender address s@origin.test does not exist'],
    ['MAIL', 'policy', '550 5.7.1 Access denied'],
    ['RCPT', 'soft', '452 4.2.2 <%r>... Mailbox full'],
    ['RCPT', 'hard', '550 5.1.2 <%r>... Host unknown (Name server: mail: host not found)'],
    ['MAIL', 'policy', '550 5.7.1 Rejected: 192.0.2.9 listed at bl.blocklist.test'],
    ['RCPT', 'soft', '451 4.7.1 Greylisting in action, please come back in 00:05:00'],
  ],
  'qmail and netqmail': [
    ['RCPT', 'hard', '550 sorry, no mailbox here by that name. (#5.7.17)'],
    ['RCPT', 'hard', '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)'],
    ['RCPT', 'policy', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
    ['MAIL', 'policy', '553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)'],
    ['.', 'soft', '552 sorry, that message size exceeds my databytes limit (#5.3.4)'],
    ['.', 'soft', '554 too many hops, this message is looping (#5.4.6)'],
    ['RCPT', 'soft', '552 user is over quota. (#5.2.2)'],
  ],
  Courier: [
    ['RCPT', 'hard', '550 User <%r> unknown'],
    ['RCPT', 'policy', '513 Relaying denied.'],
    ['MAIL', 'policy', '517-MX records for origin.test violate section 3.3.9 of RFC 1035.\n517 Invalid domain'],
    ['.', 'policy', '550 Rejected: improper use of 8-bit data in message header'],
  ],
  'Notes and Domino': [
    ['RCPT', 'hard', '550 %r... No such user'],
    ['RCPT', 'policy', '554 Relay rejected for policy reasons.'],
    ['RCPT', 'policy', '550 5.7.1 Connection refused by policy: 192.0.2.9 found in DNS blacklist'],
    ['RCPT', 'hard', '550 User is not listed in the Domino Directory'],
  ],
  MDaemon: [
    ['RCPT', 'hard', '550 <%r>, Recipient unknown'],
    ['MAIL', 'policy', '550 Sender is not allowed: SPF check failed'],
    ['RCPT', 'soft', '552 Message for <%r> would exceed mailbox quota'],
  ],
  Mimecast: [
    ['RCPT', 'hard', '550 Invalid Recipient - https://community.example/docs/DOC-1369#550 [xY0]'],
    ['RCPT', 'policy', '550 Rejected by header based Anti-Spoofing policy: s@origin.test'],
    ['.', 'policy', '554 Email rejected due to security policies - MCSpamSignature.1'],
    ['RCPT', 'soft', '451 Internal resources are temporarily unavailable'],
    ['RCPT', 'policy', '550 Administrative prohibition - envelope blocked'],
  ],
  Proofpoint: [
    ['RCPT', 'hard', '550 5.1.1 User Unknown - dh12'],
    ['greeting', 'policy', '554 Blocked - see https://ipcheck.example/?ip=192.0.2.9'],
    ['.', 'policy', '550 5.7.0 Local Policy Violation - 3ab0'],
  ],
  Barracuda: [
    ['RCPT', 'hard', '550 No such recipient'],
    ['.', 'policy', '550 permanent failure for one or more recipients (%r:blocked)'],
    ['RCPT', 'policy', '554 Service unavailable; Client host [mta] blocked using Barracuda Reputation'],
  ],
  iCloud: [
    ['RCPT', 'hard', '550 5.1.1 unknown or illegal alias: %r'],
    ['RCPT', 'soft', '552 5.2.2 <%r>: user is over quota'],
    ['.', 'policy', '550 5.7.1 [CS01] Message rejected due to local policy'],
  ],
  'GMX and T-Online': [
    ['RCPT', 'hard', '550 Requested action not taken: mailbox unavailable'],
    [
      'greeting',
      'policy',
      '554-gmx.test (mxgmx1) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is black listed.\n554 For explanation visit the postmaster pages',
    ],
    ['.', 'policy', '550-Requested action not taken: mailbox unavailable\n550 Reject due to policy restrictions.'],
    ['RCPT', 'soft', '552-Requested mail action aborted: exceeded storage allocation\n552 Quota exceeded'],
    ['RCPT', 'hard', '550 5.1.1 unknown recipient'],
  ],
  'Other providers': [
    ['RCPT', 'hard', '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. LPN416'],
    [
      'greeting',
      'policy',
      '421 mwinf5c09 ME Trop de connexions, veuillez verifier votre configuration. Too many connections',
    ],
    ['RCPT', 'soft', '552 5.2.2 Boite du destinataire pleine. Recipient overquota.'],
    ['RCPT', 'hard', '550 Mailbox not found'],
    ['RCPT', 'soft', '550 User suspended'],
    ['RCPT', 'soft', '550 5.2.1 This mailbox has been blocked due to inactivity'],
    ['RCPT', 'hard', '550 invalid mailbox. Local mailbox %r is unavailable: user not found'],
    ['.', 'policy', '550 spam message rejected. Please visit the help page or report details to abuse'],
    ['RCPT', 'hard', '550 5.7.1 No such user!'],
    ['.', 'policy', '554 5.7.1 [1] Message rejected under suspicion of SPAM'],
    ['RCPT', 'hard', '550 Account does not exist'],
    ['MAIL', 'policy', '550 Mail content denied: domain frequency limited'],
    ['RCPT', 'policy', '450 4.7.1 Too many mails from your address, rate limit exceeded'],
  ],
}

export const REFUSALS: readonly Refusal[] = Object.entries(BY_SERVER).flatMap(([server, rows]) =>
  rows.map(([stage, kind, reply]) => ({ server, stage, class: kind, reply })),
)
