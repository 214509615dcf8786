/** The same for mailbox providers, and for gateways that filter mail. */
import { DAEMON, RETURNED, type ServerNotice } from './notices-of-servers.ts'

export const PROVIDER_NOTICES: readonly ServerNotice[] = [
  {
    system: 'Active!hunter',
    from: DAEMON,
    subject: 'FAILURE NOTICE :',
    text:
      '  ----- The following addresses had permanent fatal errors -----\n\n>>> u@d.test <u@d.test>\n\n  ----- Transcript of session follows -----\n550 sorry, no mailbox here by that name (#5.1.1 - chkusr)\n\n' +
      RETURNED,
    class: 'hard',
  },
  {
    system: 'Biglobe',
    from: 'postmaster@provider.test',
    subject: 'Returned mail: mailbox',
    text: "   ----- The following addresses had delivery problems -----\nu@d.test\n\n   ----- Non-delivered information -----\nThe number of messages in recipient's mailbox exceeded the local limit.",
    class: 'soft',
  },
  {
    system: 'MailMarshal',
    from: 'postmaster@gateway.test',
    subject: 'Undeliverable Mail: "Greetings"',
    text: 'Your message:\n   From:    s@origin.test\n   Subject: Greetings\n\nCould not be delivered because of\n\n550 5.1.1 User unknown\n\nThe following recipients were affected:\n    u@d.test\n\nAdditional Information\n======================\nOriginal Sender:    <s@origin.test>\nSender-MTA:         <192.0.2.1>\n\n+++++++++++++++++++++++++++++++++++++++++',
    class: 'hard',
  },
  {
    system: 'EZweb, disabled',
    from: 'Postmaster@mobile.test',
    subject: 'Mail System Error - Returned Mail',
    text:
      'The user(s) account is disabled.\n\n<u@d.test>: 550 user unknown (in reply to RCPT TO command)\n\n--------------------------------------------------\n' +
      RETURNED,
    class: 'soft',
  },
  {
    system: 'EZweb, rejected by the next server',
    from: 'Postmaster@mobile.test',
    subject: 'Mail System Error - Returned Mail',
    text: 'Each of the following recipients was rejected by a remote\nmail server.\n\n   Recipient: <u@d.test>\n   >>> RCPT TO:<u@d.test>\n   <<< 550 <u@d.test>: User unknown',
    class: 'hard',
  },
  {
    system: 'EZweb, expired',
    from: 'Postmaster@mobile.test',
    subject: 'Mail System Error - Returned Mail',
    text: 'Your message was not delivered within 0 days and 1 hours.\nRemote host is not responding.\n\nThe following recipients did not receive this message:\n   <u@d.test>',
    class: 'soft',
  },
  {
    system: 'KDDI',
    from: 'no-reply@mobile.test',
    subject: 'Returned mail',
    text: 'Your mail sent on: Mon, 1 Jun 2026 10:00:00 +0900\n    Could not be delivered to: <u@d.test>\n    As their mailbox is full.',
    class: 'soft',
  },
  {
    system: 'KDDI, no domain',
    from: 'no-reply@mobile.test',
    subject: 'Returned mail',
    text: 'Your mail attempted to be delivered on: Mon, 1 Jun 2026 10:00:00 +0900\n    Could not be delivered to: <u@d.test>\n    As the remote domain doesnt exist.',
    class: 'hard',
  },
  {
    system: 'Verizon',
    from: 'post_master@text.test',
    subject: 'Undeliverable Message',
    text: 'Error: 550 - Requested action not taken: no such user here\n\nMessage details:\n  Subject: Greetings\n  MAIL FROM: s@origin.test\n  RCPT TO: u@d.test\n  From: s@origin.test',
    class: 'hard',
  },
  {
    system: 'Oracle Messaging Server',
    from: 'Internet Mail Delivery <postmaster@oracle.test>',
    subject: 'Delivery Notification: Delivery has failed',
    text: 'This report relates to a message you sent with the following header fields:\n\n  Message-id: <m1@origin.test>\n  Date: Mon, 01 Jun 2026 10:00:00 +0000\n  From: Sender <s@origin.test>\n  To: u@d.test\n  Subject: Greetings\n\nYour message cannot be delivered to the following recipients:\n\n  Recipient address: u@d.test\n  Reason: Remote SMTP server has rejected address\n  Diagnostic code: smtp;550 5.1.1 <u@d.test>... User Unknown\n  Remote system: dns;mx.d.test (TCP|192.0.2.1|47323|192.0.2.2|25)',
    class: 'hard',
  },
  {
    system: 'Smail of a German provider',
    from: 'Mail Delivery System <Mailer-Daemon@provider.test>',
    subject: 'Mail delivery failed: returning message to sender',
    text:
      '|------------------------- Failed addresses follow: ---------------------|\n <u@d.test>\n   552 5.2.2 <u@d.test> Quota exceeded (mailbox for user is full)\n\n|------------------------- Message header follows: ----------------------|\n' +
      RETURNED,
    class: 'soft',
  },
  {
    system: 'InterScan',
    from: '"InterScan MSS" <postmaster@gateway.test>',
    subject: 'Mail could not be delivered',
    text: '****** Message from InterScan Messaging Security Suite ******\n\nSent <<< RCPT TO:<u@d.test>\nReceived >>> 550 5.1.1 <u@d.test>... user unknown\n\n************************     End of message     **********************',
    class: 'hard',
  },
  {
    system: 'm-FILTER',
    from: 'postmaster@filter.test',
    subject: 'failure notice',
    text:
      'This mail was made by a filter.\n\nu@d.test\n\n-------server message\n550 5.7.1 rejected by the content filter\n\n-------SMTP command\nDATA\n\n-------original message\n' +
      RETURNED,
    class: 'policy',
  },
  {
    system: 'Google Groups',
    from: 'Mail Delivery Subsystem <mailer-daemon@groups.test>',
    subject: 'Delivery Status Notification (Failure)',
    text: "Hello s@origin.test,\n\nWe're writing to let you know that the group you tried to contact (u) may not exist, or you may not have permission to post messages to the group.\n\n----- Original message -----\n\nReceived: from client.test by mx.test; Mon, 1 Jun 2026 10:00:00 +0000\nTo: u@d.test\nFrom: s@origin.test\nSubject: Greetings\n",
    class: 'policy',
  },
]
