/**
 * Notices in the formats of mail systems, written for these tests after their documentation and sources and after the formats that the
 * readers Sisimai and flufl.bounce describe. Each is about one recipient, u@d.test.
 */
export interface ServerNotice {
  readonly system: string
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly class: 'hard' | 'soft' | 'policy'
  readonly action?: 'delayed'
}

export const RETURNED =
  'Received: from client.test by mx.test; Mon, 1 Jun 2026 10:00:00 +0000\nFrom: s@origin.test\nSubject: Greetings\n'
export const DAEMON = 'MAILER-DAEMON@mx.test'

export const SERVER_NOTICES: readonly ServerNotice[] = [
  {
    system: 'Apache James',
    from: 'postmaster@james.test',
    subject: '[BOUNCE]',
    text: 'Hi. This is the James mail server at james.test.\nI could not deliver your message to the recipients below.\n\nMessage details:\n  Subject: Greetings\n  Sent date: Mon Jun 01 10:00:00 UTC 2026\n  MAIL FROM: s@origin.test\n  RCPT TO: u@d.test\n  From: Sender <s@origin.test>\n  To: u@d.test\n\nError message below:\n550 5.1.1 unknown user',
    class: 'hard',
  },
  {
    system: 'Notes',
    from: 'Mail Router <router@notes.test>',
    subject: 'Undeliverable message',
    text:
      '------- Failure Reasons  --------\n\nUser not listed in public Name & Address Book\nu@d.test\n\n------- Returned Message --------\n\n' +
      RETURNED,
    class: 'hard',
  },
  {
    system: 'Smail',
    from: '<mailer-daemon@smail.test>',
    subject: 'mail failed, returning to sender',
    text:
      '|------------------------- Message log follows: -------------------------|\n no valid recipients were found for this message\n|------------------------- Failed addresses follow: ---------------------|\n u@d.test ... unknown host\n|------------------------- Message text follows: ------------------------|\n' +
      RETURNED,
    class: 'hard',
  },
  {
    system: 'Exchange 5.5',
    from: 'System Administrator <postmaster@exchange.test>',
    subject: 'Undeliverable: Greetings',
    text: 'Your message\n\n  To:      somebody\n  Subject: Greetings\n  Sent:    Mon, 1 Jun 2026 10:00:00 +0000\n\ndid not reach the following recipient(s):\n\nu@d.test on Mon, 1 Jun 2026 10:00:05 +0000\n    The recipient name is not recognized\n    MSEXCH:IMS:Organization:SITE:EXCHANGE 0 (000C05A6) Unknown Recipient',
    class: 'hard',
  },
  {
    system: 'Exchange 5.5 with an X.400 address',
    from: 'System Administrator <postmaster@exchange.test>',
    subject: 'Undeliverable: Greetings',
    text: 'did not reach the following recipient(s):\n\nc=US;a= ;p=org;o=site;dda:SMTP=u@d.test; on Mon, 1 Jun 2026 10:00:05 +0000\n    Unable to deliver the message due to a communications failure\n    MSEXCH:IMS:Organization:SITE:EXCHANGE 0 (00120270) Too Many Hops',
    class: 'soft',
  },
  {
    system: 'IMail',
    from: 'Postmaster <postmaster@imail.test>',
    subject: 'Undeliverable Mail',
    text: `User mailbox exceeds allowed size: u@d.test\n\nOriginal message follows.\n\n${RETURNED}`,
    class: 'soft',
  },
  {
    system: 'IMail, after the address was given up',
    from: 'Postmaster <postmaster@imail.test>',
    subject: 'Undeliverable Mail',
    text: `Delivery failed 20 attempts: u@d.test\n\nOriginal message follows.\n\n${RETURNED}`,
    class: 'soft',
  },
  {
    system: 'MDaemon',
    from: 'MDaemon@mdaemon.test',
    subject: 'Permanent Delivery Failure',
    text: 'The following addresses did NOT receive a copy of your message:\n\n> u@d.test\n\n--- Session Transcript ---\n Mon 10:00:00: <-- 550 <u@d.test>, Recipient unknown\n--- End Transcript ---',
    // A filter may say so too: nothing says that RCPT was refused.
    class: 'soft',
  },
  {
    system: 'GroupWise',
    from: 'Mailer-Daemon@groupwise.test',
    subject: 'Message status - undeliverable',
    text: 'The message that you sent was undeliverable to the following:\n    u@d.test (550 unknown recipient)\n\nPossibly truncated original message follows:',
    // A filter may say so too: nothing says that RCPT was refused.
    class: 'soft',
  },
  {
    system: 'Netscape Messaging Server',
    from: 'Mail Administrator <postmaster@netscape.test>',
    subject: 'Mail System Error - Returned Mail',
    text: 'This Message was undeliverable due to the following reason:\n\nEach of the following recipients was rejected by a remote\nmail server. The reasons given by the server are included\nto help you determine why each recipient was rejected.\n\n    Recipient: <u@d.test>\n    Reason:    No such user\n\nPlease reply to <postmaster@netscape.test>\nif you feel this message to be in error.',
    class: 'hard',
  },
  {
    system: 'LSMTP',
    from: 'Mail Delivery Subsystem <daemon@lsmtp.test>',
    subject: 'Delivery error',
    text: '--> Error description:\nError-for:  u@d.test\nError-Code: 3\nError-Text: No such user here\nError-End: One error reported.',
    class: 'hard',
  },
  {
    system: 'Novell, a domain',
    from: 'Postmaster@novell.test',
    subject: 'Returned mail: host unknown',
    text: 'The message you sent could not be delivered to u@d.test:\nhost d.test: Host unknown',
    class: 'hard',
  },
  {
    system: 'MessageSwitch',
    from: 'postmaster@switch.test',
    subject: 'Delivery warning',
    text: 'This is just a warning, you do not need to take any action.\nYour message to the following recipient is delayed:\n\n  u@d.test\n\nIt will be retried for 3 days.',
    class: 'soft',
    action: 'delayed',
  },
  {
    system: 'Exim, a delay',
    from: 'Mail Delivery System <Mailer-Daemon@exim.test>',
    subject: 'Warning: message 1abcde-000001-00 delayed 24 hours',
    text: 'This message was created automatically by mail delivery software.\nA message that you sent has not yet been delivered to one or more of its\nrecipients after more than 24 hours on the queue on exim.test.\n\nThe address to which the message has not yet been delivered is:\n\n  u@d.test\n    Delay reason: Connection timed out\n\nNo action is required on your part. Delivery attempts will continue for\nsome time, and this warning may be repeated at intervals.',
    class: 'soft',
    action: 'delayed',
  },
  {
    system: 'A system that reports in brackets',
    from: '"Mail Deliver System" <postmaster@x.test>',
    subject: 'Returned Mail: Greetings',
    text: 'The original message was received at Mon, 1 Jun 2026 10:00:00 +0000\nfrom s@origin.test\n\n---The following addresses had delivery errors---\n\nu@d.test [User unknown]',
    class: 'hard',
  },
  {
    system: 'QSBMF',
    from: DAEMON,
    subject: 'failure notice',
    text:
      "Hi. This is the qmail-send program at qmail.test.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<u@d.test>:\n192.0.2.1 does not like recipient.\nRemote host said: 553 sorry, that address is not in my list (#5.7.1)\nGiving up on 192.0.2.1.\n\n--- Below this line is a copy of the message.\n\n" +
      RETURNED,
    class: 'policy',
  },
  {
    system: 'QSBMF, the sender is refused',
    from: DAEMON,
    subject: 'failure notice',
    text:
      'Hi. This is the qmail-send program at qmail.test.\n\n<u@d.test>:\nConnected to 192.0.2.1 but sender was rejected.\nRemote host said: 550 5.7.1 no\n\n--- Below this line is a copy of the message.\n\n' +
      RETURNED,
    class: 'policy',
  },
  {
    system: 'QSBMF, no host',
    from: DAEMON,
    subject: 'failure notice',
    text:
      "Hi. This is the qmail-send program at qmail.test.\n\n<u@d.test>:\nSorry, I couldn't find any host named d.test. (#5.1.2)\n\n--- Below this line is a copy of the message.\n\n" +
      RETURNED,
    class: 'hard',
  },
  {
    system: 'Courier',
    from: '"Courier mail server at courier.test" <@>',
    subject: 'NOTICE: mail delivery status.',
    text: 'This is a delivery status notification from courier.test,\nrunning the Courier mail server.\n\nThe original message was received on Mon, 01 Jun 2026 10:00:00 +0000\nfrom client.test\n\n-----------------------------------------------------------\n\n                 UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<u@d.test>:\n    mx.d.test [192.0.2.1]:\n>>> RCPT TO:<u@d.test>\n<<< 550 User unknown.\n\n-----------------------------------------------------------',
    class: 'hard',
  },
]
