/** OpenSMTPD. */
import type { MailServer } from './mail-server.ts'
import { failed } from './world.ts'

const configuration = (ttl: string, warning: string): string => `queue ttl ${ttl}
bounce warn-interval ${warning}
table aliases file:/etc/made-aliases
listen on lo port 25 hostname mta.test
action "local" mbox alias <aliases>
action "tls" relay helo mta.test tls
action "out" relay helo mta.test
match from any for domain "local.test" action "local"
match from any for domain { "no-tls.test", "broken-tls.test" } action "tls"
match from any for any action "out"
`

const ALIASES = `exit1: "|/bin/false"
exit69: "|exit 69"
missing: "|/usr/bin/no-such-program"
remote: gone@several.test
`

export const OPENSMTPD: MailServer = {
  name: 'opensmtpd',
  packages: ['opensmtpd'],
  files: { '/etc/smtpd.conf': configuration('5s', '1d'), '/etc/made-aliases': ALIASES },
  delayFiles: { '/etc/smtpd.conf': configuration('1d', '1s'), '/etc/made-aliases': ALIASES },
  // What it retries it reports, when it gives up, as delayed and without a reason.
  vague: /: Envelope expired$/m,
  start: `chmod 640 /etc/smtpd.conf; rm -rf /var/spool/smtpd/queue/*
smtpd`,
  own: [
    { kind: 'command: failed', expected: [failed('exit1@local.test', 'soft')] },
    { kind: 'command: unavailable', expected: [failed('exit69@local.test', 'soft')] },
    { kind: 'command: missing', expected: [failed('missing@local.test', 'soft')] },
    {
      kind: 'alias to an unknown user elsewhere',
      to: ['remote@local.test'],
      expected: [failed('gone@several.test', 'hard')],
    },
  ],
  without: ['SMTPUTF8 not offered', 'mail loops back'],
}
